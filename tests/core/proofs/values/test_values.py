"""Proofs about few values: the clauses against all vectors, and proofs that must be refused."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern, Problem
from samapprox.proofs import (
    DistinctLines,
    Embedding,
    FewValues,
    Radon,
    RealVectors,
    ValueEmbedding,
    check,
)
from samapprox.proofs.refutations.propagation import MOST_CLAUSES
from samapprox.proofs.values.clauses import Formula, ValueClauses, most_value_clauses, query_values
from samapprox.proofs.values.cut_clauses import CutClauses, list_cuts, most_cut_clauses
from samapprox.proofs.values.distinct_lines import most_distinct
from samapprox.similarities import VALUE_SETS, find_comparison

SMALL = ("binary", "ternary", "int2", "binary-keys", "ternary-keys", "int2-keys")


def is_represented(entries: np.ndarray, name: str, d: int) -> bool:
    """Try all keys, and for each row all queries: the definition, without any shortcut.

    Real queries are integers up to 4, more than enough for three binary coordinates.
    """
    values = find_comparison(name).values
    assert values is not None
    vectors = np.array(list(product(values, repeat=d)))
    of_queries = np.array(list(product(range(-4, 5), repeat=d))) if "keys" in name else vectors
    logits = of_queries @ vectors.T
    for keys in product(range(len(vectors)), repeat=entries.shape[1]):
        of_keys = logits[:, keys]
        if all(is_cut(row, of_keys) for row in entries):
            return True
    return False


def is_cut(row: np.ndarray, logits: np.ndarray) -> bool:
    ones, zeros = logits[:, row == 1], logits[:, row == 0]
    if not ones.size or not zeros.size:
        return True
    return bool((ones.min(axis=1) > zeros.max(axis=1)).any())


def can_be_satisfied(formula: Formula) -> bool:
    from pysat.solvers import Solver

    with Solver("cadical153", bootstrap_with=formula.clauses) as solver:
        return bool(solver.solve())


@st.composite
def cores(draw: Any) -> tuple[np.ndarray, str, int]:
    """Cores, some with equal columns, that are small enough to try all keys."""
    name = draw(st.sampled_from(SMALL))
    values = find_comparison(name).values
    assert values is not None
    d = draw(st.integers(1, 3 if len(values) == 2 else 2 if len(values) == 3 else 1))
    columns = draw(st.integers(1, 5 if len(values) ** d < 9 else 4 if len(values) ** d == 8 else 3))
    rows = draw(st.integers(1, 5))
    shown = st.sampled_from([0, 0, 0, 1, 1, 1, -1])
    entries = draw(
        st.lists(st.lists(shown, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    return np.array(entries, dtype=np.int8), name, d


@settings(max_examples=150, deadline=None)
@given(cores())
def test_the_clauses_can_be_satisfied_if_and_only_if_some_vectors_represent_the_core(
    core: tuple[np.ndarray, str, int],
) -> None:
    """With all symmetries that the core has."""
    entries, name, d = core
    similarity, expected = find_comparison(name), is_represented(entries, name, d)
    for formula in (ValueClauses(entries, similarity, d), CutClauses(entries, similarity, d)):
        assert can_be_satisfied(formula) == expected


@pytest.mark.parametrize(("n", "d"), [(3, 1), (3, 2), (4, 2)])
def test_all_columns_of_a_symmetric_core_are_interchangeable(n: int, d: int) -> None:
    entries = np.array(list(product((0, 1), repeat=n))[1:-1], dtype=np.int8)
    formula = ValueClauses(entries, find_comparison("binary"), d)
    assert sum("interchangeable" in what for _, what in formula.starts) == n - 1
    assert can_be_satisfied(formula) == is_represented(entries, "binary", d)


def tight_core(random: np.random.RandomState, values: tuple[int, ...], d: int) -> np.ndarray:
    """Many cuts of keys that permutations of coordinates map to each other, in random order."""
    drawn = random.choice(values, size=(2, d)).tolist()
    keys = np.array(sorted({order for key in drawn for order in permutations(key)})[:7])
    queries = random.choice(values, size=(30, d))
    lines = {tuple(line >= t) for line in queries @ keys.T for t in np.unique(line)[1:]}
    rows = np.array(sorted(lines), dtype=np.int8).reshape(-1, len(keys))
    return rows[random.permutation(len(rows))[:12]][:, random.permutation(len(keys))]


@pytest.mark.parametrize(("name", "d"), [(name, d) for name in SMALL for d in (2, 3)])
def test_no_symmetry_excludes_all_vectors_of_a_core_that_few_represent(name: str, d: int) -> None:
    """Cores that vectors represent by construction, with few others and many symmetries."""
    similarity = find_comparison(name)
    assert similarity.values is not None
    random = np.random.RandomState(d)
    for _ in range(4):
        entries = tight_core(random, similarity.values, d)
        counts = (
            (ValueClauses, most_value_clauses(*entries.shape, similarity, d)),
            (CutClauses, most_cut_clauses(*entries.shape, similarity, d)),
        )
        for build, most in counts:
            if most < 100_000:
                assert can_be_satisfied(build(entries, similarity, d))


LARGE = ("int3-keys", "int4", "int4-keys")
"""Values of which even small cores have many clauses."""


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        pytest.param(name, shape, marks=[pytest.mark.slow] * slow)
        for name in VALUE_SETS
        for shape, slow in [((1, 1), False), ((3, 5), True), ((6, 4), name in LARGE)]
    ],
)
def test_the_number_of_clauses_is_not_exceeded(name: str, shape: tuple[int, int]) -> None:
    entries = np.zeros(shape, dtype=np.int8)
    entries[:, 0] = 1  # all other columns are interchangeable
    for d in (1, 2):
        similarity = find_comparison(name)
        check_number(
            ValueClauses(entries, similarity, d), most_value_clauses(*shape, similarity, d)
        )
        most = most_cut_clauses(*shape, similarity, d)
        if most <= MOST_CLAUSES:
            check_number(CutClauses(entries, similarity, d), most)


def check_number(formula: Formula, most: int) -> None:
    assert len(formula.clauses) <= most
    literals = {abs(literal) for clause in formula.clauses for literal in clause}
    assert max(literals, default=0) <= formula.variables


@pytest.mark.parametrize(("name", "d"), [("binary", 3), ("ternary", 2), ("int2", 2), ("int3", 1)])
def test_all_cuts_are_listed_once(name: str, d: int) -> None:
    """By all queries and thresholds, for the direction of each cut."""
    similarity = find_comparison(name)
    assert similarity.values is not None
    keys = np.array(list(product(similarity.values, repeat=d)))
    expected = {tuple(keys @ query > t) for query in keys for t in range(-64 * d, 64 * d)}
    found = []
    for cut in list_cuts(similarity, d):
        logits = keys @ cut.direction
        assert tuple(cut.direction) in set(map(tuple, keys.tolist()))
        lowest = similarity.values[0]
        scale = np.array(cut.query)
        levels = (keys - lowest) @ scale - (similarity.values[-1] - lowest) * scale[scale < 0].sum()
        if name == "binary":
            levels //= 2
        above = levels >= cut.level if cut.is_above else levels < cut.level
        assert logits[above].min() > logits[~above].max()
        found.append(tuple(above))
    assert len(found) == len(set(found))
    assert {*found} == expected - {(True,) * len(keys), (False,) * len(keys)}


@pytest.mark.parametrize(("values", "d"), [((-1, 1), 2), ((-1, 0, 1), 1), ((-1, 1), 3)])
def test_queries_cut_no_more_sets_than_are_counted(values: tuple[int, ...], d: int) -> None:
    vectors = np.array(list(product(values, repeat=d)))
    logits = vectors @ vectors.T
    cuts = {tuple(row > t) for row in logits for t in range(-len(vectors), len(vectors))}
    assert len(cuts) <= most_distinct(values, d, "rows", 1000)
    assert len(vectors) == most_distinct(values, d, "columns", 1000)


# ---------------------------------------------------------------- refusals

SINGLES = Pattern.from_text("100\n010\n001")
BINARY = Problem(SINGLES, 1, similarity="binary")


def test_an_embedding_with_other_entries_is_refused() -> None:
    eye = np.eye(3, dtype=np.int64)
    for name, problem in (
        ("binary", Problem(SINGLES, 3, similarity="binary")),
        ("ternary", Problem(SINGLES, 3, similarity="ternary")),
    ):
        fault = check(problem, ValueEmbedding(eye, eye, [0, 0, 0]))
        assert fault == (
            "an entry is 0, which is none of the values -1, 1" if name == "binary" else None
        )
    large = ValueEmbedding(2 * eye, eye, [0, 0, 0])
    assert "an entry is 2" in str(check(Problem(SINGLES, 3, similarity="int2"), large))
    assert check(Problem(SINGLES, 3, similarity="int3"), large) is None
    huge = ValueEmbedding(2**70 * eye.astype(object), eye, [0, 0, 0])
    assert "none of the values" in str(check(Problem(SINGLES, 3, similarity="int4"), huge))


def test_other_kinds_prove_nothing_about_few_values_and_the_reverse() -> None:
    eye = np.eye(3, dtype=np.int64)
    real, few = Embedding(eye, eye, [0, 0, 0]), ValueEmbedding(eye, eye, [0, 0, 0])
    assert "not ternary" in str(check(Problem(SINGLES, 3, similarity="ternary"), real))
    assert "not dot" in str(check(Problem(SINGLES, 3), few))
    columns = DistinctLines(1, "columns", range(3), range(3))
    assert check(BINARY, columns) is None
    assert "not dot" in str(check(Problem(SINGLES, 1), columns))


@pytest.mark.parametrize(
    ("proof", "fault"),
    [
        (DistinctLines(2, "columns", range(3), range(3)), "3 columns are no more than 4"),
        (DistinctLines(1, "columns", [0], range(3)), "columns 1 and 2 may be equal"),
        (DistinctLines(1, "rows", range(3), range(3)), "3 rows are no more than 4"),
        (DistinctLines(1, "columns", range(4), range(3)), "outside the 3 x 3 pattern"),
        (RealVectors(Radon([0, 1], range(3))), "make 2 of the 3 splits"),
        (RealVectors(DistinctLines(1, "columns", range(3), range(3))), "not dot"),
        (FewValues("ternary", 1, range(3), range(3), []), "about ternary vectors, not binary"),
        (FewValues("binary", 1, range(3), range(2), []), "lead to no contradiction"),
        (FewValues("binary", 1, [], [], []), "lead to no contradiction"),
        (FewValues("binary", 1, range(3), range(3), [[10**6]]), "names a variable beyond"),
        (FewValues("binary", 10**9, range(3), range(3), []), "too large to check"),
    ],
)
def test_what_does_not_follow_is_refused(proof: Any, fault: str) -> None:
    assert fault in str(check(BINARY, proof))


def test_dont_cares_do_not_tell_lines_apart() -> None:
    pattern = Pattern.from_text("1*0\n01*\n*01")
    proof = DistinctLines(1, "columns", range(3), range(3))
    assert check(Problem(pattern, 1, similarity="binary"), proof) is None
    loose = Pattern.from_text("1**\n*1*\n*01")
    assert "may be equal" in str(check(Problem(loose, 1, similarity="binary"), proof))


def test_keys_only_leaves_queries_free() -> None:
    """The queries need not be binary, and their number proves nothing."""
    keys = [[1, 1], [1, -1], [-1, 1]]
    problem = Problem(SINGLES, 2, similarity="binary-keys")
    free = ValueEmbedding([[5, 5], [7, -7], [-7, 7]], keys, [0, 0, 0])
    assert check(problem, free) is None
    assert "none of the values" in str(check(Problem(SINGLES, 2, similarity="binary"), free))
    halves = ValueEmbedding(keys, [[2, 1], [1, -1], [-1, 1]], [0, 0, 0])
    assert "an entry is 2" in str(check(problem, halves))
    rows = DistinctLines(2, "rows", range(3), range(3))
    assert "rows prove nothing" in str(check(problem, rows))
    far = FewValues("binary-keys", 11, range(3), range(3), [])
    assert "too large to check" in str(check(problem, far))


@pytest.mark.parametrize(
    ("name", "d", "count"),
    [
        ("binary-keys", 4, 1882),
        ("ternary-keys", 2, 2 * 29),
        ("int2-keys", 2, 2 * 87),
        ("int3-keys", 2, 2 * 1283),
    ],
)
def test_as_many_cuts_as_others_have_counted(name: str, d: int, count: int) -> None:
    """Threshold functions of 4 variables (OEIS A000609), and lines through grids (A114043)."""
    assert len(list_cuts(find_comparison(name), d)) + 2 == count


@pytest.mark.parametrize("d", [1, 2, 3])
def test_small_integers_cut_off_what_real_queries_cut_off(d: int) -> None:
    """Every set of vertices of the cube that larger weights cut off, the bounded ones do, too."""
    vertices = np.array(list(product((-1, 1), repeat=d)))

    def cuts(weights: range) -> set[tuple[bool, ...]]:
        logits = np.array(list(product(weights, repeat=d))) @ vertices.T
        return {tuple(line > t) for line in logits for t in np.unique(line)}

    values = query_values(find_comparison("binary-keys"), d)
    assert cuts(range(-7, 8)) == cuts(range(values[0], values[-1] + 1))
    assert len(cuts(range(-7, 8))) == {1: 3, 2: 13, 3: 103}[d]  # all but the whole cube
