from __future__ import annotations

import json
from typing import Any

import pytest
from labeled_pages import labeled

from scrapy_semtext.site.labeled_pages import LabeledPageError, read_labeled


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"html": None}, "html, url or done has a value of another type"),
        ({"url": 5}, "html, url or done has a value of another type"),
        ({"done": "yes"}, "html, url or done has a value of another type"),
        ({"blocks": [{"text": "a", "path": "p", "label": "Main", "probability": 0.5}]}, "the label 'Main' by 'model'"),
        ({"blocks": [{"text": "a"}]}, "missing 3 required positional arguments"),
        (
            {"blocks": [{"text": "a", "path": "p", "label": "main", "probability": "<b>"}]},
            "text, path or probability of a block has a value of another type",
        ),
        ({"other": 1}, "unexpected keyword argument 'other'"),
    ],
)
def test_a_line_that_is_no_labeled_page(change: dict[str, Any], message: str) -> None:
    values = {**json.loads(labeled("http://a/", "+one").to_json()), **change}
    with pytest.raises(LabeledPageError, match="line 2 is not a labeled page: .*" + message):
        list(read_labeled([b"\n", json.dumps(values).encode()]))
