"""Descriptions count what an array of the entries counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Fact, InputError, Instance, Pattern
from samapprox import instance as description
from samapprox.instance import describe
from samapprox.pattern import UNSPECIFIED


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**31))
def test_counts_are_those_of_the_entries(rows: int, columns: int, seed: int) -> None:
    random = np.random.RandomState(seed)
    entries = random.choice([0, 1, UNSPECIFIED], size=(rows, columns))
    entries[:, 0] = 1
    pattern = Pattern(np.where(entries == 1, 1, 0), entries != UNSPECIFIED)
    found = describe(Instance(pattern))
    ones = (entries == 1).sum(axis=1)
    assert (found["rows"], found["columns"]) == (rows, columns)
    assert found["ones"] == ones.sum()
    assert found["unspecified"] == (entries == UNSPECIFIED).sum()
    assert found["ones a row"] == f"{ones.min()}..{ones.max()}"
    assert found["density"] == pytest.approx(pattern.density, abs=1e-6)
    assert found["sha256"] == pattern.sha256


def test_facts_and_origin_are_lines() -> None:
    pattern = Pattern([[1, 0], [0, 1]])
    facts = (Fact(1, None, "NO", "it has no line"),)
    found = describe(Instance(pattern, facts, {"family": "identity", "n": 2}))
    [line] = found["known"]
    assert line.startswith("NO for d = 1")
    assert line.endswith(": it has no line")
    assert found["origin"] == ["family = identity", "n = 2"]


def test_large_patterns_are_not_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = Pattern([[1, 0], [1, 0]])
    assert describe(Instance(pattern))["merged"] == "1 x 2"
    monkeypatch.setattr(description, "MOST_MERGED", 3)
    assert describe(Instance(pattern))["merged"] is None


def test_a_fact_is_a_yes_or_a_no() -> None:
    with pytest.raises(InputError, match="a fact's answer is YES or NO, not 'MAYBE'"):
        Fact(1, None, "MAYBE", "who knows")  # type: ignore[arg-type]
