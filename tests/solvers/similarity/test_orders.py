"""Orders on circles and lines against enumeration, Tucker's families and planted orders."""

from __future__ import annotations

from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.durations import ended_within
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Problem, Status, decide, weak_dimension
from samapprox.proofs import KeyOrder, OddCycle, check
from samapprox.solvers.embeddings.circular_ones import circular_order
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity import circular, pq_insertion_kernel, pq_tree_kernel
from samapprox.solvers.similarity.consecutive import (
    Conflict,
    cut,
    indices_of,
    order_columns,
    sparse_rows,
)
from samapprox.support.limits import search_clock
from samapprox.support.plain import interpret

CURVES: list[tuple[str, Any, int]] = [("circle", "cosine", 2), ("line", "l2", 1)]

Rows = list[tuple[int, ...]]


def answer(pattern: Pattern, similarity: Any, d: int) -> bool:
    """Decide by the strategy alone; every proof must pass its check."""
    problem = Problem(pattern, d, similarity=similarity)
    proof = circular.find_proof(problem, Search())
    assert not isinstance(proof, str), proof
    assert check(problem, proof) is None
    assert proof.explain(problem)
    return isinstance(proof, KeyOrder)


def has_order(rows: Rows, columns: int, *, circle: bool) -> bool:
    """Whether some order makes every row an interval, or an arc, by trying all of them."""
    sets = [{column for column, entry in enumerate(row) if entry} for row in rows]
    if circle:  # the complement of an arc is one, and column 0 may come first
        everything = set(range(columns))
        sets = [everything - row if 0 in row else row for row in sets]
    for order in permutations(range(1 if circle else 0, columns)):
        place = {column: number for number, column in enumerate(order)}
        spans = [sorted(map(place.__getitem__, row)) for row in sets if row]
        if all(span[-1] - span[0] + 1 == len(span) for span in spans):
            return True
    return False


@pytest.mark.parametrize(("curve", "similarity", "d"), CURVES)
def test_all_patterns_of_four_columns(curve: str, similarity: Any, d: int) -> None:
    lines = [row for row in product((0, 1), repeat=4) if any(row)]
    found = {True: 0, False: 0}
    for count in (1, 2, 3):
        for rows in combinations(lines, count):
            wanted = has_order(list(rows), 4, circle=curve == "circle")
            assert answer(Pattern(np.array(rows)), similarity, d) == wanted, rows
            found[wanted] += 1
    assert min(found.values()) >= (8 if curve == "circle" else 30)


@pytest.mark.slow
@pytest.mark.parametrize(("curve", "similarity", "d"), CURVES)
def test_all_patterns_of_five_columns(curve: str, similarity: Any, d: int) -> None:
    lines = [row for row in product((0, 1), repeat=5) if 2 <= sum(row) <= 4]
    for count in (3, 4):
        for rows in combinations(lines, count):
            wanted = has_order(list(rows), 5, circle=curve == "circle")
            assert answer(Pattern(np.array(rows)), similarity, d) == wanted, rows


@given(st.data(), st.sampled_from(CURVES))
def test_small_patterns_against_all_orders(data: st.DataObject, case: Any) -> None:
    """Equal columns, full rows and rows with a single one included; dense and sparse storage."""
    curve, similarity, d = case
    columns = data.draw(st.integers(1, 7))
    line = st.lists(st.integers(0, 1), min_size=columns, max_size=columns).filter(any)
    rows = [tuple(row) for row in data.draw(st.lists(line, min_size=1, max_size=7))]
    wanted = has_order(rows, columns, circle=curve == "circle")
    pattern = Pattern(np.array(rows))
    assert answer(pattern, similarity, d) == wanted
    sparse = Pattern.from_sparse(scipy.sparse.csr_array(np.array(rows)))
    assert answer(sparse, similarity, d) == wanted


def plant(
    random: np.random.RandomState, rows: int, columns: int, length: int, changes: int
) -> np.ndarray:
    """Arcs of a hidden order, with some entries changed."""
    order = random.permutation(columns)
    entries = np.zeros((rows, columns), dtype=np.int8)
    for row in entries:
        start, size = random.randint(columns), random.randint(1, length + 1)
        row[order[(start + np.arange(size)) % columns]] = 1
        if random.rand() < 0.2:
            row[:] = 1 - row
    entries[random.randint(rows, size=changes), random.randint(columns, size=changes)] ^= 1
    entries[~entries.any(axis=1), 0] = 1
    return entries


