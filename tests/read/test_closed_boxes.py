"""Hidden content is neither a post nor part of one; a URL on its own does not make posts."""

from __future__ import annotations

import pytest
from kettle_threads import kettle_thread

from scrapy_semtext import extract

REPORT = (
    "Report this post to those who look after the board. Say in a few words what is wrong with it, and they will have"
    " a look at it as soon as they can."
)
BOXES = {
    "dialog": f"<dialog><h3>Report</h3><p>{REPORT}</p><form><textarea></textarea></form></dialog>",
    "role": f"<div role=dialog aria-hidden=true><h3>Report</h3><p>{REPORT}</p></div>",
    "hidden": f"<div role=alertdialog hidden><h3>Report</h3><p>{REPORT}</p></div>",
    "names": f"<div class='modal fade' aria-hidden=true><h3>Report</h3><p>{REPORT}</p></div>",
    "noscript": f"<noscript><p>{REPORT}</p><p>It takes scripts to see the pictures of this post.</p></noscript>",
}
ENDS = {"in the text": "</div>", "in the post": "</section>", "behind the post": "</section>"}


@pytest.mark.parametrize("place", ENDS)
@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_what_is_not_shown_is_no_post(box: str, place: str) -> None:
    end = ENDS[place]
    thread = kettle_thread(6)
    with_boxes = thread.replace(end, f"{end}{box}" if place == "behind the post" else f"{box}{end}")
    assert with_boxes.count(box) == 6
    pairs, plain = (extract(html).qa_pairs for html in (with_boxes, thread))
    assert [(pair.question, pair.answer) for pair in pairs] == [(pair.question, pair.answer) for pair in plain]


def test_an_open_dialog_is_shown() -> None:
    thread = kettle_thread(6).replace("<main>", "<dialog open>").replace("</main>", "</dialog>")
    assert len(extract(thread).qa_pairs) == len(extract(kettle_thread(6)).qa_pairs) == 5


def test_a_thread_for_browsers_without_scripts_is_one() -> None:
    thread = kettle_thread(6).replace("<main>", "<noscript>").replace("</main>", "</noscript>")
    assert len(extract(thread).qa_pairs) == 5


@pytest.mark.parametrize(
    "address",
    ["forum/viewtopic.php?t=12", "questions/12/why", "showthread.php?tid=3", "thread/why.12/", "faq/", "issues/12"],
)
def test_an_address_alone_makes_no_posts(address: str) -> None:
    text = "".join(
        f"<p>The kettle was mended in step {n}, with a seal that fits and a valve that does not stick.</p>"
        for n in "12345"
    )
    html = f"<title>My kettle</title><nav><a href=/>Home</a></nav><article><h1>My kettle</h1>{text}</article>"
    page = extract(html, f"https://forum.example/{address}")
    assert not page.qa_pairs
    assert "step 5" in page.main_text
