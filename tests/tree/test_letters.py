"""Non-letter content of a page is extracted as letters: in blocks, in HTML, in Markdown and in its title."""

# ruff: noqa: E501 - HTML as generators write it

from __future__ import annotations

import pytest
from lxml import html as lxml_html
from rendering import page_html, page_markdown

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.title import title_of
from scrapy_semtext.tree.elements import all_text
from scrapy_semtext.tree.parsing import ParsedHTML, parse


def texts(html: str) -> list[str]:
    return [block.text for block in describe(html, None).text_blocks]


def text(html: str) -> str:
    return "\n".join(texts(html))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("10<sup>6</sup> litres", "10⁶ litres"),
        ("10<sup>-3</sup> or 10<sup>−3</sup> or 10<sup>+<i>3</i></sup>", "10⁻³ or 10⁻³ or 10⁺³"),
        ("2<sup>n+1</sup>, e<sup>x</sup>, x<sup>1/2</sup>", "2ⁿ⁺¹, eˣ, x^(1/2)"),
        ("12 km<sup>2</sup> of CO<sub>2</sub>, H<sub>2</sub>O", "12 km² of CO2, H2O"),
        ("log<sub>2</sub>8 and 101<sub>2</sub>", "log₂8 and 101₂"),
        (
            "the 1<sup>st</sup>, 2<sup>e</sup>, M<sup>me</sup>, n<sup>o</sup> 5, X<sup>TM</sup>",
            "the 1st, 2e, Mme, no 5, XTM",
        ),
        ("<sup>3</sup>/<sub>4</sub> and 2<sup>1</sup>⁄<sub>2</sub>", "3/4 and 2 1⁄2"),
        ('1902<sup><a href="#fn2">2</a></sup> is', "1902[2] is"),
        ('ledger<a href="#fn:1" class="footnote"><sup>1</sup></a>.', "ledger[1]."),
        ('1902<sup class="reference" id="r"><a href="/p#c"><b>3</b></a></sup> is', "1902[3] is"),
        ('word<sup><a href="#a">1</a>, <a href="#b">2</a></sup> is', "word[1, 2] is"),
        ('1902<sup id="cite"><a href="#c">[4]</a></sup> is', "1902[4] is"),
        ("as shown<sup>1,2</sup>", "as shown[1,2]"),
        ('<span class="price">$19<sup>99</sup></span>', "$1999"),
        ("x<sup></sup>y", "xy"),
    ],
)
def test_powers_indices_and_marks_of_notes(written: str, read: str) -> None:
    assert texts(f"<p>{written}") == [read]
    assert texts(f"<ul><li>{written}<li>b</ul><table><tr><td>{written}<td>c</table>") == [f"{read}\nb", f"{read}\tc"]


@pytest.mark.smoke
def test_powers_are_still_elements_in_html() -> None:
    blocks = describe("<p>10<sup>-6</sup> x<sup>1/2</sup> log<sub>2</sub>8 1<sup>st</sup>", None).text_blocks
    assert page_html(blocks) == "<p>10<sup>−6</sup> x<sup>1/2</sup> log<sub>2</sub>8 1<sup>st</sup></p>"
    assert page_markdown(blocks) == "10⁻⁶ x^(1/2) log₂8 1st"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>の", "漢字(かんじ)の"),
        ("<ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby>の", "漢字（かんじ）の"),
        ("<ruby>難<rt>むずか</rt></ruby>しい", "難(むずか)しい"),
        ("<ruby><rb>漢</rb><rt>かん</rt><rb>字</rb><rt><b>じ</b></rt></ruby>", "漢(かん)字(じ)"),
        ("<ruby>字<rt></rt></ruby>", "字"),
    ],
)
def test_readings_of_ruby_stand_in_brackets(written: str, read: str) -> None:
    assert texts(f"<h2>{written}</h2><p>{written}") == [read, read]


