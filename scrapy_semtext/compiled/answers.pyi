from scrapy_semtext.questions.faq_run_in import Head

def answers_of(
    heads: list[Head],
    places: list[int],
    levels: list[int],
    after: bool,
    share: float,
    firsts: list[int],
    lasts: list[int],
    parents: list[int],
    own_headings: list[int],
    block_headings: list[int],
    kinds: list[int],
) -> tuple[list[tuple[int, int]], bool]: ...
