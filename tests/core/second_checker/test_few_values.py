"""Both checkers build the same clauses about few values, and refuse the same sizes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from helpers.checkers.second_checker import evaluate

from samapprox.proofs.values.clauses import ValueClauses, most_value_clauses
from samapprox.proofs.values.cut_clauses import CutClauses, most_cut_clauses
from samapprox.similarities import VALUE_SETS, find_comparison

BUILDERS: list[tuple[Any, Any, str]] = [
    (ValueClauses, most_value_clauses, "countValueClauses"),
    (CutClauses, most_cut_clauses, "countCutClauses"),
]

FEW = 20_000  # clauses that are compared one by one

BUILD = """
function build(Clauses, count, name, d, core, columns) {
  const given = [queryValues(name, d), VALUES[name], d];
  const formula = new Clauses(...given);
  formula.build(core.map((row) => row.map((entry) => (entry < 0 ? STAR : entry))), columns);
  return [formula.variables, count(core.length, columns, ...given), formula.clauses];
}
"""


def cores(name: str) -> list[np.ndarray]:
    """An empty core, one whose columns are all interchangeable, and random ones."""
    random = np.random.RandomState(VALUE_SETS.index(name))
    shapes = random.randint(1, 5, size=(4, 2))
    drawn = [random.choice([-1, 0, 1], size=shape, p=[0.2, 0.4, 0.4]) for shape in shapes]
    return [np.zeros((0, 9), dtype=np.int8), np.eye(3, dtype=np.int8), *drawn]


@pytest.mark.parametrize("name", VALUE_SETS)
def test_clauses_are_the_same(name: str) -> None:
    similarity = find_comparison(name)
    expressions, expected = [BUILD], []
    for entries in cores(name):
        for d in (1, 2):
            for build, count, count_again in BUILDERS:
                most = count(*entries.shape, similarity, d)
                if most > FEW:
                    continue
                formula = build(entries.astype(np.int8), similarity, d)
                assert len(formula.clauses) <= most
                given = json.dumps([name, d, entries.tolist(), entries.shape[1]])[1:-1]
                expressions.append(f"build({build.__name__}, {count_again}, {given})")
                expected.append([formula.variables, most, sorted(map(sorted, formula.clauses))])
    _, *found = evaluate(expressions)
    assert len(found) > len(BUILDERS)
    for (variables, most, clauses), wanted in zip(found, expected, strict=True):
        assert [variables, most, sorted(map(sorted, clauses))] == wanted