@pytest.mark.slow
def test_planted_orders_against_another_tree() -> None:
    """The tree of `circular_ones`, which works on whole sets of columns, gives the same answers."""
    random = np.random.RandomState(3)
    found = {True: 0, False: 0}
    for _ in range(120):
        rows, columns = random.randint(2, 60, size=2).tolist()
        entries = plant(random, rows, columns, random.choice([4, columns]), random.randint(3))
        wanted = circular_order(entries.astype(np.bool_)) is not None
        assert answer(Pattern(entries), "cosine", 2) == wanted
        bordered = np.pad(entries, ((0, 0), (0, 1)))  # an empty column, where the circle is cut
        wanted_line = circular_order(bordered.astype(np.bool_)) is not None
        assert answer(Pattern(entries), "l2", 1) == wanted_line
        assert wanted or not wanted_line
        found[wanted] += 1
    assert min(found.values()) > 30


def test_plain_and_compiled_code_grow_the_same_tree() -> None:
    """Entry for entry, also where a row cannot be inserted."""
    random = np.random.RandomState(5)
    for _ in range(40):
        rows, columns = random.randint(2, 40, size=2).tolist()
        entries = sparse_rows(Pattern(plant(random, rows, columns, columns, random.randint(3))))
        grown = []
        for kernel in (pq_insertion_kernel, interpret(pq_insertion_kernel)):
            tree, info = pq_tree_kernel.make_tree(columns, rows)
            queue = np.empty(len(tree), dtype=np.int64)
            found = entries.indptr, indices_of(entries), 0, rows, queue
            reached = kernel.insert_rows(tree, info, *found)
            read = kernel.read_leaves(tree, info, columns) if reached == rows else ()
            grown.append([np.array(reached), tree, info, *read])
        for compiled, plain in zip(*grown, strict=True):
            np.testing.assert_array_equal(compiled, plain)


def tucker(family: str, k: int = 1) -> np.ndarray:
    """Return a matrix of Tucker's five families, the least ones without consecutive ones."""
    path = [{i, i + 1} for i in range(k + 1)]
    columns, rows = {
        "I": (k + 2, [*path, {0, k + 1}]),
        "II": (k + 3, [*path, {*range(k + 1), k + 2}, {*range(1, k + 2), k + 2}]),
        "III": (k + 3, [*path, {*range(1, k + 1), k + 2}]),
        "IV": (6, [{0, 1}, {2, 3}, {4, 5}, {1, 3, 5}]),
        "V": (5, [{0, 1}, {2, 3}, {0, 1, 2, 3}, {0, 3, 4}]),
    }[family]
    return np.array([[int(column in row) for column in range(columns)] for row in rows])


@pytest.mark.parametrize(
    ("family", "k"),
    [*((family, k) for family in ("I", "II", "III") for k in (1, 2, 3, 6)), ("IV", 1), ("V", 1)],
)
def test_tuckers_matrices_are_minimal(family: str, k: int) -> None:
    """NO for the matrix, YES without any row or column; on the circle with an empty column."""
    matrix = tucker(family, k)
    rows, columns = matrix.shape
    assert not answer(Pattern(matrix), "l2", 1)
    assert not answer(Pattern(np.pad(matrix, ((0, 0), (0, 1)))), "cosine", 2)
    for row in range(rows):
        assert answer(Pattern(np.delete(matrix, row, axis=0)), "l2", 1)
    for column in range(columns):
        rest = np.delete(matrix, column, axis=1)
        assert answer(Pattern(rest[rest.any(axis=1)]), "l2", 1)


@pytest.mark.parametrize("family", ["I", "II", "III"])
@pytest.mark.parametrize("copies", [1, 3])
def test_long_walks_stay_linear(family: str, copies: int) -> None:
    """Tucker's matrices of 400 columns, shuffled, with others beside them."""
    random = np.random.RandomState(copies)
    matrix = scipy.sparse.block_diag(
        [tucker(family, 397)] + [tucker("III", 50)[:-1]] * (copies - 1), format="csr"
    )
    rows, columns = (random.permutation(size) for size in matrix.shape)
    pattern = Pattern.from_sparse(matrix[rows][:, columns])
    problem = Problem(pattern, 1, similarity="l2")
    proof = circular.find_proof(problem, Search())
    assert isinstance(proof, OddCycle)
    assert check(problem, proof) is None
    assert len(proof.walk) <= 2 * pattern.shape[1]


def test_the_fewest_ones_are_complemented() -> None:
    rows = sparse_rows(Pattern.from_text("1110\n0111\n1111\n1101"))
    column, rest = cut(rows)
    assert column in {0, 2, 3}
    assert not rest.entries(np.arange(4), column).any()
    assert rest.row_counts.sum() <= 2 * rows.row_counts.sum()


