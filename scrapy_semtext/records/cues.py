"""Words of links to the next page of a list, and of prices, in the languages that most sites are in."""

from __future__ import annotations

import re

_NEXT = (
    r"next|next page|next \d+|older|older (?:posts|entries|articles|stories)|more (?:results|posts|stories|articles)"
    r"|weiter|nächste|nächste seite|ältere (?:beiträge|artikel|einträge)|vor|suivante?|page suivante|suivants"
    r"|articles plus anciens|siguiente|página siguiente|entradas antiguas|más antiguos|próxim[ao]|seguinte"
    r"|próxima página|avanti|successiv[ao]|pagina successiva|prossim[ao]|volgende|volgende pagina|næste|neste|nästa"
    r"|nästa sida|seuraava|seuraava sivu|następna|następna strona|dalej|starsze|další|ďalšia|következő|următoarea"
    r"|sonraki|sonraki sayfa|επόμενη|επόμενη σελίδα|далее|дальше|вперёд|вперед|следующая|следующая страница"
    r"|наступна|下一页|下一頁|下页|下頁|次へ|次のページ|次ページ|다음|다음 페이지|التالي|הבא|अगला"
)
#: The whole text of a link to the next page, a word or a sign or both.
IS_NEXT = re.compile(rf"\W*(?:{_NEXT})\W*|[»›>→❯⟩]{{1,2}}|&gt;", re.IGNORECASE)
#: A name or label of such a link whose text is a drawing.
NAMED_NEXT = re.compile(r"(?:^|[\s_-])(?:next|nextpage|pagination-next|pager-next|older)(?:$|[\s_-])", re.IGNORECASE)
#: Names of elements around page numbers.
NAMED_PAGER = re.compile(r"pagin|pager|page-?num|page-?nav|wp-pagenavi|seiten|nav-?links", re.IGNORECASE)

#: A name of an element that holds the author of a record.
AUTHOR_NAME = re.compile(
    r"(?:^|[\s_-])(?:author|byline|auteur|autor|writer|user|poster)(?:[-_]?name)?(?:$|\s)", re.IGNORECASE
)
#: A price as it is shown: an amount beside the sign or the code of a currency.
PRICE = re.compile(
    r"(?:[$€£¥₹₽₩]|\b(?:usd|eur|gbp|chf|cad|aud)\b)\s?\d(?:[\d.,]*\d)?"
    r"|\b\d(?:[\d.,]*\d)?\s?(?:[$€£¥₹₽₩]|(?:usd|eur|gbp|chf|kr|zł|руб|kč|ft)\b)",
    re.IGNORECASE,
)
