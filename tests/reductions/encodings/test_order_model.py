"""Orders that few changes are enough for: integer programs and pseudo-Boolean constraints."""

from __future__ import annotations

from itertools import islice, pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from helpers.reductions.encoded import proven, random_pattern
from helpers.reductions.integer_programs import answers_of

from samapprox import InputError, Pattern, Problem, decide
from samapprox.reductions.encodings import decode, encode, programs
from samapprox.results import Status


def fewest_changes(pattern: Pattern) -> int:
    """Over all orders of the columns, by trying them; a * goes with either neighbour."""

    def changes(row: list[int]) -> int:
        known = [value for value in row if value >= 0]
        return sum(a != b for a, b in pairwise(known))

    entries = pattern.to_array()
    return min(
        max(changes(row) for row in entries[:, list(order)].tolist())
        for order in permutations(range(entries.shape[1]))
    )


@pytest.mark.parametrize("kind", ["mps", "lp", "opb"])
def test_orders_are_found_exactly_where_there_are_any(kind: str, tmp_path: Path) -> None:
    patterns = [random_pattern(4, 5, seed, stars=0.3 * (seed % 2)) for seed in range(12)]
    questions = [Problem(pattern, 1 + seed % 3) for seed, pattern in enumerate(patterns)]
    texts = [encode(problem, kind, model="order") for problem in questions]
    solved = answers_of(texts, kind, tmp_path)
    found = set()
    for problem, text, answer in zip(questions, texts, solved, strict=True):
        verdict = decode(problem.pattern, answer, text)
        found.add(proven(verdict))
        there_is_one = fewest_changes(problem.pattern) <= problem.d
        assert proven(verdict) == ("YES" if there_is_one else "UNKNOWN")
        if problem.d == 1 and not there_is_one:
            assert "d = 1 is too small" in verdict.trail[0].outcome
            assert decide(problem.pattern, 1).status is Status.NO
    assert found == {"YES", "UNKNOWN"}


@pytest.mark.parametrize(
    "shape",
    [
        "{0} {1}",
        "{0} = {1}.0",
        "{0}    {1} \t(obj:0)",
        '<variable name="{0}" index="3" value="{1}"/>',
    ],
)
def test_solution_files_of_many_solvers(shape: str) -> None:
    pattern = Pattern.from_text("1010\n0110")
    text = encode(Problem(pattern, 2), "mps", model="order")
    places = [(0, 0), (1, 1), (2, 2), (3, 3)]
    lines = [shape.format(f"p_{j}_{t}", 1) for j, t in places] + [shape.format("h_0_0", 1)]
    with pytest.raises(InputError, match="row 0 changes 3 times"):
        decode(pattern, "\n".join(lines), text)
    good = [shape.format(f"p_{j}_{t}", 1) for t, j in enumerate([0, 2, 1, 3])]
    assert proven(decode(pattern, "\n".join(good), text)) == "YES"
    with pytest.raises(InputError, match="a place of its own"):
        decode(pattern, "\n".join(good[1:]), text)


def test_large_patterns_have_no_order_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its terms are counted, a row's times the square of the columns, before any is written."""
    problem = Problem(Pattern.from_text("110\n011"), 1)
    monkeypatch.setattr(programs, "MOST_TERMS", 18)
    assert encode(problem, "lp", model="order")
    monkeypatch.setattr(programs, "MOST_TERMS", 17)
    with pytest.raises(InputError, match="of 2 x 3 entries is too large to be written"):
        encode(problem, "lp", model="order")


def test_most_random_patterns_have_no_order_although_they_are_represented() -> None:
    """The figure in the header of the order model."""
    drawn = (random_pattern(8, 7, seed) for seed in range(99))
    yes = (pattern for pattern in drawn if decide(pattern, 2).status is Status.YES)
    patterns = list(islice(yes, 8))
    orders = np.array(list(permutations(range(7))))
    fewest = [
        (np.diff(pattern.to_array()[:, orders], axis=2) != 0).sum(axis=2).max(axis=0).min()
        for pattern in patterns
    ]
    assert sum(changes > 2 for changes in fewest) == 7
    assert "7 of 8 random ones" in encode(Problem(patterns[0], 2), "opb", model="order")
