"""Pages of different kinds for the tests of page kinds."""

from __future__ import annotations

PROSE = "This is a sentence of the page which says something, and goes on to say something more. "


def article(number: int) -> str:
    return (
        f"<title>Story {number}</title><body class='single-post'><nav><a href=/>Home</a></nav>"
        f"<article><h1>Story {number}</h1>{f'<h2>Part</h2><p>{PROSE * 2}{number}</p>' * 5}</article></body>"
    )


def listing(number: int) -> str:
    cards = "".join(
        f"<div class=card><h3><a href=/news/{number}/{i}>Headline number {i} of the day</a></h3>"
        f"<span>{i} days ago</span></div>"
        for i in range(8)
    )
    return (
        f"<title>News</title><body class=archive><nav><a href=/>Home</a></nav><main><h1>News</h1>{cards}</main></body>"
    )


def product(number: int) -> str:
    return (
        f"<title>Shoe {number}</title><body class=product-page><h1>Shoe {number}</h1><img src=a><p>$ {number}.99</p>"
        f"<button>Add to cart</button><p>{PROSE}</p></body>"
    )
