"""Code in Markdown and HTML: its programming language and its lines."""

from __future__ import annotations

import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment


def markdown_of(html: str) -> str:
    return page_markdown(segment(parse(html)))


@pytest.mark.parametrize(
    "source",
    [
        "<pre class='language-python'>{}</pre>",
        "<pre><code class='language-python'>{}</code></pre>",
        "<pre><code class='lang-python'>{}</code></pre>",
        "<pre><code class='hljs python'>{}</code></pre>",
        "<pre><code class='python'>{}</code></pre>",
        "<pre class='prettyprint lang-python'><code>{}</code></pre>",
        "<pre class='brush: python; toolbar: false'>{}</pre>",
        "<pre class='brush:python'>{}</pre>",
        "<pre class='lang:python decode:true'>{}</pre>",
        "<pre class='code python'>{}</pre>",
        "<pre class='highlight python'><code>{}</code></pre>",
        "<pre class='src src-python'>{}</pre>",
        "<pre class='sourceCode python'><code class='sourceCode python'>{}</code></pre>",
        "<pre lang=python><code>{}</code></pre>",
        "<pre data-lang=Python>{}</pre>",
        "<pre data-enlighter-language=python>{}</pre>",
        "<pre data-code-wrap=python><code>{}</code></pre>",
        "<pre data-syntaxhighlighter-params='brush: python; gutter: false'>{}</pre>",
        "<pre><code data-language=python>{}</code></pre>",
        "<div class='highlight-python notranslate'><div class=highlight><pre><span></span>{}</pre></div></div>",
        "<div class='highlight highlight-source-python'><pre>{}</pre><clipboard-copy></clipboard-copy></div>",
        "<div class='language-python highlighter-rouge'><div class=highlight><pre>{}</pre></div></div>",
        "<div class='language-python'><button>Copy</button><span class=lang></span><pre class=shiki>{}</pre></div>",
        "<div class='mw-highlight mw-highlight-lang-python'><pre>{}</pre></div>",
        "<figure class='highlight python'><table><tr><td class=gutter><td class=code><pre>{}</pre></table></figure>",
        "<figure data-language=python><pre>{}</pre></figure>",
        "<code-block class='language-python'><pre>{}</pre></code-block>",
    ],
)
def test_the_language_of_code(source: str) -> None:
    assert markdown_of(source.format("a = 1")).endswith("```python\na = 1\n```")
    assert '<pre class="language-python">' in page_html(segment(parse(source.format("a = 1"))))


@pytest.mark.parametrize(
    ("attributes", "fence"),
    [
        ("class='language-c++'", "```c++"),
        ("class='language-our-own'", "```our-own"),
        ("class='language-none'", "```"),
        ("class='language-default language-sh'", "```sh"),
        ("class='highlight-wide code-box text'", "```"),
        ("lang=en", "```"),
    ],
)
def test_other_names(attributes: str, fence: str) -> None:
    assert markdown_of(f"<pre {attributes}>x</pre>") == f"{fence}\nx\n```"


@pytest.mark.parametrize(
    "source",
    [
        "<div class='lang-en code-page'><pre>x</pre></div>",
        "<section class='language-python'><p>1<p>2<p>3<p>4<p>5<p>6<pre>x</pre></section>",
        "<article class='language-python'><pre>x</pre></article>",
    ],
)
def test_what_is_around_code_and_more_says_nothing_of_its_language(source: str) -> None:
    assert markdown_of(source).endswith("```\nx\n```")


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    if x:\n        y\n\n    z",
        "def f():<br>    if x:<br>        y<br><br>    z",
        "def f():\n&nbsp;&nbsp;&nbsp; if x:\n        y  \n&nbsp;\n    z\n",
        "<code>def f():</code>\n<code>    if x:</code>\n<code>        y</code>\n<code></code>\n<code>    z</code>",
    ],
)
def test_lines_of_code(source: str) -> None:
    assert markdown_of(f"<p>Code:</p><pre>{source}</pre><p>End</p>") == (
        "Code:\n\n```\ndef f():\n    if x:\n        y\n\n    z\n```\n\nEnd"
    )
