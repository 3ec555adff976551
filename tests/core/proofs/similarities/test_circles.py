"""Orders on circles and lines, walks of pairs, and inscribed polytopes: their checks alone."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Problem, decide
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import Inscription, KeyOrder, OddCycle, check
from samapprox.storage.sparse import SparseMatrix

CURVES = [("circle", "cosine", 2), ("line", "l2", 1)]


def arcs(count: int, curve: str) -> list[set[int]]:
    """List the sets of consecutive points: all arcs of a circle, or all intervals of a line."""
    starts = [(start, length) for start in range(count) for length in range(count + 1)]
    if curve == "line":
        starts = [(start, length) for start, length in starts if start + length <= count]
    return [{(start + i) % count for i in range(length)} for start, length in starts]


def fits(entries: list[list[int]], points: list[int], curve: str) -> bool:
    """Whether, for each row, some arc of the points contains all ones and no zeros."""
    candidates = arcs(1 + max(points), curve)
    return all(
        any(
            all(
                (point in arc) == entry
                for entry, point in zip(row, points, strict=True)
                if entry >= 0
            )
            for arc in candidates
        )
        for row in entries
    )


@st.composite
def entries(draw: st.DrawFn, stars: bool = True) -> list[list[int]]:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    values = st.sampled_from([0, 1, UNSPECIFIED] if stars else [0, 1])
    line = st.lists(values, min_size=columns, max_size=columns).filter(lambda row: 1 in row)
    return draw(st.lists(line, min_size=rows, max_size=rows))


def pattern_of(entries: list[list[int]]) -> Pattern:
    array = np.array(entries)
    return Pattern.from_array(array == 1, array >= 0)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(CURVES))
def test_an_order_holds_if_each_row_is_an_arc(data: st.DataObject, case: Any) -> None:
    curve, similarity, d = case
    rows = data.draw(entries())
    places = data.draw(st.lists(st.integers(0, 5), min_size=len(rows[0]), max_size=len(rows[0])))
    points = [sorted(set(places)).index(place) for place in places]
    fault = check(Problem(pattern_of(rows), d, similarity=similarity), KeyOrder(curve, places))
    assert (fault is None) == fits(rows, points, curve), fault


@settings(max_examples=80, deadline=None)
@given(st.data(), st.sampled_from(CURVES))
def test_sparse_patterns_give_the_same_answers(data: st.DataObject, case: Any) -> None:
    curve, similarity, d = case
    rows = data.draw(entries(stars=False))
    places = data.draw(st.lists(st.integers(0, 4), min_size=len(rows[0]), max_size=len(rows[0])))
    faults = [
        check(Problem(pattern, d, similarity=similarity), KeyOrder(curve, places))
        for pattern in (pattern_of(rows), sparse_pattern(rows))
    ]
    assert faults[0] == faults[1]


def sparse_pattern(rows: list[list[int]]) -> Pattern:
    sets = [np.flatnonzero(row) for row in rows]
    starts = np.concatenate(([0], np.cumsum([len(part) for part in sets])))
    return Pattern.from_storage(SparseMatrix(starts, np.concatenate(sets), len(rows[0])))


@pytest.mark.parametrize(("curve", "similarity", "d"), CURVES)
def test_runs_do_not_continue_in_the_next_row(curve: str, similarity: Any, d: int) -> None:
    """Row 0 ends at the last point, and row 1 begins at the first."""
    pattern = sparse_pattern([[0, 0, 0, 0, 1], [1, 0, 1, 0, 0]])
    fault = check(Problem(pattern, d, similarity=similarity), KeyOrder(curve, range(5)))
    assert "row 1 has 2 runs of ones" in str(fault)


@pytest.mark.parametrize(("curve", "similarity", "d"), CURVES)
def test_orders_say_where_they_fail(curve: str, similarity: Any, d: int) -> None:
    pattern = Pattern.from_text("1010\n1100")
    problem = Problem(pattern, d, similarity=similarity)
    assert "row 0 has 2 runs of ones" in str(check(problem, KeyOrder(curve, range(4))))
    assert "both a one and a zero" in str(check(problem, KeyOrder(curve, [0, 0, 1, 2])))
    assert check(problem, KeyOrder(curve, range(3))) == "it has 3 places for 4 columns"


@pytest.mark.parametrize("places", [[0, 1, 2, 3], [0, 1], [0], []])
def test_orders_have_a_place_for_each_column(places: list[int]) -> None:
    problem = Problem(Pattern.from_text("011\n101"), 2, similarity="cosine")
    fault = check(problem, KeyOrder("circle", places))
    assert fault == f"it has {len(places)} places for 3 columns"


def test_two_points_are_a_sphere_in_one_dimension() -> None:
    pattern = Pattern.from_text("1100\n0011\n1111")
    two, three = KeyOrder("circle", [3, 3, 8, 8]), KeyOrder("circle", [0, 0, 1, 2])
    for similarity in ("cosine", "l2"):
        problem = Problem(pattern, 1, similarity=similarity)  # type: ignore[arg-type]
        assert check(problem, two) is None
        assert "dimension 2, more than d = 1" in str(check(problem, three))
    assert "line" in str(
        check(Problem(pattern, 1, similarity="cosine"), KeyOrder("line", range(4)))
    )


@pytest.mark.parametrize("places", [[0, -1], [0, 2**62], [0, 2**70]])
def test_places_are_numbers_below_2_to_the_62(places: list[int]) -> None:
    with pytest.raises(InputError, match="places must be numbers"):
        KeyOrder("circle", places)
    assert KeyOrder("circle", [0, 2**62 - 1]).dimension == 1


def test_orders_and_walks_do_not_answer_for_dot_products() -> None:
    for proof in (KeyOrder("circle", [0, 1, 2]), OddCycle("line", range(3), range(3), TRIANGLE)):
        for d in (1, 2):
            fault = check(Problem(Pattern.from_text("011\n101\n110"), d), proof)
            assert "not dot" in str(fault)


@pytest.mark.parametrize(("curve", "similarity", "d"), CURVES)
def test_orders_can_be_written_out(curve: str, similarity: Any, d: int) -> None:
    pattern = Pattern.from_text("11000\n01100\n00111" + "\n10001" * (curve == "circle"))
    proof = KeyOrder(curve, [0, 1, 2, 3, 4])
    assert check(Problem(pattern, d, similarity=similarity), proof) is None
    embedding = proof.embedding(pattern)
    assert embedding.dimension <= 2
    assert check(Problem(pattern, 2), embedding) is None


def walks(rows: list[list[int]], curve: str, random: np.random.RandomState) -> Any:
    """Walk at random from a pair of columns until its reverse; some of the steps are wrong."""
    count = len(rows[0])
    first = int(curve == "circle")
    columns = random.permutation(count)
    pair = tuple(random.choice(np.arange(first, count), size=2, replace=False))
    steps, start = [], pair
    for _ in range(40):
        row = random.randint(len(rows))
        outside = rows[row][columns[0]] if first else 0
        choices = [
            other
            for other in permutations(range(first, count), 2)
            if (other[0] == pair[0]) != (other[1] == pair[1])
            and _is_related([rows[row][column] for column in columns], outside, pair, other)
        ]
        if not choices:
            continue
        steps.append([*pair, row])
        pair = choices[random.randint(len(choices))]
        if pair == start[::-1]:
            break
    return columns.tolist(), [[int(number) for number in step] for step in steps]


def _is_related(row: list[int], outside: int, pair: Any, other: Any) -> bool:
    stays, (old,), (new,) = (
        (set(pair) & set(other)),
        set(pair) - set(other),
        set(other) - set(pair),
    )
    return row[stays.pop()] == outside and row[old] == row[new] == 1 - outside


@pytest.mark.parametrize(("curve", "similarity", "d"), CURVES)
def test_walks_refute_only_what_no_order_represents(curve: str, similarity: Any, d: int) -> None:
    random = np.random.RandomState(5)
    valid = 0
    for _ in range(300):
        array = random.randint(0, 2, size=(random.randint(4, 7), random.randint(3, 6)))
        array[~array.any(axis=1), 0] = 1
        rows = array.tolist()
        columns, steps = walks(rows, curve, random)
        if not steps:
            continue
        proof = OddCycle(curve, range(len(rows)), columns, steps)
        if check(Problem(Pattern(rows), d, similarity=similarity), proof) is None:
            valid += 1
            count = len(rows[0])
            assert not any(fits(rows, list(order), curve) for order in permutations(range(count)))
            stars = np.array(rows)
            for place in set(np.ndindex(array.shape)) - set(proof.entries_read()):
                stars[place] = UNSPECIFIED
            if (stars == 1).any(axis=1).all():
                starred = pattern_of(stars.tolist())
                assert check(Problem(starred, d, similarity=similarity), proof) is None
            for place in proof.entries_read()[:: 1 + valid // 8]:
                for value, words in ((UNSPECIFIED, "reads a don't-care"), (None, "not justify")):
                    other = np.array(rows)
                    other[place] = 1 - other[place] if value is None else value
                    if (other == 1).any(axis=1).all():
                        problem = Problem(pattern_of(other.tolist()), d, similarity=similarity)
                        assert words in str(check(problem, proof))
    assert valid > 20


TRIANGLE = [[0, 1, 1], [2, 1, 2], [2, 0, 0]]


@pytest.mark.parametrize(
    ("walk", "words"),
    [
        (TRIANGLE[:2], "step 1 does not"),
        (TRIANGLE[:1], "step 0 does not keep exactly one"),
        ([[0, 1, 0], *TRIANGLE[1:]], "row 0 does not justify step 0"),
        ([[0, 1, 3], *TRIANGLE[1:]], "names a row of the core outside 0..2"),
        ([[0, 3, 1], *TRIANGLE[1:]], "names a column of the core outside 0..2"),
        ([[0, -1, 1], *TRIANGLE[1:]], "names a column of the core outside 0..2"),
        ([[1, 1, 1], *TRIANGLE[1:]], "the same column twice"),
        ([[0, 1, 2**80], *TRIANGLE[1:]], "names a row"),
        ([[0, 1], [1, 0]], "two columns and a row, not 2 numbers"),
        ([[], []], "two columns and a row, not 0 numbers"),
        (np.zeros((0, 3), dtype=int), "two columns and a row"),
        ([[3, 0, 1], *TRIANGLE[1:]], "names a column of the core outside 0..2"),
        ([[-1, 0, 1], *TRIANGLE[1:]], "names a column of the core outside 0..2"),
        ([[0, 1, -1], *TRIANGLE[1:]], "names a row of the core outside 0..2"),
        ([TRIANGLE[0], [2, 1, 2], *TRIANGLE[1:]], "step 1 does not keep exactly one"),
    ],
)
def test_walks_say_where_they_fail(walk: Any, words: str) -> None:
    problem = Problem(Pattern.from_text("011\n101\n110"), 1, similarity="l2")
    assert check(problem, OddCycle("line", range(3), range(3), TRIANGLE)) is None
    fault = check(problem, OddCycle("line", range(3), range(3), walk))
    assert words in str(fault)


def test_walks_read_no_dont_cares_and_answer_their_own_question() -> None:
    proof = OddCycle("line", range(3), range(3), TRIANGLE)
    starred = Pattern.from_text("*11\n101\n110")
    fault = check(Problem(starred, 1, similarity="l2"), proof)
    assert fault == "step 2 reads a don't-care entry"
    pattern = Pattern.from_text("011\n101\n110")
    assert "an order on a line" in str(check(Problem(pattern, 1, similarity="cosine"), proof))
    assert "not d = 2" in str(check(Problem(pattern, 2, similarity="l2"), proof))
    for walk in (TRIANGLE, [[1, 0, 1], [1, 2, 2]]):
        circle = OddCycle("circle", range(3), range(3), walk)
        assert "column of the core outside 1..2" in str(
            check(Problem(pattern, 2, similarity="cosine"), circle)
        )


def test_long_walks_are_refused() -> None:
    pattern = Pattern.from_text("011\n101\n110")
    walk = np.tile(TRIANGLE, (1 + (1 << 20) // 3, 1))
    proof = OddCycle("line", range(3), range(3), walk)
    assert "too large to check" in str(check(Problem(pattern, 1, similarity="l2"), proof))


TRIAKIS = re.findall(r"\d\d", "01 02 03 04 05 06 12 13 14 15 17 23 24 26 27 35 36 37")
SIGNS = [-1] * 4 + [1] * 4


def edge_rows(edges: list[str], columns: int) -> list[list[int]]:
    return [[int(str(column) in edge) for column in range(columns)] for edge in edges]


@pytest.mark.parametrize(("similarity", "d"), [("cosine", 3), ("l2", 2)])
def test_the_triakis_tetrahedron_is_refuted(similarity: Any, d: int) -> None:
    """Also with a row complemented, but not in another dimension, nor without an edge."""
    rows = edge_rows(TRIAKIS, 8)
    rows[4] = [1 - entry for entry in rows[4]]
    problem = Problem(Pattern(rows), d, similarity=similarity)
    proof = Inscription(d, range(18), range(8), SIGNS)
    assert check(problem, proof) is None
    assert any("column 7: 1" in line for line in proof.explain(problem))
    higher = Inscription(d + 1, range(18), range(8), SIGNS)
    assert f"excludes d = {d}" in str(check(problem, higher))
    fewer = Inscription(d, range(17), range(8), SIGNS)
    assert "do not contradict" in str(check(problem, fewer))


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (Inscription(3, range(18), range(8), [0] * 8), "do not contradict"),
        (Inscription(3, range(18), range(8), [1] * 8), "do not contradict"),
        (Inscription(3, range(18), range(8), [2**90 * sign for sign in SIGNS]), ""),
        (Inscription(3, range(18), range(7), SIGNS[:7]), "does not single out two columns"),
        (Inscription(3, range(18), range(8), [*SIGNS, 0]), "9 multipliers for 8 columns"),
        (Inscription(3, range(18), range(8), SIGNS[:7]), "7 multipliers for 8 columns"),
        (Inscription(3, range(3), range(8), SIGNS), "fewer than two edges"),
        (Inscription(3, [], range(8), SIGNS), "fewer than two edges"),
        (Inscription(3, [], [], []), "no column"),
        (Inscription(3, range(18), range(8), SIGNS, [[1, 1] + [0] * 7]), "fewer than two"),
        (Inscription(3, range(18), range(8), SIGNS, [[0] + [1, 0] * 4]), "is not positive"),
        (Inscription(3, range(18), range(8), SIGNS, [[1, 2] + [1, 0] * 3 + [1]]), "0 or 1"),
        (Inscription(3, range(18), range(8), SIGNS, [[1, 1, 1]]), "must be 9 numbers"),
    ],
)
def test_inscriptions_say_where_they_fail(proof: Inscription, words: str) -> None:
    problem = Problem(Pattern(edge_rows(TRIAKIS, 8)), 3, similarity="cosine")
    fault = check(problem, proof)
    assert words in str(fault) if words else fault is None


def test_polygons_and_equal_keys_are_not_refuted() -> None:
    """Six points of a circle in space; and keys that may be equal."""
    hexagon = Pattern(edge_rows(["01", "12", "23", "34", "45", "05"], 6))
    problem = Problem(hexagon, 3, similarity="cosine")
    assert "three edges" in str(check(problem, Inscription(3, range(6), range(6), [0] * 6)))
    assert decide(hexagon, 2, similarity="cosine").status.value == "YES"


def test_too_many_cuts_are_refused() -> None:
    pattern = Pattern(edge_rows(TRIAKIS, 8))
    cuts = [[1] + [1, 0] * 4] * (1 << 18)
    fault = check(
        Problem(pattern, 3, similarity="cosine"), Inscription(3, range(18), range(8), SIGNS, cuts)
    )
    assert "too large to check" in str(fault)