@pytest.mark.parametrize(
    ("language", "read"),
    [
        ("en", "said “not ‘yet’ now” to"),
        ("de-AT", "said „not ‚yet‘ now“ to"),
        ("fr", "said «not “yet” now» to"),
        ("ja", "said 「not 『yet』 now」 to"),
        ("pl", "said „not «yet» now” to"),
    ],
)
def test_quotations_have_the_marks_of_their_language(language: str, read: str) -> None:
    page = f"<html lang={language}><p>said <q>not <q>yet</q> now</q> to"
    assert texts(page) == [read]
    assert page_markdown(describe(page, None).text_blocks) == read
    assert texts("<p>said “<q>so</q>” and <q>«so»</q>") == ["said “so” and «so»"]


KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow>'
    '<annotation encoding="application/x-tex">E = mc^2</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true"><span class="base">E</span><span class="mord">mc2</span></span></span>'
)
WIKI = (
    '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math '
    'alttext="{\\displaystyle x^{2}}"><semantics><mi>x</mi><annotation encoding="application/x-tex">{\\displaystyle x^{2}}'
    '</annotation></semantics></math></span><img class="mwe-math-fallback-image-inline" alt="{\\displaystyle x^{2}}"></span>'
)
MATHML = (
    '<mjx-container class="MathJax"><svg></svg><mjx-assistive-mml><math><msup><mi>c</mi><mn>2</mn></msup><mo>=</mo>'
    "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msqrt><mi>d</mi></msqrt></mfrac></math></mjx-assistive-mml>"
    "</mjx-container>"
)
MATHJAX = '<span class="MathJax_Preview"></span><span class="MathJax"><nobr><i>x</i>&lt;<i>y</i>2</nobr></span>'


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (KATEX, "E = mc^2"),
        (f'<span class="katex-display">{KATEX}</span>', "E = mc^2"),
        (WIKI, "x^{2}"),
        ('<math alttext="\\frac{a}{b}" class="ltx_Math"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>', "\\frac{a}{b}"),
        ('<img class="latex" alt="$\\sqrt{a}$" src="/l.png">', "\\sqrt{a}"),
        (f'{MATHJAX}<script type="math/tex">x &lt; y^2</script>', "x < y^2"),
        ('<script type="math/tex; mode=display">t_0 + 5</script>', "t_0 + 5"),
        (
            MATHML,
            "c^2=(a+b)/(√d)",
        ),
        ("<math><msubsup><mi>x</mi><mn>0</mn><mi>n</mi></msubsup></math>", "x_0^n"),
        ("<script>var x</script>", ""),
    ],
)
def test_a_formula_is_read_once_and_as_tex_if_the_page_has_it(written: str, read: str) -> None:
    for page in (f"<p>so {written} is", f"<h2>so {written} is</h2>", f"<ul><li>so {written} is</ul>"):
        assert texts(page) == [f"so {read} is".replace("  ", " ")]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('<img class="emoji" alt="❤️" src="/2764.svg">', "❤️"),
        ('<img class="smilies" alt=":)" src="/s.gif">', ":)"),
        ('<img src="https://x/images/emoji/twitter/heart.png" alt=":heart:">', ":heart:"),
        ('<img alt="👩‍🚀">', "👩‍🚀"),
        ('<img alt="A boat" src="/boat.jpg">', ""),
        ('<img alt="5" src="/5.jpg"><img class="emoji" src="/x.png">', ""),
    ],
)
def test_images_of_emoji_are_read(written: str, read: str) -> None:
    assert texts(f"<p>I {written} this<h2>I {written} this</h2>") == [f"I {read} this".replace("  ", " ")] * 2


def test_characters_that_nobody_sees_are_left_out_and_joiners_are_not() -> None:
    page = "<title>a&shy;b</title><h1>a&shy;b</h1><p>Schiff&#173;fahrts\u00adgesell<b>schaft\u200b</b>\u2060en <!--\u00ad-->\u200b"
    assert texts(page) == ["ab", "Schifffahrtsgesellschaften"]
    assert title_of(describe(page, None).root) == "ab"
    assert "\u00ad" not in page_markdown(describe(page, None).text_blocks)
    for kept in ("می‌خواهم", "क्‍ष", "👩‍🚀👍🏽❤️"):
        assert texts(f"<p>{kept}\u200b") == [kept]


