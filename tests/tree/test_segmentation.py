"""Segmentation, as examples of HTML and its blocks."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from rendering import page_html

from scrapy_semtext.tree.elements import shown_text
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment
from scrapy_semtext.tree.segmentation import search

if TYPE_CHECKING:
    from scrapy_semtext.tree.segmentation import TextBlock


def blocks(html: str) -> list[TextBlock]:
    return segment(parse(html))


def texts(html: str) -> list[str]:
    return [block.text for block in blocks(html)]


class TestSearchPhase:
    def test_a_block_ends_at_every_group_3_tag_opening_or_closing(self) -> None:
        html = "<div>one<section>two</section>three<ul><li>four</ul>five</div>"
        assert [block.text for block in search(parse(html))] == ["one", "two", "three", "four", "five"]

    def test_formatting_tags_leave_their_text(self) -> None:
        assert texts("<p>Some <b>bold</b>, <i>slanted</i> and <code>code</code> text") == [
            "Some bold, slanted and code text"
        ]

    def test_group_1_goes_with_its_content(self) -> None:
        html = "<title>t</title><p>kept<script>var x</script><style>p {}</style><select><option>o</select></p>"
        assert texts(html) == ["kept"]

    def test_the_path_holds_group_3_tags_and_their_names(self) -> None:
        (block,) = blocks('<body id="top"><div class="post big"><tbody><span class="x"><p id="p1">hi')
        assert block.tags == ("html", "body", "div", "p")
        assert [scope.names for scope in block.scope.ancestry()] == ["p1", "post big", "top", ""]
        assert block.scope.depth == 3

    def test_custom_elements_bound_blocks_and_unknown_ones_do_not(self) -> None:
        assert texts("<my-post>a</my-post><my-body>b</my-body>c <foo>d</foo>") == ["a", "b", "c d"]

    def test_a_block_knows_its_text_nodes(self) -> None:
        (block,) = blocks("<p>one <b>two</b> three")
        found = [element.tail if is_tail else element.text for element, is_tail in block.runs]
        assert found == ["one ", "two", " three"]

    def test_link_characters_are_counted(self) -> None:
        (block,) = blocks('<p>see <a href="/">the <b>next</b> page</a> now')
        assert block.link_chars == len("the") + len("next") + len("page")


class TestWhiteSpace:
    def test_it_is_collapsed_as_browsers_do(self) -> None:
        assert texts("<p>  one\n\t two&nbsp; three ") == ["one two three"]

    def test_a_br_is_a_new_line(self) -> None:
        assert texts("<p>one <br> two<br/>three") == ["one\ntwo\nthree"]

    def test_pre_keeps_its_lines_and_indents(self) -> None:
        assert texts("<pre>\ndef f():\n    <b>return</b> 1  \n</pre>") == ["def f():\n    return 1"]

    def test_cells_of_a_row_are_joined_by_tabs(self) -> None:
        assert texts("<table><tr><td>a<td>b<tr><td>c<td>d</table>") == ["a\tb", "c\td"]

    def test_inline_tags_do_not_cut_words(self) -> None:
        assert texts("<p><span>W</span>ord, H<sub>2</sub>O, <i>re</i>use") == ["Word, H2O, reuse"]

    def test_links_side_by_side_are_set_apart(self) -> None:
        assert texts("<p><a>home</a><a>about</a>, <a>by</a>pass") == ["home about, bypass"]

    def test_a_capital_behind_a_tag_that_ends_a_word_begins_a_new_one(self) -> None:
        assert texts("<p>By <b>Ann Lee</b><span>Published today</span>") == ["By Ann Lee Published today"]

    @pytest.mark.parametrize("html", ["get<wbr>Element<wbr>ById", "get<!-- -->Element<?pi?>ById"])
    def test_but_not_behind_what_marks_no_boundary(self, html: str) -> None:
        assert texts(f"<p>{html}") == ["getElementById"]

    @pytest.mark.parametrize("tag", "em strong b i u s mark sub a font tt var span label span_class=hit".split())
    def test_nor_inside_a_word_whatever_marks_a_part_of_it(self, tag: str) -> None:
        start, end = tag.replace("_", " "), tag.partition("_")[0]
        word = f"You<{start}>Tube</{end}> or <{start}>You</{end}>Tube"
        page = f"<h2>{word}</h2><ul><li>{word}</ul><table><tr><td>{word}</table>"
        assert set(texts(page)) == {"YouTube or YouTube"}
        assert shown_text(parse(page).find(".//h2")) == "YouTube or YouTube"
        assert "You Tube" not in page_html(blocks(page))

    def test_nor_in_code_nor_between_letters_that_have_an_element_each(self) -> None:
        code = "<code><span class=k>set</span><span class=n>Timeout</span></code>"
        assert texts(f"<p>{code}<pre>{code}</pre><h2>{code}") == ["setTimeout"] * 3
        assert texts("<h2>" + "".join(f"<span>{letter}</span>" for letter in "McDonald")) == ["McDonald"]

    def test_names_and_the_title_tell_pieces_side_by_side_from_words(self) -> None:
        assert texts("<p><span>Word</span><span>Press</span>") == ["Word Press"]
        page = "<title>WordPress</title><h1><span class=a>Word</span><span class=b>Press</span></h1>"
        assert texts(page) == ["WordPress"]
        assert texts("<h1>Locks<span>Updated 3 days ago</span></h1>") == ["Locks Updated 3 days ago"]
        assert texts("<a>Share<span class=sr-only>Facebook</span></a>") == ["Share Facebook"]
        assert texts("<p><span style='display:block'>Monday</span>Closed") == ["Monday Closed"]
        assert texts("<p>e<span>Bay</span><span></span><span>Shop</span>") == ["eBay Shop"]


class TestCombinePhase:
    def test_case_1_joins_leaf_siblings_alike(self) -> None:
        assert texts("<ul><li>a<li>b<li>c</ul>") == ["a\nb\nc"]

    def test_case_1_needs_the_same_tag(self) -> None:
        assert texts("<div><h2>a</h2><p>b</p></div>") == ["a", "b"]

    def test_case_1_needs_the_same_classes(self) -> None:
        assert texts("<p class=x>a</p><p class=x>b</p><p>c</p>") == ["a\nb", "c"]

    def test_case_1_does_not_join_cousins(self) -> None:
        assert texts("<div><p>a</p></div><div class=b><p>b</p></div>") == ["a", "b"]

    def test_case_2_joins_an_only_child_without_classes_of_its_own(self) -> None:
        assert texts("<div>a <p>b</p></div>") == ["a\nb"]

    def test_case_3_keeps_an_only_child_with_another_class(self) -> None:
        assert texts("<div>a <p class=note>b</p></div>") == ["a", "b"]

    def test_case_4_joins_what_later_blocks_became(self) -> None:
        assert texts("<ul><li>a<p>b</p></li><li>c<p>d</p></li></ul>") == ["a\nb\nc\nd"]

    def test_a_joined_block_has_the_nodes_of_all_its_parts(self) -> None:
        (block,) = blocks("<ul><li>a<li><a>b</a></ul>")
        assert len(block.runs) == 2
        assert block.link_chars == 1


class TestWhatThePaperDoesNotForesee:
    def test_a_page_nested_in_an_unclosed_svg_symbol_is_read(self) -> None:
        html = "<body><svg><symbol id=a><path d='M0'><div><h1>Title</h1><p>The page.</p></div>"
        assert texts(html) == ["Title", "The page."]

    def test_the_labels_of_a_drawing_are_not(self) -> None:
        html = "<p>a<svg><title>Icon</title><text>10 %</text><foreignObject><div>node</div></foreignObject></svg>b"
        assert texts(html) == ["ab"]

    def test_a_page_nested_in_an_unclosed_button_is_read_without_it(self) -> None:
        (menu, title, text) = blocks("<button>Menu<main><h1>Title</h1><p>The page.</p></main>")
        assert [menu.text, title.text, text.text] == ["Menu", "Title", "The page."]
        assert "button" not in text.tags

    def test_the_question_in_an_accordion_s_button_is_a_block(self) -> None:
        (question, answer) = blocks("<h3><button>Why?</button></h3><div>Because.</div>")
        assert (question.text, question.tags[-1]) == ("Why?", "button")
        assert answer.text == "Because."

    def test_text_only_inside_noscript_is_read(self) -> None:
        (post,) = blocks("<body><noscript><div itemprop=text>A post.</div></noscript>")
        assert post.text == "A post."
        assert "noscript" in post.tags

    @pytest.mark.parametrize("tag", ["embed", "source", "track", "keygen", "image", "img", "input"])
    def test_what_a_parser_nests_in_an_element_without_end_tag_is_read(self, tag: str) -> None:
        assert texts(f"<p>before</p><{tag} src=x hidden><p class=x>behind</p>") == ["before", "behind"]

    def test_a_form_around_the_page_is_read_without_its_controls(self) -> None:
        html = "<form><h1>A page</h1><input value=x><textarea>no</textarea><select><option>no</select></form>"
        assert texts(html) == ["A page"]

    @pytest.mark.parametrize("attribute", ["hidden", 'style="display: none"', 'style="VISIBILITY:hidden"'])
    def test_hidden_blocks_are_marked_and_hidden_inline_text_is_left_out(self, attribute: str) -> None:
        (hidden, shown) = blocks(f"<div {attribute}><p>later</p></div><p>now<span {attribute}>not</span></p>")
        assert (hidden.hidden, shown.hidden) == (True, False)
        assert shown.text == "now"

    @pytest.mark.parametrize("tag", ["span", "em", "font", "small"])
    @pytest.mark.parametrize(
        "text",
        [
            "The lower lock was built in 1874, and its gates are still those of that year.",
            "Die untere Schleuse stammt von 1874, und ihre Tore sind noch die aus jenem Jahr!",
            "この水門は千八百七十四年に造られました。" * 4,
        ],
    )
    def test_hidden_inline_prose_is_text_that_a_script_shows(self, tag: str, text: str) -> None:
        (block,) = blocks(f'<p><{tag} style="visibility: hidden">{text[:30]}<b>{text[30:]}</b></{tag}></p>')
        assert (block.text, block.hidden) == (text, False)

    @pytest.mark.parametrize(
        "text",
        [
            "Please leave this field empty.",
            '{"text": "The lower lock was built in 1874, and its gates are those of that year."}',
            "a menu of all the parts of this site which goes on for a while and has no sentence",
        ],
    )
    def test_hidden_labels_and_data_are_left_out(self, text: str) -> None:
        assert texts(f"<p>now<span hidden>{text}</span></p>") == ["now"]

    def test_a_spoiler_is_text(self) -> None:
        assert texts("<p>It was <span class=bbSpoiler style='display:none'>the butler</span></p>") == [
            "It was the butler"
        ]

    def test_hidden_elements_inside_each_other_take_linear_time(self) -> None:
        html = "<span hidden>" * 5_000 + "text without an end " * 50_000
        begin = time.process_time()
        blocks(html)
        assert time.process_time() - begin < 5

    def test_hidden_links_are_left_out(self) -> None:
        assert texts("<p>see <a style='display:none'>trap</a>this") == ["see this"]

    def test_templates_count_as_hidden(self) -> None:
        (block,) = blocks("<template><p>inert</p></template>")
        assert block.hidden

    def test_frames_give_what_noframes_holds(self) -> None:
        html = "<html><frameset><frame src=a><noframes><body><p>Text.</p></body></noframes></frameset></html>"
        assert texts(html) == ["Text."]

    def test_text_behind_comments_is_kept(self) -> None:
        assert texts("<p>one <!-- c -->two<?php echo 1 ?> three") == ["one two three"]


class TestAnyPage:
    @pytest.mark.parametrize("html", ["", "   ", "<!-- -->", "<html></html>", "\0", "<script>x</script>"])
    def test_a_page_without_text_has_no_blocks(self, html: str) -> None:
        assert texts(html) == []

    @pytest.mark.slow
    def test_a_page_nested_100_000_deep_passes(self) -> None:
        # in a process of its own: a crash of the C stack would take the tests with it
        code = (
            "from scrapy_semtext.tree.scopes import segment; from scrapy_semtext.tree.parsing import parse\n"
            "for tag in ('<div>', '<div>t ', '<div class=a>t ', '<span>t ', '<button>t '):\n"
            "    print(sum(len(b.text.split()) for b in segment(parse(tag * 100_000))))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
        assert done.stdout.split() == ["0", "100000", "100000", "100000", "100000"]
