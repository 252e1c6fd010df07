"""Records are read from any page without an error, whatever it contains."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.records import load_record_models, read_records

MODELS = load_record_models()
_PIECES = (
    *(
        "<a href=/a>Title one</a>",
        "<a href='//[x'>Title two</a>",
        "<a>",
        "</a>",
        "<h2>Title three</h2>",
        "<li>",
        "</li>",
    ),
    *(
        "<div class='x1 odd'>",
        "</div>",
        "<a href=/b><h3>Title</h3><p>Lead</p></a>",
        "<img srcset=','>",
        "<base href='//['>",
    ),
    *(
        "<!-- c -->",
        "<?pi?>",
        "<tr><td>",
        "<nav>",
        "<time datetime=1>",
        "3 replies",
        "<h1>",
        "<a rel=next href='#'>",
        "<p>",
    ),
)


@given(
    st.lists(st.sampled_from(_PIECES), max_size=60), st.sampled_from((None, "", "http://[", "https://e.com/a?page=2"))
)
@settings(deadline=None, max_examples=150)
def test_any_page_can_be_read(pieces: list[str], url: str | None) -> None:
    for record in read_records(describe("".join(pieces), url), MODELS).records:
        assert record.title
        assert record.url
