"""The study of binary dimensions: both certificates of every line, and the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from practical import binary
from practical.few_values import list_patterns
from shared.markers import END

LINES = binary.read_lines()
PATTERNS = dict(list_patterns(binary.TOKENS))
MOST_LEMMAS = 2000
"""Of refutations that are checked here, within a second each."""


def test_every_pattern_has_a_line() -> None:
    assert set(LINES) <= set(PATTERNS)
    assert {"identity 16", "all pairs of 6", "s04_L2_H08_top1_n17"} <= set(LINES)


@pytest.mark.parametrize("name", [one.name for one in LINES.values() if one.lemmas <= MOST_LEMMAS])
def test_certificates_prove_both_bounds(name: str) -> None:
    assert binary.check(LINES[name], PATTERNS[name]) is None


def test_wrong_bounds_are_noticed() -> None:
    line = LINES["all pairs of 5"]
    pattern = PATTERNS[line.name]
    for wrong in (replace(line, upper=line.upper - 1), replace(line, lower=line.lower + 1)):
        assert "about something else" in (binary.check(wrong, pattern) or "")
    renamed = replace(line, name="all pairs of 4")
    assert binary.check(renamed, pattern) is not None


def test_certificates_are_small_and_belong_to_lines() -> None:
    files = {line.certificate(side) for line in LINES.values() for side in binary.SIDES}
    stored = set(binary.CERTIFICATES.iterdir())
    assert stored <= files
    assert sum(path.stat().st_size for path in stored) < 1_000_000


def test_the_page_shows_the_lines() -> None:
    text = binary.PAGE.read_text(encoding="utf-8")
    table = text.partition(binary.MARKER)[2].partition(END)[0]
    assert table.strip() == binary.make_table().strip()
