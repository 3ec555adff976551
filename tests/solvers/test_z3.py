"""Z3's real algebra as another route to the truth about tiny patterns, which none contradicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
import z3
from helpers.truth.line import entries_of, token_classes

from samapprox import Pattern, Problem, decide
from samapprox.reductions.encodings import decode, encode

ANSWER = {"sat": "YES", "unsat": "NO", "unknown": "UNKNOWN"}


def z3_says(problem: Problem, resources: int) -> str:
    """YES only with a model that is a certificate; NO on Z3's word."""
    text = encode(problem, "smtlib")
    solver = z3.Solver(ctx=z3.Context())  # a context keeps the names of earlier problems
    solver.set("rlimit", resources)
    solver.from_string(text)
    answer = ANSWER[str(solver.check())]
    if answer == "YES":
        decoded = decode(problem.pattern, f"sat\n{solver.model().sexpr()}", text)
        assert decoded.status.value == "YES"
    return answer


def agreement(problems: Iterable[Problem], resources: int = 20_000_000) -> Counter[str]:
    """Z3's answers, none of which `decide` contradicts."""
    answers: Counter[str] = Counter()
    for problem in problems:
        truth = z3_says(problem, resources)
        settled = not problem.coupled or problem.d == 1  # both are complete there, on so little
        limit = 30.0 if settled else 0.5
        verdict = decide(problem.pattern, problem.d, problem.d_hid, time_limit=limit)
        pair = {truth, verdict.status.value}
        assert pair != {"YES", "NO"}, (str(problem), problem.pattern.to_text())
        if settled:
            assert len(pair) == 1, (str(problem), problem.pattern.to_text())
        answers[truth] += 1
    return answers


def random_patterns(count: int, rows: int, columns: int, stars: float = 0.0) -> list[Pattern]:
    rng = np.random.RandomState(rows * 100 + columns)
    patterns: list[Pattern] = []
    while len(patterns) < count:
        entries = rng.randint(0, 2, size=(rows, columns))
        care = rng.random_sample(entries.shape) >= stars
        if (entries & care).any(axis=1).all() and (~entries.astype(bool) & care).any():
            patterns.append(Pattern.from_array(entries, care))
    return patterns


SPLITS = [(1, *rest) for rest in product([0, 1], repeat=3) if not all(rest)]
"""All ways to split four keys in two."""


def four_keys(which: Iterable[int]) -> list[Pattern]:
    """Sets of splits of four keys: all that merging leaves of patterns with four columns."""
    return [
        Pattern.from_array([split for k, split in enumerate(SPLITS) if code >> k & 1])
        for code in which
    ]


def classes(n: int) -> list[Pattern]:
    """The n x n patterns with a 1 in every row and a 0 somewhere, but for the names of tokens."""
    patterns = [entries_of(members[0], n) for members in token_classes(n)]
    return [Pattern.from_array(entries) for entries in patterns if not entries.all()]


# ---------------------------------------------------------------- a sample


@pytest.mark.parametrize("d", [1, 2])
def test_four_keys(d: int) -> None:
    answers = agreement(Problem(pattern, d) for pattern in four_keys([*range(1, 128, 6), 127]))
    assert set(answers) == {"YES", "NO"}


@pytest.mark.parametrize("d", [1, 2])
def test_dont_cares(d: int) -> None:
    answers = agreement(Problem(p, d) for p in random_patterns(15, 6 + 3 * (d - 1), 4 + d, 0.2))
    assert set(answers) == {"YES", "NO"}


def test_one_shared_dimension() -> None:
    answers = agreement(Problem(p, 1, 1) for p in [*classes(3)[::3], *random_patterns(20, 4, 4)])
    assert set(answers) == {"YES", "NO"}


@pytest.mark.parametrize("d_hid", [2, 3])
def test_two_shared_dimensions(d_hid: int) -> None:
    problems = [Problem(pattern, 2, d_hid) for pattern in random_patterns(4, 4, 4)]
    assert agreement(problems, 1_000_000)["YES"] > 1


@pytest.mark.parametrize("d_hid", [2, 3])
def test_the_normal_form_holds_what_any_factors_show(d_hid: int) -> None:
    """Random X, W_Q and W_K: Z3 may fail to find others like them, but not refute them."""
    rng = np.random.RandomState(d_hid)
    for _ in range(8):
        X, W_Q, W_K = (rng.normal(size=shape) for shape in [(4, d_hid), (d_hid, 2), (d_hid, 2)])
        logits = X @ W_Q @ W_K.T @ X.T
        entries = logits >= np.sort(logits, axis=1)[np.arange(4), rng.randint(0, 4, size=4), None]
        assert z3_says(Problem(Pattern.from_array(entries), 2, d_hid), 1_000_000) != "NO"


# ---------------------------------------------------------------- all of it


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2])
def test_all_sets_of_splits_of_four_keys(d: int) -> None:
    answers = agreement(Problem(pattern, d) for pattern in four_keys(range(1, 128)))
    assert answers["NO"] == (1 if d == 2 else answers["NO"])  # all seven: Radon


@pytest.mark.slow
@pytest.mark.parametrize("stars", [0.0, 0.15])
def test_many_of_five_and_six_keys(stars: float) -> None:
    patterns = random_patterns(150, 9, 5, stars) + random_patterns(60, 8, 6, stars)
    assert set(agreement(Problem(pattern, 2) for pattern in patterns)) == {"YES", "NO"}


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4])
def test_all_patterns_of_one_shared_dimension(n: int) -> None:
    assert agreement(Problem(pattern, 1, 1) for pattern in classes(n))["YES"]


@pytest.mark.slow
@pytest.mark.parametrize("d_hid", [2, 3])
def test_many_of_two_shared_dimensions(d_hid: int) -> None:
    patterns = [*classes(3), *random_patterns(40, 4, 4)]
    answers = agreement([Problem(pattern, 2, d_hid) for pattern in patterns], 3_000_000)
    assert answers["YES"] > len(patterns) // 2
