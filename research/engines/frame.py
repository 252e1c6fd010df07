"""The frame of a site around a page: logo, menu, sidebars, and footer, in the language of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import html as lxml_html

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_SITES = (
    "Werkbank", "Open Lab", "Kaleido", "The Workshop", "Nordlicht", "Plaza", "Terra Forum", "Tinkerers", "Mosaik",
    "Common Ground", "Harbour", "Green Thumb", "Blue Yonder", "Studio 7", "Riverside", "Pixelhaus",
)  # fmt: skip
#: Home, search, log in, register, latest topics, tags, who is online, imprint, privacy, all rights reserved.
_WORDS = {
    "en": "Home|Search|Log in|Register|Latest topics|Tags|Who is online|Imprint|Privacy|All rights reserved",
    "de": "Startseite|Suche|Anmelden|Registrieren|Neueste Themen|Schlagwörter|Wer ist online|Impressum|Datenschutz|"
    "Alle Rechte vorbehalten",
    "fr": "Accueil|Rechercher|Connexion|Inscription|Derniers sujets|Étiquettes|Qui est en ligne|Mentions légales|"
    "Confidentialité|Tous droits réservés",
    "es": "Inicio|Buscar|Entrar|Registrarse|Últimos temas|Etiquetas|Quién está en línea|Aviso legal|Privacidad|"
    "Todos los derechos reservados",
    "ru": "Главная|Поиск|Войти|Регистрация|Последние темы|Метки|Сейчас на форуме|О сайте|Конфиденциальность|"
    "Все права защищены",
    "zh-hans": "首页|搜索|登录|注册|最新主题|标签|在线用户|关于我们|隐私政策|版权所有",
    "ja": "ホーム|検索|ログイン|登録|最新トピック|タグ|オンライン|会社概要|プライバシー|無断転載を禁じます",
}  # fmt: skip
_TAGS = ("setup", "hardware", "travel", "garden", "install", "beginner", "off-topic", "news", "howto", "review")
_NICKS = ("mira_k", "oldhand", "tobias77", "QuietOne", "lens-cap", "Pavel", "user8812", "rooftop")


def framed(root: Any, rng: Random, titles: Sequence[str], language: str) -> None:
    """Put a page into the frame of a site, whose look is drawn from ``rng``."""
    words = _WORDS[language].split("|")
    drops, demotes, aside_first = rng.random() < 0.5, rng.random() < 0.6, rng.random() < 0.4
    main = lxml_html.Element(rng.choice(("main", "div", "div")), {rng.choice(("id", "class")): rng.choice(_MAINS)})
    body = root.body
    if drops:
        for element in [*body.iter("nav", "footer")]:
            element.drop_tree()
    header = _header(rng, words)
    if demotes and header.tag != "div" and header.find(".//h1") is not None:
        for heading in body.iter("h1"):
            heading.tag = "h2"
    main.text, body.text = body.text, None
    main.extend(body[:])
    aside = _aside(rng, words, titles) if rng.random() < 0.7 else None
    parts = [main] if aside is None else [aside, main] if aside_first else [main, aside]
    middle = lxml_html.Element("div", {"class": rng.choice(("page", "layout", "columns", "wrap"))})
    middle.extend(parts)
    body.extend([header, middle, _footer(rng, words, titles)])


_MAINS = ("content", "main", "primary", "page-body", "center", "col-main")


def _header(rng: Random, words: list[str]) -> Any:
    site = rng.choice(_SITES)
    logo = rng.choice(
        (f'<h1 class="logo"><a href="/">{site}</a></h1>', f'<a class="brand" href="/">{site}</a>',
         f'<h1><a href="/"><img src="/logo.png" alt="{site}"></a></h1>', f'<p class="site-title"><b>{site}</b></p>')
    )  # fmt: skip
    links = "".join(f'<li><a href="/{n}">{word}</a></li>' for n, word in enumerate(words[:4]))
    crumbs = f'<div class="path"><a href="/">{words[0]}</a> &raquo; <a href="/forum">{site}</a> &raquo;</div>'
    return _made(
        rng.choice((f"<header>{logo}<nav><ul>{links}</ul></nav></header>",
                    f'<div id="top">{logo}<ul class="menu">{links}</ul></div>',
                    f"<header><ul>{links}</ul>{logo}{crumbs}</header>"))
    )  # fmt: skip


def _aside(rng: Random, words: list[str], titles: Sequence[str]) -> Any:
    dated = rng.random() < 0.5
    when = [f" <span>{nick}, {n}.03.2024</span>" if dated else "" for n, nick in enumerate(_NICKS, 1)]
    latest = "".join(
        f'<li><a href="/t/{n}">{_escaped(title)}</a>{when[n % len(when)]}</li>' for n, title in enumerate(titles)
    )
    tags = " ".join(f'<a href="/tag/{tag}">{tag}</a>' for tag in rng.sample(_TAGS, 6))
    online = ", ".join(rng.sample(_NICKS, 4))
    heading = rng.choice(("h2", "h3", "h4", "strong"))
    boxes = [(words[4], f"<ul>{latest}</ul>"), (words[5], f"<p>{tags}</p>"), (words[6], f"<p>{online}</p>")]
    rng.shuffle(boxes)
    inner = "".join(f'<div class="widget"><{heading}>{name}</{heading}>{box}</div>' for name, box in boxes)
    return _made(rng.choice((f"<aside>{inner}</aside>", f'<div id="sidebar">{inner}</div>')))


def _footer(rng: Random, words: list[str], titles: Sequence[str]) -> Any:
    related = "".join(f'<li><a href="/t/{n}">{_escaped(title)}</a></li>' for n, title in enumerate(titles[:4]))
    shown = f"<ul>{related}</ul>" if rng.random() < 0.4 else ""
    line = f'<p>&copy; 2024. {words[9]}. <a href="/imprint">{words[7]}</a> | <a href="/privacy">{words[8]}</a></p>'
    return _made(rng.choice((f"<footer>{shown}{line}</footer>", f'<div class="foot">{shown}{line}</div>')))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _made(markup: str) -> Any:
    return lxml_html.fragment_fromstring(markup)
