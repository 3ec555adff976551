"""Orders along the moment curve: the check is that of the numbers they stand for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from samapprox import Certificate, InputError, Pattern, Problem
from samapprox.precision import measure_precision
from samapprox.proofs import MomentCurve, exact
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings import moment_curve
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.storage.sparse import SparseMatrix

Signs = NDArray[np.int8]
SIDES = st.sampled_from(["columns", "rows"])


def changes(signs: list[int]) -> int:
    """As the definition has it, one sign after the other; 0 is the left neighbour's sign."""
    specified = [sign for sign in signs if sign]
    return sum(a != b for a, b in pairwise(specified))


@st.composite
def patterns(draw: st.DrawFn, letters: list[int]) -> Pattern:
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 9)))
    entries = draw(hnp.arrays(np.int8, shape, elements=st.sampled_from(letters)))
    entries[(entries != 1).all(axis=1), draw(st.integers(0, shape[1] - 1))] = 1
    return Pattern.from_array(entries == 1, entries != -1)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Pattern, str, NDArray[np.int64], Signs]:
    """A pattern, and any order of its elements with any signs."""
    pattern = draw(patterns(draw(st.sampled_from([[0, 1], [0, 0, 0, 1], [0, 1, -1]]))))
    side = draw(SIDES)
    size = pattern.shape[1] if side == "columns" else pattern.shape[0] + 1
    order = np.array(draw(st.permutations(range(size))))
    kinds = draw(st.sampled_from([[1], [-1], [1, -1]]))
    flips = draw(hnp.arrays(np.int8, size, elements=st.sampled_from(kinds)))
    return pattern, side, order, flips


def as_sparse(pattern: Pattern) -> Pattern:
    """The same, stored by its ones."""
    if not pattern.is_specified:
        return pattern
    rows, columns = np.nonzero(pattern.to_array())
    indptr = np.searchsorted(rows, np.arange(pattern.shape[0] + 1)).astype(np.int64)
    matrix = SparseMatrix(indptr, columns.astype(np.int32), pattern.shape[1])
    return Pattern.from_storage(matrix)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_changes_are_counted_as_defined(
    case: tuple[Pattern, str, NDArray[np.int64], Signs],
) -> None:
    pattern, side, order, flips = case
    wanted = (sign_matrix(pattern.to_array(), side) * flips)[:, order].tolist()
    for stored in (pattern, as_sparse(pattern)):
        covectors = Covectors(stored, side)
        assert (covectors.count, covectors.size) == np.shape(wanted)
        found = covectors.count_changes(order, flips)
        assert found.tolist() == [changes(line) for line in wanted]
        agree = np.array(wanted)[:, 1:] * np.array(wanted)[:, :-1] * flips[order][1:]
        agree = (agree * flips[order][:-1]).sum(axis=0)
        assert covectors.agreements(order).tolist() == agree.tolist()
        np.testing.assert_array_equal(covectors.signs(), sign_matrix(pattern.to_array(), side))


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(1, 6))
def test_the_check_agrees_with_the_numbers(
    case: tuple[Pattern, str, NDArray[np.int64], Signs], d: int
) -> None:
    pattern, side, order, flips = case
    lines = (sign_matrix(pattern.to_array(), side) * flips)[:, order].tolist()
    least = max(1, *map(changes, lines))
    proof = MomentCurve(d, side, order, np.flatnonzero(flips < 0))
    for stored in (pattern, as_sparse(pattern)):
        fault = check(Problem(stored, d), proof)
        assert (fault is None) is (least <= d)
        if fault is None:
            embedding = proof.embedding(stored)
            assert embedding.dimension == least
            assert check(Problem(pattern, d), embedding) is None
            assert check(Problem(pattern, d + 1), proof) is None
            if d > 1:
                assert "more than d" in check(Problem(pattern, d - 1), proof)
        else:
            assert f"changes its sign {max(map(changes, lines))} times" in fault
            with pytest.raises(InputError, match="more than d"):
                proof.embedding(stored)


