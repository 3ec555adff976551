"""Numbers with nouns."""

from __future__ import annotations

import pytest

from samapprox.support.plural import plural


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "instance", "0 instances"),
        (1, "instance", "1 instance"),
        (2, "instance", "2 instances"),
        (1, "query", "1 query"),
        (2, "query", "2 queries"),
        (2, "key", "2 keys"),
        (2, "match", "2 matches"),
        (2, "class", "2 classes"),
        (-1, "step", "-1 steps"),
        (3, "don't-care entry", "3 don't-care entries"),
    ],
)
def test_only_one_is_singular(count: int, noun: str, text: str) -> None:
    assert plural(count, noun) == text
