from __future__ import annotations

from scrapy_semtext.dom.element_text import shown_text
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.records.columns import Extents, elements_of_records


def records(html: str, path: str = ".//a") -> list[list[str]]:
    titles = parse(html).findall(path)
    return [[shown_text(part) for part in parts] for parts in elements_of_records(titles, [0] * len(titles))]


def test_a_record_is_the_largest_element_around_a_title_without_another() -> None:
    rows = "".join(f"<li><h3><a href=/{i}>Title {i}</a></h3><p>Lead {i}</p></li>" for i in range(3))
    assert records(f"<h2>News</h2><ul>{rows}</ul>") == [[f"Title {i} Lead {i}"] for i in range(3)]


def test_rows_may_be_spread_over_several_boxes() -> None:
    def row(*numbers: int) -> str:
        cells = "".join(f"<div class=cell><a href=/{i}>Title {i}</a><p>Lead {i}</p></div>" for i in numbers)
        return f"<div class=row><h2>Part {numbers[0]}</h2>{cells}</div>"

    assert records(row(0, 1) + row(2, 3) + row(4)) == [[f"Title {i} Lead {i}"] for i in range(5)]


def test_a_record_may_be_several_elements_in_a_period() -> None:
    terms = "".join(f"<dt><a href=/{i}>Title {i}</a></dt><dd>Text {i}</dd>" for i in range(4))
    assert records(f"<dl>{terms}</dl>") == [[f"Title {i}", f"Text {i}"] for i in range(4)]
    rows = "".join(
        f"<tr><td><a href=/{i}>Title {i}</a></td></tr><tr><td>{i} points</td></tr><tr><td></td></tr>" for i in range(3)
    )
    assert records(f"<table>{rows}<tr><td>Page 1</td></tr></table>") == [
        [f"Title {i}", f"{i} points", ""] for i in range(3)
    ]


def test_how_high_records_stand_above_their_titles() -> None:
    rows = "".join(f"<li><h3><a href=/{i}>Title {i}</a></h3></li>" for i in range(3))
    extents = Extents(parse(f"<ul>{rows}</ul>").findall(".//a"))
    assert extents.height == 2
    assert extents.alike == 1.0
    assert [element.tag for element in extents.elements] == ["li"] * 3
