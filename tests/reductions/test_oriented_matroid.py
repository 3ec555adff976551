"""Uniform oriented matroids against enumeration, linear programming and published lists."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from helpers.paths import ROOT
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from samapprox import InputError, Status, decide, load_instance
from samapprox.reductions.families import generate
from samapprox.reductions.oriented_matroid import OrientedMatroid, colexicographic, orientations

LISTED = sorted((ROOT / "data" / "oriented-matroids").glob("*.npz"))


@st.composite
def vectors(draw: st.DrawFn, rank: int, most: int) -> list[list[int]]:
    """In general position."""
    row = st.lists(st.integers(-9, 9), min_size=rank, max_size=rank)
    rows = draw(st.lists(row, min_size=rank, max_size=most))
    assume(all(abs(np.linalg.det(basis)) > 0.5 for basis in combinations(rows, rank)))
    return rows


@given(st.integers(2, 5), st.data())
def test_orientations_are_signs_of_determinants(rank: int, data: st.DataObject) -> None:
    row = st.lists(st.integers(-3, 3), min_size=rank, max_size=rank)
    rows = np.array(data.draw(st.lists(row, min_size=rank, max_size=6)))
    expected = [
        round(np.linalg.det(rows[list(subset)])) for subset in colexicographic(len(rows), rank)
    ]
    assert orientations(rows) == np.sign(expected).tolist()
    huge = rows.astype(object) * 10**30
    assert orientations(huge) == orientations(rows)


@settings(max_examples=15)
@given(st.integers(2, 4), st.data())
def test_topes_are_the_cells(rank: int, data: st.DataObject) -> None:
    """A sign vector is one exactly if some direction has it: a linear program says so."""
    rows = np.array(data.draw(vectors(rank, 6)))
    expected = [
        signs
        for signs in product((1, -1), repeat=len(rows))
        if signs[0] == 1
        and linprog(
            np.zeros(rank),
            A_ub=-np.array(signs)[:, None] * rows,
            b_ub=-np.ones(len(rows)),
            bounds=(None, None),
        ).success
    ]
    matroid = OrientedMatroid.from_vectors(rows)
    assert [tuple(tope) for tope in matroid.topes().tolist()] == expected
    assert matroid.tope_pairs == len(expected)


@pytest.mark.parametrize(
    ("rank", "elements", "count"),
    [(2, 2, 2), (2, 3, 8), (2, 4, 48), (2, 5, 384), (3, 3, 2), (3, 4, 16), (3, 5, 384)],
)
def test_as_many_chirotopes_as_there_are(rank: int, elements: int, count: int) -> None:
    """Rank 2: oriented orders of n lines round a point; rank 3 on 5 elements is dual to it."""
    valid = 0
    for signs in product("+-", repeat=comb(elements, rank)):
        try:
            valid += OrientedMatroid(rank, elements, "".join(signs)).elements == elements
        except InputError:
            continue
    assert valid == count


@given(st.integers(2, 4), st.data())
def test_sign_is_alternating(rank: int, data: st.DataObject) -> None:
    rows = data.draw(vectors(rank, 6))
    subset = data.draw(st.permutations(range(len(rows))))[:rank]
    determinant = np.linalg.det([rows[element] for element in subset])
    assert OrientedMatroid.from_vectors(rows).sign(*subset) == np.sign(determinant)


@given(st.integers(2, 4), st.data())
def test_lexicographic_extensions_are_new_vectors(rank: int, data: st.DataObject) -> None:
    rows = data.draw(vectors(rank, 6))
    elements = data.draw(st.permutations(range(len(rows))))[:rank]
    signs = [data.draw(st.sampled_from([1, -1])) for _ in elements]
    far = 10**9  # beyond all ratios of determinants of such rows
    new = [
        sum(
            sign * rows[element][axis] * far ** (rank - at)
            for at, (element, sign) in enumerate(zip(elements, signs, strict=True))
        )
        for axis in range(rank)
    ]
    extended = OrientedMatroid.from_vectors(rows).extend(list(zip(elements, signs, strict=True)))
    assert extended == OrientedMatroid.from_vectors([*rows, new])


def chirotope(topes: NDArray[np.int64], rank: int) -> str:
    """Find the chirotope of topes: each r + 1 elements lack just the signs of their circuit.

    They tell the sign of two neighbouring bases relative to each other; all are connected.
    """
    elements = topes.shape[1]
    known = {tuple(range(rank)): 1}
    kinds = list(product((1, -1), repeat=rank + 1))
    circuits = {}
    for support in combinations(range(elements), rank + 1):
        seen = {tuple(row) for row in topes[:, support].tolist()}
        seen |= {tuple(-sign for sign in row) for row in seen}
        missing = [kind for kind in kinds if kind not in seen]
        assert len(missing) == 2
        circuits[support] = missing[0]
    while len(known) < comb(elements, rank):
        for support, circuit in circuits.items():
            bases = [support[:at] + support[at + 1 :] for at in range(rank + 1)]
            for at, basis in enumerate(bases):
                if basis in known:
                    turn = known[basis] * circuit[at] * (-1) ** at
                    for other in range(rank + 1):
                        known[bases[other]] = turn * circuit[other] * (-1) ** other
                    break
    return "".join("-+"[known[basis] > 0] for basis in colexicographic(elements, rank))


def up_to_sign(entries: NDArray[np.int64]) -> set[tuple[int, ...]]:
    return {tuple(row if row[0] else 1 - row) for row in entries}


@pytest.mark.parametrize("path", LISTED, ids=lambda path: path.stem)
def test_the_listed_topes_come_back_from_their_chirotopes(path: Path) -> None:
    listed = load_instance(path)
    entries = listed.pattern.to_array()
    rank, elements = int(path.stem[4]), entries.shape[1]
    topes = 2 * np.vstack([np.ones(elements, dtype=int), entries]) - 1
    text = chirotope(topes, rank)
    instance = generate("topes", rank=rank, elements=elements, chirotope=text)
    assert up_to_sign(instance.pattern.to_array()) == up_to_sign(entries)
    assert instance.pattern.shape == entries.shape
    answers = {(fact.d, fact.answer) for fact in listed.facts}
    for fact in instance.facts:
        assert (fact.d, "YES" if fact.answer == "NO" else "NO") not in answers


@settings(max_examples=10)
@given(st.integers(2, 4), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_random_topes_have_the_dimension_they_say(rank: int, more: int, seed: int) -> None:
    instance = generate("topes", rank=rank, elements=rank + more, seed=seed)
    for fact in instance.facts:
        assert decide(instance.pattern, fact.d).status is Status[fact.answer]


def test_reorientation_makes_all_plus_a_tope() -> None:
    """A totally cyclic one: three vectors of the plane around the origin."""
    matroid = OrientedMatroid.from_vectors([[1, 0], [-1, 2], [-1, -2]])
    assert not (matroid.topes() == 1).all(axis=1).any()
    instance = generate("topes", rank=2, elements=3, chirotope=matroid.chirotope)
    assert decide(instance.pattern, 1).status is Status.YES


@pytest.mark.parametrize(
    ("rank", "elements", "chirotope", "message"),
    [
        (1, 3, "+++", "rank must be a whole number of at least 2, not 1"),
        (3, 2, "", "at least as many elements as the rank, not 2"),
        (3, 4, "+++", "needs 4 signs, not 3"),
        (3, 4, "+++0", "signs + and - alone"),
        (3, 5, "++++++++-+", "relation on elements 0, 1, 2, 3, 4 fails"),
        (3, 500, "+", "too many orientations"),
        (20, 40, "+", "too many orientations"),
        (2, 10**9, "+", "too many orientations"),
    ],
)
def test_what_is_no_chirotope(rank: int, elements: int, chirotope: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("+", r"\+")):
        OrientedMatroid(rank, elements, chirotope)


def test_vectors_in_special_position() -> None:
    with pytest.raises(InputError, match="vectors 0, 2 are linearly dependent"):
        OrientedMatroid.from_vectors([[1, 2], [1, 1], [2, 4]])
    with pytest.raises(InputError, match="vectors must be a 2-dimensional array of integers"):
        OrientedMatroid.from_vectors([[0.5, 1]])
    with pytest.raises(InputError, match="needs 2 different elements"):
        OrientedMatroid(2, 3, "+++").extend([(0, 1), (0, -1)])