def test_a_shadow_root_takes_the_place_of_what_its_host_has() -> None:
    shadow = "<template shadowrootmode=open><b>Note</b><slot name=top>none</slot><p>in the shadow</p><slot></slot></template>"
    page = f"<x-note>{shadow}<p>first</p><h2 slot=top>head</h2><p>last</p></x-note><p>behind"
    assert texts(page) == ["Note", "head", "in the shadow\nfirst\nlast", "behind"]
    assert not any(block.hidden for block in describe(page, None).text_blocks)
    inner = "<x-a><template shadowroot=open>outer <slot></slot><x-b><template shadowrootmode=open>inner</template></x-b></template>light</x-a>"
    assert text(inner).split() == ["outer", "light", "inner"]
    assert all(block.hidden for block in describe("<template><p>inert</p></template>", None).text_blocks)


@pytest.mark.parametrize(
    "link",
    [
        '<a href="#use">¶</a>',
        '<a class="anchor" href="#use">#</a>',
        '<a class="header-anchor" href="#use" aria-label="Permalink to Use">&#8203;</a>',
        '<a href="/docs#use"><span>§</span></a>',
        '<a class="hash-link" href="#use">Direct link to Use</a>',
        '<a class="headerlink" href="#use"><i class="icon">link</i></a>',
        '<a class="anchor" aria-hidden>#</a>',
    ],
)
def test_signs_that_link_a_heading_to_itself_are_left_out(link: str) -> None:
    assert texts(f"<h2>Use {link}</h2><h3>{link} Use</h3><dl><dt>Use{link}<dd>it</dl>") == ["Use", "Use", "Use", "it"]


def test_headings_that_are_links_are_read() -> None:
    for heading in ('<a class="anchor" href="#a">Use</a>', '<a href="#a">2.1</a> Use', '<a href="#a">#</a>'):
        assert texts(f"<h2>{heading}</h2>") == [all_text(parse(heading))]


CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0, 0, 0, 0)"


@pytest.mark.parametrize(
    "unseen",
    [
        "<span class=sr-only> (opens in a new tab)</span>",
        "<span class='u-visuallyHidden'> (opens in a new tab)</span>",
        "<span class=VisuallyHidden_root__x1f3> (opens in a new tab)</span>",
        "<em class='icon screen-reader-text'>opens in a new tab</em>",
        f"<span style='{CLIPPED}'>external</span>",
        "<span style='position: absolute; left: -9999px'>external</span>",
        "<span class=own>external</span>",
        "<span class=tip>the last of the year, by which oil is meant</span>",
        "<span role=tooltip>The one that was made of iron.</span>",
        "<span class=gloss__text>a tin</span>",
        "<span aria-hidden=true>The one that was made of iron.</span>",
    ],
)
def test_what_readers_never_see_is_left_out(unseen: str) -> None:
    sheet = f"<style>a{{b:c}} span.own:not(:focus),.y{{{CLIPPED}}} .word:hover .tip {{visibility: visible}}</style>"
    assert texts(f"{sheet}<p>The <a href=/>new oil{unseen}</a> is sold out.") == ["The new oil is sold out."]


@pytest.mark.parametrize(
    "seen",
    [
        "<span class='sr-only md:not-sr-only'>two</span>",
        "<span class=not-sr-only>two</span>",
        "<span aria-hidden=true>two</span>",
        "<span style='clip-path: inset(0)'>two</span>",
        "<span class=small-only>two</span>",
        "<style>@media print { .only { clip: rect(0,0,0,0) } }</style><span class=only>two</span>",
        "<span class=tooltip>two</span>",
    ],
)
def test_what_looks_like_it_is_kept(seen: str) -> None:
    assert texts(f"<p>One {seen} three") == ["One two three"]


