from __future__ import annotations

from labeled_pages import labeled

from scrapy_semtext.labeling.session import take_over
from scrapy_semtext.site.labeled_pages import LabeledBlock


def model(text: str, path: str = "html>body>p") -> LabeledBlock:
    return LabeledBlock(text, path, "boilerplate", 0.1)


def labels(blocks: list[LabeledBlock]) -> list[tuple[str, str]]:
    return [(block.label, block.by) for block in blocks]


def test_labels_by_a_person_stay_and_those_of_the_model_are_new() -> None:
    earlier = labeled(None, "+a", "b")
    now = [model("a"), LabeledBlock("b", "html>body>p", "main", 0.9)]
    found, lost = take_over(earlier, now)
    assert labels(found.blocks) == [("main", "person"), ("main", "model")]
    assert [block.probability for block in found.blocks] == [0.1, 0.9], "the model's, not the earlier one's"
    assert (lost, found.done) == ([], False)


def test_equal_texts_are_matched_in_page_order_and_by_their_path_first() -> None:
    earlier = labeled(None, "more", "+more", "+more")
    earlier.blocks[2].path = "html>body>nav"
    found, _ = take_over(earlier, [model("more", "html>body>nav"), model("more"), model("more")])
    assert labels(found.blocks) == [("main", "person"), ("boilerplate", "model"), ("main", "person")]


def test_labels_without_a_block_are_reported_and_a_new_block_makes_the_page_undone() -> None:
    found, lost = take_over(labeled(None, "+a b", "c", done=True), [model("a"), model("b"), model("c")])
    assert [block.text for block in lost] == ["a b"]
    assert not found.done
