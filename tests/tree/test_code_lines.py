"""Code in the layouts of generators and highlighters is extracted as its lines and nothing else."""

# ruff: noqa: E501 - HTML as generators write it

from __future__ import annotations

import pytest
from rendering import page_markdown

from scrapy_semtext.extractor import extract
from scrapy_semtext.features.table import describe

CODE = "def f(x):\n    for y in x:\n\n        print(y)"
LINES = CODE.split("\n")


def texts(html: str) -> list[str]:
    return [block.text for block in describe(html, None).text_blocks]


def lines(form: str) -> str:
    """Return each line of the code in a form with %d for its number and %s for its text."""
    return "".join(form.replace("%d", str(number)).replace("%s", line) for number, line in enumerate(LINES, 1))


NUMBERS = "\n".join(map(str, range(1, 5)))

FORMS = {
    "plain": f"<pre><code>{CODE}</code></pre>",
    "pygments table": f'<div class="highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv">'
    f'<pre>{NUMBERS}</pre></div></td><td class="code"><div><pre><span></span>{CODE}</pre></div></td></tr></table></div>',
    "sphinx inline": f'<div class="highlight"><pre>{lines("<span class=linenos>%d</span>%s<br>")}</pre></div>',
    "rouge table": f'<div class="highlight"><code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl">'
    f'<pre class="lineno">{NUMBERS}\n</pre></td><td class="rouge-code"><pre>{CODE}\n</pre></td></tr></table></code></div>',
    "jekyll lineno": f'<table class="rouge-table"><tr><td class="lineno"><pre>{NUMBERS}</pre></td><td><pre>{CODE}</pre></td></table>',
    "hexo figure": '<figure class="highlight python"><table><tr><td class="gutter"><pre>'
    f'{lines("<span class=line>%d</span><br>")}</pre></td><td class="code"><pre>{lines("<span class=line>%s</span><br>")}</pre></td>'
    "</tr></table></figure>",
    "chroma table": f'<div class="chroma"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code>'
    f'<span class="lnt">{NUMBERS}</span></code></pre></td><td class="lntd"><pre class="chroma"><code>{CODE}</code></pre></table></div>',
    "chroma inline": f'<pre class="chroma"><code>{lines("<span class=line><span class=ln>%d</span><span class=cl>%s<br></span></span>")}</code></pre>',
    "github blob": '<table class="highlight">'
    + lines('<tr><td class="blob-num" data-line-number="%d"></td><td class="blob-code">%s</td></tr>')
    + "</table>",
    "gist": '<div class="gist"><table class="js-file-line-container">'
    + lines(
        '<tr>\n<td class="blob-num js-line-number" data-line-number="%d">%d</td>\n<td class="blob-code">%s</td>\n</tr>\n'
    )
    + "</table></div>",
    "gitlab": f'<div class="blob-content"><div class="line-numbers">{lines("<a class=diff-line-num>%d</a>")}</div>'
    f'<div><pre class="code highlight"><code>{lines("<span class=line>%s</span><br>")}</code></pre></div></div>',
    "hljs table": '<pre><code class="hljs"><table class="hljs-ln">'
    + lines(
        '<tr><td class="hljs-ln-numbers"><div class="hljs-ln-n" data-line-number="%d"></div></td><td class="hljs-ln-code">%s</td></tr>'
    )
    + "</table></code></pre>",
    "syntax highlighter": '<div class="syntaxhighlighter python"><table><tbody><tr><td class="gutter">'
    + lines('<div class="line number%d">%d</div>')
    + '</td><td class="code"><div class="container">'
    + lines('<div class="line number%d"><code class="plain">%s</code></div>')
    + "</div></td></tr></tbody></table></div>",
    "prettyprint": f'<pre class="prettyprint"><ol class="linenums">{lines("<li>%s</li>")}</ol></pre>',
    "docusaurus": f'<div class="language-python"><pre class="prism-code"><code>{lines("<div class=token-line><span>%s</span><br></div>")}</code></pre></div>',
    "older docusaurus": f'<pre class="prism-code"><code>{lines("<span class=token-line>%s<br></span>")}</code></pre>',
    "vitepress": f'<div class="language-python line-numbers-mode"><button class="copy" title="Copy Code"></button><span class="lang">python</span>'
    f'<pre><code>{lines("<span class=line>%s</span><br>")}</code></pre><div class="line-numbers-wrapper" aria-hidden="true">'
    f"{lines('<span class=line-number>%d</span><br>')}</div></div>",
    "spans laid out as lines": f"<pre>{lines('<span class=line>%s</span>')}</pre>",
    "blocks by style": f"""<pre>{lines("<span style='display: block'>%s</span>")}</pre>""",
    "react highlighter": f'<pre><code style="float:left">{NUMBERS}\n</code><code class="language-py">{CODE}</code></pre>',
    "numbers without names": f"<pre><code>{lines('<span>%d</span><span>%s<br></span>')}</code></pre>",
    "numbers and a space": f"<pre>{lines('<i>%d</i> %s<br>')}</pre>",
    "a div a line": f"<pre><code>{lines('<div>%s</div>')}</code></pre>",
    "label and button": f'<div class="code-block"><div class="header"><span>python</span><button>Copy code</button></div><pre>{CODE}</pre></div>',
    "toolbar": f'<div class="code-toolbar"><pre class="language-python">{CODE}</pre><div class="toolbar"><div><button>Copy</button></div>'
    "<div><span>Python</span></div></div></div>",
    "button inside": f'<pre><button type="button">コピー</button><code>{CODE}</code></pre>',
    "clipboard": f'<div class="highlight"><pre>{CODE}</pre><div class="zeroclipboard-container"><clipboard-copy><svg></svg></clipboard-copy></div></div>',
}