def test_glyphs_are_no_words() -> None:
    assert texts("<p>Tins<i class=material-icons>arrow_forward</i>Oil <i class=icon>snake_case</i>") == [
        "Tins Oil snake_case"
    ]


@pytest.mark.parametrize(
    "edit",
    [
        "<span class=mw-editsection>[<a href=/v>Bearbeiten</a> | <a href=/e>Quelltext</a>]</span>",
        " <span>[<a href='?action=edit&section=1'>edit</a>]</span>",
        " [<a href='/wiki/Tins/edit'>edit</a>]",
        "<a href='?do=edit'>Muokkaa</a>",
    ],
)
def test_links_for_editing_a_section_are_left_out(edit: str) -> None:
    assert texts(f"<h2>Tins{edit}</h2><p>Full.") == ["Tins", "Full."]


def test_back_links_of_notes_and_remarks_of_editors_are_left_out() -> None:
    note = "<li id=n><a href=#r>^</a> Told by a miller. <a href=#r>↩︎</a> <a href=#s>Jump up</a>"
    remark = "<sup>[<i><a href=/c>citation needed</a></i>]</sup>"
    assert texts(f"<p>It ran{remark} well.<ol>{note}</ol>") == ["It ran well.", "Told by a miller."]


def test_lines_by_style_are_lines() -> None:
    line = "<span style='display: block'>{}</span>\n".format
    assert texts(f"<p>{line('The tide')}{line('goes out')}<h2>{line('One')}Two</h2>") == [
        "The tide\ngoes out",
        "One Two",
    ]
    assert texts("<p style='white-space: pre-line'>\nThe tide\ngoes <b>out\nand</b>\nin</p>") == [
        "The tide\ngoes out\nand\nin"
    ]
    assert texts("<style>.v{white-space:pre-wrap}</style><p class=v>a\nb") == ["a\nb"]
    assert (
        page_markdown(describe("<div role=heading aria-level=3>Tins</div><p>Full.", None).text_blocks)
        == "### Tins\n\nFull."
    )


LONG = (
    "<p>The workshop on Quay Street opens at seven, and by half past the first bicycles hang from the hooks of it.</p>"
)


@pytest.mark.parametrize(
    "line",
    [
        "<p><b>Read also:</b> <a href=/a>Ten rides along the coast</a></p>",
        "<p><a href=/a>Lire aussi : Dix balades le long de la côte</a></p>",
        "<div>По теме: <a href=/a>Десять поездок</a></div>",
        "<p><i>Story continues below advertisement</i></p>",
    ],
)
def test_lines_that_lead_away_from_the_text_are_left_out(line: str) -> None:
    prose = lxml_html.fromstring(LONG).text
    assert text(f"{LONG}{line}{LONG}") == f"{prose}\n{prose}"
    assert len(text(f"<p>One</p>{line}<p>Two</p>")) > 10


@pytest.mark.parametrize(
    "line", ["Source: <a href=/a>the town</a>", "Related: <a href=/a>two</a> and a third one, which is new."]
)
def test_other_lines_with_a_link_are_kept(line: str) -> None:
    assert len(texts(f"{LONG}<div>{line}</div>{LONG}")) == 3


def test_a_tree_of_somebody_else_is_not_changed() -> None:
    html = "<p>10<sup>6</sup><p>a\u00adb"
    for part in (html, html[:20], html[18:]):
        root = parse(part)
        before = lxml_html.tostring(root)
        read = describe(part, None, ParsedHTML(part, root))
        assert [block.text for block in read.text_blocks] == texts(part)
        assert lxml_html.tostring(root) == before
    root = parse("<p>plain")
    assert describe("<p>plain", None, ParsedHTML("<p>plain", root)).root is not None


def test_characters_that_cannot_be_written_do_no_harm() -> None:
    assert texts("<p>a\x01\u00adb<sup>\x012</sup><q>\x02c</q><h2>d\x01<a href=#d>#</a>\x01e</h2>")
