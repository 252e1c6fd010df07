from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from viewing import annotated

from scrapy_semtext.page import Page
from scrapy_semtext.viewer import view_page
from scrapy_semtext.viewer.document import BASE_POLICY


def copy_of(html: str) -> str:
    """Return the copy of the page inside the frame."""
    framed = re.search(
        r'<iframe id="page" sandbox="allow-same-origin" title="[^"]*" srcdoc="([^"]*)"></iframe>',
        view_page(annotated(html)),
    )
    assert framed
    return unescape(framed[1])


def body_of(html: str) -> str:
    """Return the same copy without the head, and without the colors and descriptions of marks."""
    copy = re.sub(r"<style>\nbody \{ margin.*?</style>\n", "", copy_of(html), count=1, flags=re.DOTALL)
    return re.sub(r"<semtext-mark [^>]*>", "<mark>", copy.partition("<body>")[2]).replace("</semtext-mark>", "</mark>")


class _Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


ARTICLE = """
<html class="wide"><head><title>t</title><style>.post { color: navy } </style></head>
<body><nav class="top menu"><a href="/">Home</a></nav>
<div class="post"><p>Some <b>content</b> here</p><aside hidden>Spam</aside></div></body></html>
"""


def test_text_nodes_are_marked_in_place_and_the_page_keeps_its_look() -> None:
    copy = copy_of(ARTICLE)
    assert '<html class="wide">' in copy
    assert "<style>.post { color: navy } </style>" in copy
    assert (
        '<div class="post"><p>'
        '<semtext-mark data-block="1" data-by="model" style="background:#95d5aa!important">Some </semtext-mark>'
    ) in copy
    assert '<nav class="top menu"><a><mark>Home</mark></a></nav>' in body_of(ARTICLE)


@pytest.mark.smoke
def test_the_blocks_are_listed_in_page_order_with_what_is_known_of_them() -> None:
    view = view_page(annotated(ARTICLE))
    listed = re.findall(
        r'data-label="(\w+)" .*?<span class="more"> · (.*?)</span></span><span .*?>(.*?)</span></div>'
        r'<div class="text">(.*?)</div>',
        view,
    )
    likely = "probability of main content:"
    assert listed == [
        ("boilerplate", f"{likely} 20 % · &lt;nav&gt; · top menu", "20 %", "Home"),
        ("main", f"{likely} 90 % · &lt;p&gt;", "90 %", "Some content here"),
        ("boilerplate", f"{likely} 20 % · hidden on the page · &lt;aside&gt;", "20 %", "Spam"),
    ]
    assert "article · 1 of 3 blocks kept · 3 of 5 words · confidence 86 %" in view


def test_title_and_address_are_escaped() -> None:
    view = view_page(annotated("<p>x", about=Page(url='"><script>', title="</title><script>alert(1)</script>")))
    assert view.count("<script") == 2, "the viewer's own"
    assert "&lt;/title&gt;&lt;script&gt;" in view


def test_both_documents_forbid_every_request() -> None:
    assert f"content=\"{BASE_POLICY}; script-src 'sha256-" in view_page(annotated(ARTICLE))
    assert f'content="{BASE_POLICY}"' in copy_of(ARTICLE)
    assert BASE_POLICY.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")


HOSTILE = """
<html onload="a()"><head><base href="//evil/"><meta http-equiv=refresh content="0;url=//evil">
<script src=//evil></script>
<link rel=stylesheet href=//evil><style>@import "//evil"; p { background: url(//evil) }</style></head>
<body background=//evil onload="a()"><p style="background:u\\72l(//evil)" onclick="a()">content
<a href="javascript:a()" ping=//evil>link</a><img src=//evil srcset=//evil onerror="a()"></p>
<svg onload="a()"><image href=//evil></image><script>a()</script></svg>
<math><mtext><style><!--</style><img title="--&gt;&lt;img src=1 onerror=a()&gt;"></mtext></math>
<noscript><p title="</noscript><img src=//evil onerror=a()>">no</p></noscript>
<iframe src=//evil srcdoc="<script>a()</script>"></iframe><object data=//evil></object><embed src=//evil></embed>
<video src=//evil poster=//evil></video><form action=//evil><button formaction=//evil>go</button>
<input type=image src=//evil></form><xmp><img src=//evil></xmp><textarea></textarea><img src=//evil></textarea>
<div style="x:'</style><img src=//evil>'">z</div>
<my-post onfocus="a()" autofocus>custom</my-post><p>&lt;img src=//evil onerror=a()&gt;</p></body></html>
"""


def test_nothing_runs_loads_or_leads_anywhere() -> None:
    seen = _Tags(copy_of(HOSTILE)).seen
    names = {name for _, attributes in seen for name in attributes}
    assert {tag for tag, _ in seen}.isdisjoint(
        "script link base iframe object embed video audio svg math noscript template xmp frame source".split()
    )
    assert not [name for name in names if name.startswith("on")]
    assert names.isdisjoint("href src srcset action formaction ping poster data background srcdoc".split())
    policies = [attributes for _, attributes in seen if "http-equiv" in attributes]
    assert policies == [{"http-equiv": "Content-Security-Policy", "content": BASE_POLICY}]
    assert "&lt;img src=//evil onerror=a()&gt;" in copy_of(HOSTILE), "text that looks like markup stays text"


def test_style_sheets_stay_inside_their_element() -> None:
    assert "p{x:'\\3c script>'}" in copy_of("<style>p{x:'<script>'}</style>x")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<svg><text>no</text></svg>x", "<mark>x</mark>"),
        ("<svg><symbol><main>in</main></svg>", "<div><span><main><mark>in</mark></main></span></div>"),
        ("<template><p>in</p></template>", "<div hidden><p><mark>in</mark></p></div>"),
        ("<noscript><p>in</p></noscript>", "<div><p><mark>in</mark></p></div>"),
        ("<my-post>in</my-post>", "<my-post><mark>in</mark></my-post>"),
        ("<details><summary>in</summary></details>", '<details open=""><summary><mark>in</mark></summary></details>'),
        ("<select><option>no</select>x", "<select></select><mark>x</mark>"),
        ("<!--no--><p>a<!--no-->b</p>", "<p><mark>a</mark><mark>b</mark></p>"),
        ("<img src=x alt=y><img src=data:image/png;base64,AA>", '<img alt="y"><img src="data:image/png;base64,AA">'),
    ],
)
def test_what_is_copied_of_the_body(source: str, expected: str) -> None:
    assert body_of(f"<body>{source}</body>").strip() == expected
