"""The compiled walk through a page finds the same blocks as the walk in Python."""

from __future__ import annotations

from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pytest
from gate import quality
from hypothesis import given
from hypothesis import strategies as st

from scrapy_semtext.tree import elements
from scrapy_semtext.tree import segmentation as segment
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import ScopeTree, joined_blocks
from scrapy_semtext.tree.segmentation import is_space_missing
from scrapy_semtext.tree.tags import PLAIN, restyled
from scrapy_semtext.utils.extensions import walk

if TYPE_CHECKING:
    from scrapy_semtext.tree.segmentation import TextBlock

pytestmark = pytest.mark.skipif(walk is None, reason="nothing is compiled here")

TAGS = "a b p div li td pre br hr wbr svg title foreignobject select option button main img embed span x-y h2".split()
PARTS = [
    *(f"<{tag}>" for tag in TAGS),
    *(f"</{tag}>" for tag in TAGS),
    *(
        "<div hidden>",
        "<p style='display: none'>",
        "<b hidden>",
        "<b hidden>It is told, once a script has run, to all who read it.",
        "<ul id=u class='v w'>",
        "<i class=k>",
        "<i class='k sr-only'>",
        "<a href='#1'>",
        "<dialog>",
        "<b role=tooltip aria-hidden=true>",
        "</i>",
    ),
    *("<div align=center>", "<font size=5>", "</font>", "<td style='font: bold 9.5px x'>", "<i style='color: red'>"),
    *("<!-- c -->", "<?pi?>", "<template>", "</template>", "<script>x</script>", "</ul>", "\n", " ", "&nbsp;", "\t "),
    *("low", "High", "éa", "Éb", "日本", "🙂 ", " a  b ", "ΣΣ", "\u2028", "\x1c", "\x85", "\n\nend\n"),
]

# What the walk is handed behind the classes.
CALLED = (segment._collapsed, segment._preformatted, segment._holds, is_space_missing, restyled, PLAIN)


def described(blocks: list[TextBlock]) -> list[Any]:
    """Return all values of blocks and their scopes; scopes by element."""
    seen = attrgetter("element", "tag", "names", "classes", "hidden", "centred", "depth")
    own = attrgetter("text", "runs", "link_chars", "hidden", "style")
    return [(*own(block), [seen(scope) for scope in block.scope.ancestry()]) for block in blocks]


def columns_of(tree: ScopeTree) -> list[Any]:
    arrays = (tree.parent, tree.first, tree.last, tree.depth, tree.children, tree.of_block, tree.element_types.of_scope)
    return [tree.scopes, tree.element_types.pairs, *(array.tolist() for array in arrays)]


def check(html: str) -> None:
    root = parse(html)
    with pytest.MonkeyPatch.context() as patch:
        odd = elements.odd_elements(root)
        patch.setattr(elements, "walk", None)
        assert odd == elements.odd_elements(root)
    tree = ScopeTree.of_page(root)
    found = tree.blocks
    expected = segment._Search(root).blocks
    assert described(found) == described(expected)
    assert columns_of(tree) == columns_of(ScopeTree(found))
    joined, starts = joined_blocks(tree)
    other, other_starts = joined_blocks(ScopeTree(expected))
    assert described(joined) == described(other)
    assert starts.tolist() == other_starts.tolist()
    assert columns_of(tree.of_joined(joined, starts))[2:6] == columns_of(ScopeTree(joined))[2:6]


@pytest.mark.slow
def test_real_pages() -> None:
    for page in islice(quality.read_sample(), 20):
        check(page.html)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "text",
        "<p>",
        "<body>  <br> \n<br>a<br><br>b <br>\n c<br></body>",
        "<pre>  a\tb\r\n <br> c  \n\n</pre>d<pre> </pre>",
        "By <b>Author</b><i>Published</i> a<wbr>B c<!-- -->D",
        "<a href=1>one</a><a href=2>two  words</a> <a href=3>three</a>",
        "<svg><title>no</title><desc><p>no</p></desc>no<div>yes</div></svg> yes",
        "<button><main>page</main></button><button>Question</button>",
        "<div>" * 3000 + "deep" + "</div>" * 3000 + "after",
        "<div>" + "<b>x</b> " * 5000 + "</div>" + "y" * 100_000,
    ],
)
def test_pages_of_one_kind(html: str) -> None:
    check(html)


@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_any_page(parts: list[str]) -> None:
    check("".join(parts))


def test_errors_of_what_is_called_are_raised() -> None:
    def broken(*_: object) -> Any:
        raise ZeroDivisionError

    root = parse("<p style=x>texté</p><pre>text</pre><button><b>text</b>Text</button>")
    assert walk.search(root, segment.Scope, segment.TextBlock, *CALLED)
    for place in range(5):
        with pytest.raises(ZeroDivisionError):
            walk.search(root, segment.Scope, segment.TextBlock, *CALLED[:place], broken, *CALLED[place + 1 :])
    for no_element in (None, "p", type(root)()):
        with pytest.raises(TypeError):
            walk.search(no_element, segment.Scope, segment.TextBlock, *CALLED)