@settings(max_examples=150, deadline=None)
@given(patterns([0, 1, 1]), st.data())
def test_proofs_lift(pattern: Pattern, data: st.DataObject) -> None:
    m, n = pattern.shape
    rows = data.draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=10))
    columns = data.draw(st.lists(st.integers(0, n - 1), max_size=5))
    entries = pattern.submatrix(rows, [*range(n), *columns])
    turned = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    turned &= ~(entries == 1).all(axis=1)
    entries = np.where(turned[:, None], 1 - entries, entries)
    whole = Pattern.from_array(np.vstack([entries, np.ones((1, entries.shape[1]), dtype=np.int8)]))
    simplified = simplify(whole)
    if simplified.pattern is None:
        return
    side = data.draw(SIDES)
    size = simplified.pattern.shape[1] if side == "columns" else simplified.pattern.shape[0] + 1
    order = np.array(data.draw(st.permutations(range(size))))
    flips = data.draw(hnp.arrays(np.int8, size, elements=st.sampled_from([1, -1])))
    d = max(1, int(Covectors(simplified.pattern, side).count_changes(order, flips).max()))
    proof = MomentCurve(d, side, order, np.flatnonzero(flips < 0))
    lifted = proof.lift(simplified)
    assert check(Problem(simplified.pattern, d), proof) is None
    assert check(Problem(whole, d), lifted) is None
    assert check(Problem(whole, d), lifted.embedding(whole)) is None


def test_a_circle_may_be_read_from_anywhere() -> None:
    """Moving the last element to the front multiplies its sign by (-1)^d; no reading changes it."""
    pattern = Pattern.from_text("01101\n11010\n00111")
    for side, d in product(("columns", "rows"), (2, 3)):
        size = 5 if side == "columns" else 4
        for order in permutations(range(size)):
            proof = MomentCurve(d, side, order)
            after = [order[-1]] if d % 2 else []
            moved = MomentCurve(d, side, [order[-1], *order[:-1]], after)
            problem = Problem(pattern, d)
            assert (check(problem, proof) is None) is (check(problem, moved) is None)