@pytest.mark.parametrize("form", FORMS)
def test_code_is_its_lines_without_numbers_buttons_and_labels(form: str) -> None:
    html = FORMS[form]
    for page in (f"<p>Before</p>{html}<p>after", f"<ol><li><p>Before</p>{html}</li></ol><p>after"):
        read = texts(page)
        assert read == ["Before", CODE, "after"]
        markdown = page_markdown(describe(page, None).text_blocks)
        assert (
            f"\n{CODE}\n```" in markdown.replace("\n   ", "\n") if "<ol><li>" in page else f"\n{CODE}\n```" in markdown
        )


@pytest.mark.parametrize(
    "html",
    [
        "<pre><code><span>1</span>, <span>2</span>, <span>3</span></code></pre>",
        "<pre>1\n2\n3</pre>",
        "<pre><span>1</span>\n<span>3</span>\n<span>2</span></pre>",
        "<p>1</p><pre>x</pre><p>2 3</p>",
        "<table><tr><td>1<td>Ann<tr><td>2<td>Bob</table>",
        '<div class="highlight"><table><tr><td>1<td>Ann<tr><td>2<td>Bob</table></div>',
        "<p>Python</p><pre>x</pre>",
        '<div class="code"><p>Run it:</p><pre>x</pre><span>app.py</span></div>',
        "<h3>Python</h3><pre>x</pre>",
        "<p>Use <code>a<br>b</code>",
    ],
)
def test_what_only_looks_like_line_numbers_and_labels_is_read(html: str) -> None:
    letters = "".join("".join(texts(html)).split())
    assert letters == "".join(describe(html, None).root.xpath("string()").split())


def test_a_table_of_numbers_stays_a_table() -> None:
    assert texts("<table><tr><td>1<td>Ann<tr><td>2<td>Bob</table>") == ["1\tAnn", "2\tBob"]


def test_a_comment_in_code_is_passed_over() -> None:
    page = extract(
        "<h1>Code</h1><p>The job reads its list.</p><pre><code><!-- a --><div>one</div><!-- b --><div>two</div>"
    )
    assert "one\ntwo" in "\n".join(block.text for block in page.blocks)


SPREAD = [line.replace("    ", "&nbsp; &nbsp; ") for line in LINES]
BROKEN = "<br />\n".join(SPREAD)


@pytest.mark.parametrize(
    "html",
    [
        f"<p><code>{BROKEN}</code></p>",
        f'<code style="white-space: nowrap"><div dir="ltr"><span>{"<br>".join(SPREAD)}</span></div></code>',
        f'<div class="codecontent">{"<br>".join(SPREAD)}</div>',
        f'<table><tr><td class="code">{BROKEN}</td></tr></table>',
        f'<div class="blockcode"><div id="code_x"><ol><li>{"<br><li>".join(SPREAD)}</ol></div></div>',
        f'<div class="blockcode"><div id="code_x"><ol><li>{"<li>".join(SPREAD)}</ol></div></div>',
    ],
)
def test_code_of_line_breaks_or_a_list_keeps_its_indentation(html: str) -> None:
    assert texts(f"<p>Before.</p>{html}<p>After.</p>") == ["Before.", CODE, "After."]


@pytest.mark.parametrize("names", ["postcode", "codetitle", "highlight"])
def test_lines_in_elements_named_like_code_stay_lines(names: str) -> None:
    assert "".join(texts(f'<div class="{names}">One<br>&nbsp; two</div>')) in ("One\ntwo", "Onetwo")


@pytest.mark.parametrize(
    "quotation",
    [
        "<blockquote><cite>Ann wrote:</cite>It leaks.</blockquote>",
        "<blockquote><div><cite><a>Ann</a> wrote:</cite>It leaks.</div></blockquote>",
        "<blockquote><p><b>Ann schrieb:</b> It leaks.</p></blockquote>",
        "<blockquote><blockquote><cite>Ann wrote:</cite>It leaks.</blockquote></blockquote>",
    ],
)
def test_the_head_of_a_quotation_is_a_line_of_its_own(quotation: str) -> None:
    assert [line.split()[-1] for text in texts(quotation) for line in text.split("\n")] == [
        quotation.partition(":")[0].split()[-1] + ":",
        "leaks.",
    ]