def test_a_conflict_names_a_row_and_few_columns() -> None:
    random = np.random.RandomState(8)
    for _ in range(100):
        entries = plant(random, 30, 20, 6, 3)
        found = order_columns(sparse_rows(Pattern(entries)))
        if isinstance(found, Conflict):
            assert len(found.columns) in {3, 4, 5, 6}
            places = np.argsort(found.order)
            for row in entries[: found.row]:
                span = np.sort(places[row == 1])
                assert span[-1] - span[0] + 1 == len(span)


def test_higher_dimensions_take_a_circle_and_refute_nothing() -> None:
    cycle = Pattern.from_text("1100\n0110\n0011\n1001")
    for similarity, d in (("cosine", 3), ("l2", 2), ("l2", 5)):
        assert answer(cycle, similarity, d)
    pairs = Pattern(np.array([[i in pair for i in range(4)] for pair in combinations(range(4), 2)]))
    for similarity, d in (("cosine", 3), ("l2", 2)):
        problem = Problem(pairs, d, similarity=similarity)
        assert "proves nothing here" in str(circular.find_proof(problem, Search()))


def test_where_it_does_not_apply() -> None:
    starred = Problem(Pattern.from_text("1*0"), 2, similarity="cosine")
    assert "don't-care" in str(circular.applies(starred))
    assert "of no use" in str(circular.applies(Problem(Pattern.from_text("10"), 2)))


def test_it_stops_in_time() -> None:
    pattern = Pattern.from_sparse(scipy.sparse.eye_array(1000, format="csr"))
    search = Search(deadline=search_clock.now() - 1)
    for similarity, d in (("cosine", 2), ("l2", 1)):
        problem = Problem(pattern, d, similarity=similarity)
        assert circular.find_proof(problem, search) == "no time left"


def test_many_ones_of_dense_patterns_are_not_listed_without_time() -> None:
    """3 * 10^6 ones, which would take 0.15 s to list."""
    pattern = Pattern(np.ones((1_500, 2_000), dtype=np.int8))
    for similarity, d in (("cosine", 2), ("l2", 1)):
        problem = Problem(pattern, d, similarity=similarity)
        outcome = circular.find_proof(problem, Search.within(0.1, 0))
        assert "more than its turn lasts" in str(outcome)
        assert isinstance(circular.find_proof(problem, Search()), KeyOrder)


@pytest.mark.parametrize("changes", [0, 1])
def test_large_sparse_patterns_take_seconds(changes: int) -> None:
    """20,000 x 20,000 with 200,000 ones, through the front door."""
    random = np.random.RandomState(changes)
    size = 20_000
    order = random.permutation(size)
    starts, lengths = random.randint(size, size=size), random.randint(1, 20, size=size)
    columns = [order[(a + np.arange(b)) % size] for a, b in zip(starts, lengths, strict=True)]
    if changes:
        longest = int(lengths.argmax())
        columns[longest][9] = order[(starts[longest] + size // 2) % size]
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    matrix = scipy.sparse.csr_array(
        (np.ones(indptr[-1], dtype=np.int8), np.concatenate(columns), indptr), shape=(size, size)
    )
    pattern = Pattern.from_sparse(matrix)
    asked = partial(decide, pattern, 2, similarity="cosine")
    verdict = ended_within(10, asked)
    assert verdict.status is (Status.NO if changes else Status.YES)
    assert verdict.trail[0].strategy == "circular"
    if changes:
        assert isinstance(verdict.proof, OddCycle)
        assert len(verdict.proof.walk) < 500


def test_the_least_dimension_is_found() -> None:
    cycle = Pattern.from_text("11000\n01100\n00110\n00011\n10001")
    cosine = weak_dimension(cycle, similarity="cosine", time_limit=10)
    distance = weak_dimension(cycle, similarity="l2", time_limit=10)
    assert (cosine.lower, cosine.upper, distance.lower, distance.upper) == (2, 2, 2, 2)
    for found in (cosine, distance):
        assert found.no is not None
    assert isinstance(distance.no.proof, OddCycle)  # type: ignore[union-attr]


def test_a_neighbour_that_cannot_be_written_out_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders of 100,000 keys are no balls or caps whose numbers anyone could write."""

    def refuse(*_: object) -> None:
        raise InputError("the embedding may take 5170343802 bits")

    monkeypatch.setattr("samapprox.solvers.similarity.transfers.represent_by", refuse)
    pairs = Pattern(np.array([[i in pair for i in range(5)] for pair in combinations(range(5), 2)]))
    found = weak_dimension(pairs, similarity="cosine", time_limit=3)
    assert found.lower >= 3