PATTERN = Pattern.from_text("1100\n0110\n0011\n1001", row_names=list("abcd"))
PROOF = MomentCurve(2, "columns", [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("proof", "fault"),
    [
        (MomentCurve(2, "columns", [0, 1, 2]), "its order is not one of the 4 keys"),
        (MomentCurve(2, "columns", [0, 1, 2, 4]), "its order is not one of the 4 keys"),
        (MomentCurve(2, "columns", range(5)), "its order is not one of the 4 keys"),
        (MomentCurve(2, "rows", range(4)), "its order is not one of row 0 and the 4 queries"),
        (MomentCurve(2, "columns", [], []), "its order is not one of the 4 keys"),
        (MomentCurve(2, "columns", range(4), [4]), "it flips an element that is not one of"),
        (MomentCurve(2, "columns", [0, 2, 1, 3]), "row 0 ('a') changes its sign 3 times"),
        (MomentCurve(1, "columns", range(4)), "row 1 ('b') changes its sign 2 times"),
        (MomentCurve(1, "columns", range(4), [0, 2]), "the row of + changes its sign 3 times"),
        (MomentCurve(3, "columns", range(4)), "it has dimension 3, more than d = 2"),
        (MomentCurve(2, "rows", range(5), [0, 3]), "column 0 changes its sign 3 times"),
    ],
)
def test_forged_proofs_are_refused(proof: MomentCurve, fault: str) -> None:
    assert fault in str(check(Problem(PATTERN, 2), proof))


def test_proofs_that_cannot_be() -> None:
    for wrong in ([0, 0], [-1, 0], [0.5], [True], [2**70], [[0]], "01"):
        with pytest.raises(InputError, match="order must"):
            MomentCurve(1, "columns", wrong)
    with pytest.raises(InputError, match="flipped must be distinct"):
        MomentCurve(1, "columns", [0], [0, 0])
    with pytest.raises(InputError, match="elements must be"):
        MomentCurve(1, "keys", [0])
    with pytest.raises(InputError, match="not one of the 4 keys"):
        MomentCurve(1, "columns", [0]).embedding(PATTERN)


def test_coupled_problems_need_numbers() -> None:
    assert "share X" in check(Problem(PATTERN, 2, 3), PROOF)
    assert check(Problem(PATTERN, 2, 4), PROOF) is None


def test_certificates_keep_the_order() -> None:
    certificate = Certificate.of(Problem(PATTERN, 2), PROOF)
    document = json.loads(certificate.to_bytes())
    assert document["proof"] == {
        "kind": "moment-curve",
        "d": 2,
        "elements": "columns",
        "order": [0, 1, 2, 3],
        "flipped": [],
    }
    assert Certificate.from_json(document).verify(PATTERN)
    document["proof"]["order"] = [0, 2, 1, 3]
    assert "changes its sign 3 times" in Certificate.from_json(document).verify(PATTERN).reason


def test_words() -> None:
    words = MomentCurve(3, "rows", [0, 2, 1, 4, 3], [2]).explain(Problem(PATTERN, 3))
    assert words == [
        "The queries lie on the moment curve (t, t^2, t^3) in this order, along which no column "
        "changes value more than 3 times (+ is an extra query that is positive on all keys; a "
        "minus marks the opposite sign):",
        "  + < -1 'b' < 0 'a' < 3 'd' < 2 'c'",
    ]


def explained_order(order: Iterable[int], flipped: Iterable[int] = ()) -> str:
    order = list(order)
    pattern = Pattern.from_array(np.eye(len(order)))
    return MomentCurve(2, "columns", order, list(flipped)).explain(Problem(pattern, 2))[1].strip()


def test_words_of_long_orders() -> None:
    assert explained_order(range(4)) == "0 < 1 < 2 < 3"
    assert explained_order(range(50)) == "0 < 1 < .. < 49"
    assert explained_order([9, *range(9)], [3]) == "9 < 0 < 1 < 2 < -3 < 4 < 5 < .. < 8"
    descending = explained_order(range(49, -1, -1))
    assert descending.startswith("49 < 48 < 47 < ")
    assert descending.endswith(" < 10 < .. and 10 more")


def test_numbers_that_are_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    side = 50_000
    rows = np.arange(side)
    indices = np.sort(np.stack([rows, (rows * 7 + 3) % side], axis=1), axis=1)
    indices[indices[:, 0] == indices[:, 1], 1] += 1
    pattern = Pattern.from_csr(np.arange(side + 1) * 2, indices.ravel(), None, (side, side))
    proof = MomentCurve(4, "columns", np.arange(side))
    assert check(Problem(pattern, 4), proof) is None
    embedding = proof.embedding(pattern)
    assert embedding.dimension == 4
    sample = np.arange(0, side, 5_000)
    logits = embedding.queries[sample].astype(object) @ embedding.keys.T.astype(object)
    found = logits > embedding.thresholds[sample, None]
    np.testing.assert_array_equal(found, pattern.submatrix(sample.tolist(), range(side)) == 1)
    monkeypatch.setattr(exact, "MOST_NUMBERS", 500_004)
    exact.require_writable(500_004)
    with pytest.raises(InputError, match="has 500005 numbers, more than 500004"):
        proof.embedding(pattern)
    monkeypatch.setattr(exact, "MOST_BITS", 1 << 18)
    monkeypatch.setattr(exact, "MOST_NUMBERS", 1 << 40)
    with pytest.raises(InputError, match="bits, more than 262144"):
        proof.embedding(pattern)


def test_precision_is_measured_where_numbers_are_stated_or_asked_for() -> None:
    assert measure_precision(PATTERN, PROOF) is None
    embedding = PROOF.embedding(PATTERN)
    asked = measure_precision(PATTERN, PROOF, {"float16": []})
    assert asked is not None
    assert asked["least"] == measure_precision(PATTERN, embedding)["least"]


def test_keys_of_both_signs_are_rounded_only_if_they_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signed = MomentCurve(3, "columns", range(4), [3])
    assert check(Problem(PATTERN, 3), signed.embedding(PATTERN)) is None
    monkeypatch.setattr(moment_curve, "_MOST_ROUNDED", 15)
    with pytest.raises(InputError, match="keys of both signs have to be rounded"):
        signed.embedding(PATTERN)
