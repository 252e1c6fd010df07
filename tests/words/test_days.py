"""Days in texts, in many languages and orders."""

from __future__ import annotations

import pytest

from scrapy_semtext.words.cues import day_of_address, days_in, is_day

TWELFTH = "2023-05-12"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "May 12th, 2023",
            "12 May 2023",
            "Fri, 12-May-2023",
            "12th of May, 2023",
            "2023-05-12T08:30:00Z",
            "2023/5/12",
        ),
        *("12. Mai 2023, 08:30 Uhr", "Publié le 12 mai 2023 à 8h", "12 de mayo de 2023", "12 de maio de 2023"),
        *("Pubblicato il 12º maggio 2023", "12 mei 2023", "12 maja 2023", "12. května 2023", "den 12 maj 2023"),
        *("12 мая 2023 г.", "12 травня 2023", "12 Μαΐου 2023", "12 Mayıs 2023", "12. toukokuuta 2023"),
        *(
            "2023年5月12日(金) 8時30分",
            "2023年05月12日 08:30 来源：海港网",
            "2023년 5월 12일",
            "2023. 5. 12.",
            "입력 2023.05.12 14:00",
        ),
        *("12 مايو 2023", "١٢ مايو ٢٠٢٣", "12 במאי 2023", "12 मई 2023", "12 พฤษภาคม 2566", "ngày 12 tháng 5 năm 2023"),
        *("2023. május 12., péntek", "Do 12.05.23 | 14:07 Uhr"),
    ],
)
def test_a_day(text: str) -> None:
    assert [day.iso for day in days_in(text)] == [TWELFTH]


@pytest.mark.parametrize(
    "text",
    [
        "3 days ago",
        "© 2024 Harbour Notes",
        "May 2023",
        "May 12",
        "v1.2.2010",
        "the 12 apostles 2023",
        "31.02.2023",
        "4.18.21.7",
    ],
)
def test_no_day(text: str) -> None:
    assert days_in(text) == ()


@pytest.mark.parametrize(
    ("path", "day"),
    [
        *(("/2023/05/12/locks", TWELFTH), ("/2023/5/12", TWELFTH), ("/news/2023-05-12-locks.html", TWELFTH)),
        *(("/20230512/a", TWELFTH), ("/2023/0512/c1.html", TWELFTH), ("/blog/2023/may/12/a", TWELFTH)),
        *(("/2023/05/locks", None), ("/id/20231299", None), ("/12-05-2023", None), ("", None)),
    ],
)
def test_the_day_of_an_address(path: str, day: str | None) -> None:
    assert day_of_address(path) == day


def test_the_day_that_systems_write_for_none() -> None:
    assert not is_day("0001-01-01")
    assert is_day("1865-11-26")
