"""The page of errata names a test for each of them, which exists."""

from __future__ import annotations

import re

import pytest
from helpers.paths import ROOT

PAGE = (ROOT / "docs" / "theory" / "errata.md").read_text(encoding="utf-8")
ROWS = [row for row in re.findall(r"^\| (.*) \|$", PAGE, flags=re.MULTILINE) if " | `test_" in row]
SUITE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))


def test_every_row_names_a_test() -> None:
    rows = re.findall(r"^\| (?!statement|-)(.*) \|$", PAGE, flags=re.MULTILINE)
    assert rows == ROWS
    assert len(set(rows)) == len(rows)
    assert len(rows) > 25


def test_no_statement_has_two_rows() -> None:
    statements = [row.partition(" | ")[0] for row in ROWS]
    assert len(set(statements)) == len(statements)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[:40])
def test_the_tests_exist(row: str) -> None:
    for name in re.findall(r"`(test_\w+)`", row.rpartition(" | ")[2]):
        assert len(re.findall(rf"^def {name}\(", SUITE, flags=re.MULTILINE)) == 1, name
