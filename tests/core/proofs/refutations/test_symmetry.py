"""Broken symmetries are checked: every automorphism, every clause, and what follows from both."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, InputError, Pattern, Problem
from samapprox.proofs import Automorphism, Chirotope, Symmetry
from samapprox.proofs.base import Side
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.refutations import chirotope
from samapprox.proofs.refutations.orientation_clauses import most_clauses, sign_matrix
from samapprox.proofs.refutations.symmetry import find_images, holds_for_least
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import symmetric

Signs = np.ndarray
Chi = dict[tuple[int, ...], int]

PROBLEM = Problem(simplify(generate("hadamard", n=8).pattern).pattern, 3)


@cache
def refutation() -> Chirotope:
    """Found by the first test that needs it, and not by every worker that collects tests."""
    found = symmetric.find_proof(PROBLEM, Search())
    assert isinstance(found, Chirotope)
    return found


def broken() -> Symmetry:
    symmetry = refutation().symmetry
    assert symmetry is not None
    return symmetry


def forge(symmetry: Symmetry | None) -> str | None:
    return check(PROBLEM, dataclasses.replace(refutation(), symmetry=symmetry))


# ---------------------------------------------------------------- plain definitions


def sign_of(subset: tuple[int, ...]) -> int:
    """The sign of the permutation that sorts a tuple."""
    return (-1) ** sum(a > b for a, b in combinations(subset, 2))


def orientations(vectors: np.ndarray) -> Chi | None:
    """The signs of all determinants; None if some vanish."""
    rank = vectors.shape[1]
    chi = {
        subset: round(float(np.linalg.det(vectors[list(subset)])))
        for subset in colexicographic(len(vectors), rank)
    }
    return {s: 1 if x > 0 else -1 for s, x in chi.items()} if all(chi.values()) else None


def colexicographic(elements: int, rank: int) -> list[tuple[int, ...]]:
    return sorted(combinations(range(elements), rank), key=lambda subset: subset[::-1])


def literals(chi: Chi) -> list[int]:
    """The literals that hold, variable after variable."""
    return [(1 + v) * sign for v, sign in enumerate(chi.values())]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(0, 3), st.integers(0, 2**31))
def test_images_are_the_orientations_of_the_moved_vectors(rank: int, more: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    elements = rank + more
    vectors = rng.randint(-9, 10, size=(elements, rank))
    permutation, flips = rng.permutation(elements), rng.choice([-1, 1], elements).astype(np.int8)
    before, after = orientations(vectors), orientations(vectors[permutation] * flips[:, None])
    if before is None or after is None:
        return
    order = rng.permutation(literals(before))  # some of them as they are, some not
    order = (order * rng.choice([-1, 1], len(order))).tolist()
    images = find_images(order, permutation, flips, rank)
    holds_before, holds_after = set(literals(before)), set(literals(after))
    assert [i in holds_before for i in images] == [o in holds_after for o in order]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_map_is_accepted_iff_every_covector_is_an_image(data: st.DataObject) -> None:
    """Against the definition, for all signed permutations of three elements."""
    line = st.lists(st.sampled_from([1, -1, 0]), min_size=3, max_size=3)
    signs = np.array(data.draw(st.lists(line, min_size=1, max_size=4)), dtype=np.int8)
    covectors = signs.tolist()
    for permutation, flips in product(permutations(range(3)), product([1, -1], repeat=3)):
        moved = [[f * c[p] for p, f in zip(permutation, flips, strict=True)] for c in covectors]
        expected = all(c in moved or [-sign for sign in c] in moved for c in covectors)
        flipped = [element for element in range(3) if flips[element] < 0]
        each = Automorphism(permutation, flipped, [])
        assert (Symmetry([1], [each]).find_fault(signs, 2) is None) == expected


def assignments(count: int) -> Iterator[list[int]]:
    for signs in product([1, -1], repeat=count):
        yield [sign * (1 + v) for v, sign in enumerate(signs)]


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_a_clause_is_accepted_iff_no_assignment_at_most_its_image_violates_it(
    data: st.DataObject,
) -> None:
    """Against all assignments of five variables, any order of them and any signed permutation."""
    variables = range(1, 6)
    order = [v * data.draw(st.sampled_from([1, -1])) for v in data.draw(st.permutations(variables))]
    moved = data.draw(st.permutations(variables))
    turn = {
        v: m * data.draw(st.sampled_from([1, -1])) for v, m in zip(variables, moved, strict=True)
    }
    images = [turn[abs(o)] * (1 if o > 0 else -1) for o in order]
    size = data.draw(st.integers(1, 5))
    places = data.draw(st.permutations(variables))[:size]
    clause = [v * data.draw(st.sampled_from([1, -1])) for v in places]
    if data.draw(st.booleans()):  # one that is likely to hold
        at = data.draw(st.integers(0, 4))
        clause = [
            data.draw(st.sampled_from([o, -i]))
            for o, i in zip(order[:at], images[:at], strict=True)
        ]
        clause += [order[at], -images[at]]
    least = [
        true
        for true in map(set, assignments(5))
        if [o not in true for o in order] <= [i not in true for i in images]
    ]
    violated = any(not set(clause) & true for true in least)
    if holds_for_least(clause, order, images):
        assert not violated
    elif len(set(map(abs, clause))) == len(clause) == 5:
        # A clause on all variables forbids one assignment, and the walk decides it exactly.
        assert violated


# ---------------------------------------------------------------- forged ones


def test_the_refutation_holds_and_needs_its_symmetry() -> None:
    assert check(PROBLEM, refutation()) is None
    assert forge(None) is not None
    assert forge(Symmetry([1], [])) is not None


def test_every_automorphism_with_another_place_or_sign_is_refused() -> None:
    rng = np.random.RandomState(0)
    for number in rng.permutation(len(broken().automorphisms))[:8].tolist():
        each = broken().automorphisms[number]
        one, two = rng.permutation(8)[:2].tolist()
        swapped = list(each.permutation)
        swapped[one], swapped[two] = swapped[two], swapped[one]
        flipped = sorted({*each.flipped} ^ {one})
        for forged in (
            dataclasses.replace(each, permutation=swapped),
            dataclasses.replace(each, flipped=flipped),
            dataclasses.replace(each, permutation=(*each.permutation, 8)),
            Automorphism(range(7), [], each.clauses),
            Automorphism([0], [], each.clauses),
        ):
            others = [*broken().automorphisms[:number], forged]
            fault = forge(Symmetry(broken().order, others))
            assert fault is not None
            assert fault.startswith(f"automorphism {number}: it ")


def test_a_clause_that_lacks_a_literal_or_has_its_opposite_is_refused() -> None:
    """But for the few that hold as well, which the test of all assignments above covers."""
    refused = accepted = 0
    for each in broken().automorphisms:
        for clause in each.clauses:
            for at, literal in enumerate(clause):
                rest = [*clause[:at], *clause[at + 1 :]]
                for forged in (rest, [*rest, -literal]):
                    other = dataclasses.replace(each, clauses=[forged])
                    fault = Symmetry(broken().order, [other]).find_fault(*core())
                    accepted += fault is None
                    refused += fault is not None and "its clause 0 does not hold" in fault
    assert refused > 500
    assert accepted < 0.1 * refused


@pytest.mark.parametrize(
    ("order", "fault"),
    [
        ([], "must begin with orientation 1"),
        ([-1, 2], "must begin with orientation 1"),
        ([2, 1], "must begin with orientation 1"),
        ([1, 71], "beyond the 70 that exist"),
        ([1, -71], "beyond the 70 that exist"),
        (lambda order: list(order[:2]), "does not hold for the least"),
        (lambda order: [1, *reversed(order[1:])], "does not hold for the least"),
        (lambda order: [1, *(-literal for literal in order[1:])], "does not hold for the least"),
    ],
)
def test_another_order_is_refused(
    order: list[int] | Callable[[Sequence[int]], list[int]], fault: str
) -> None:
    other = order(broken().order) if callable(order) else order
    assert fault in str(forge(Symmetry(other, broken().automorphisms)))


def test_the_mirror_image_alone_justifies_the_first_orientation() -> None:
    identity = Automorphism(range(8), [], [[1]])
    assert Symmetry([1], [identity]).find_fault(*core()) is None
    for clause in ([2], [-1], []):
        other = Automorphism(range(8), [], [clause])
        assert Symmetry(range(1, 71), [other]).find_fault(*core()) is not None


def core() -> tuple[Signs, int]:
    return sign_matrix(PROBLEM.pattern.to_array(), "columns"), 4


def test_absurd_sizes_are_refused_at_once() -> None:
    signs, rank = core()
    identity = Automorphism(range(8), [], [])
    assert "too many automorphisms" in str(
        Symmetry(range(1, 71), [identity] * 230_000).find_fault(signs, rank)
    )
    long = Automorphism(range(8), [], [[1]] * 250_000)
    assert "too large" in str(Symmetry(range(1, 71), [long]).find_fault(signs, rank))
    for literal in (71, -71):
        beyond = Automorphism(range(8), [], [[1, literal]])
        assert "beyond the 70" in str(Symmetry([1], [beyond]).find_fault(signs, rank))


def test_clauses_of_symmetry_count_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    covectors, elements = core()[0].shape
    free = most_clauses(elements, covectors, 4, relations=refutation().relations is True)
    free += 16 * len(refutation().relations) if not isinstance(refutation().relations, bool) else 0
    free += len(broken().clauses)
    monkeypatch.setattr(chirotope, "MOST_CLAUSES", free)
    assert forge(broken()) is None
    monkeypatch.setattr(chirotope, "MOST_CLAUSES", free - 1)
    assert f"too large to check: {free} clauses" in str(forge(broken()))


@pytest.mark.parametrize(
    ("permutation", "flipped"), [([1, 2], []), ([0, 0], []), ([0, 1], [2]), ([0, 1], [1, 1])]
)
def test_what_is_no_signed_permutation_cannot_be_written(
    permutation: list[int], flipped: list[int]
) -> None:
    with pytest.raises(InputError):
        Automorphism(permutation, flipped, [])


def test_entries_that_are_unspecified_must_be_mapped_to_each_other() -> None:
    signs = np.array([[1, 1, 1], [1, -1, 0]], dtype=np.int8)
    assert Symmetry([1], [Automorphism([1, 0, 2], [], [])]).find_fault(signs, 2) is None
    fault = Symmetry([1], [Automorphism([0, 2, 1], [], [])]).find_fault(signs, 2)
    assert fault == "automorphism 0: it does not map the covectors to each other"


# ---------------------------------------------------------------- documents and lifting


def test_a_certificate_holds_it_and_leaves_it_out_where_there_is_none() -> None:
    pattern = PROBLEM.pattern
    certificate = Certificate.of(PROBLEM, refutation())
    again = Certificate.from_bytes(certificate.to_bytes())
    assert again.proof == refutation()
    assert again.verify(pattern)
    plain = dataclasses.replace(refutation(), symmetry=None)
    assert "symmetry" not in plain.to_json()
    assert "symmetry" not in refutation().schema()["required"]


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(["columns", "rows"]))
def test_it_is_lifted_to_patterns_with_complements_and_copies(seed: int, side: Side) -> None:
    """Where rows are the elements, complements turn orientations, signs and the order."""
    rng = np.random.RandomState(seed)
    entries = PROBLEM.pattern.to_array()
    rows = np.append(np.arange(7), rng.randint(7, size=rng.randint(3)))
    columns = np.append(np.arange(8), rng.randint(8, size=rng.randint(3)))
    whole = Pattern.from_array(entries[np.ix_(rows, columns)] ^ (rng.rand(len(rows), 1) < 0.5))
    simplified = simplify(whole)
    assert simplified.pattern is not None
    differs = (simplified.pattern.to_array() != entries).any(axis=1)
    simplified = simplified.complement(differs)
    assert simplified.pattern is not None
    assert (simplified.pattern.to_array() == entries).all()
    proof = dataclasses.replace(refutation(), elements=side)  # the matrix is symmetric
    assert check(PROBLEM, proof) is None
    lifted = proof.lift(simplified)
    assert check(Problem(whole, 3), lifted) is None
    if side == "rows" and simplified.turned.any():
        assert check(Problem(whole, 3), dataclasses.replace(lifted, symmetry=broken())) is not None
