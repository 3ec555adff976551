"""Merging and dropping lose nothing, and every proof lifts back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.strategies import Entries, any_entries
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem, Status, data, decide, load
from samapprox.proofs import Radon, Shattering
from samapprox.proofs.base import Side
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, grow_core
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.refutations import forster, polynomials
from samapprox.storage.sparse import SparseMatrix


@st.composite
def repetitive_entries(draw: st.DrawFn) -> Entries:
    entries = draw(any_entries())
    m, n = entries.shape
    rows = draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=10))
    columns = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=12))
    repeated = entries[np.ix_(rows, [*range(n), *columns])]
    for row in range(len(repeated)):
        if draw(st.booleans()) and not repeated[row].all():
            repeated[row] ^= 1
    return repeated


@given(repetitive_entries())
def test_answers_agree_and_proofs_lift(entries: Entries) -> None:
    pattern = Pattern.from_array(entries)
    problem = Problem(pattern, 1)
    simplified = simplify(pattern)
    if simplified.pattern is None:
        assert entries.all()
        nothing = Embedding(np.zeros((0, 1), dtype=int), [[0]], [])
        assert check(problem, nothing.lift(simplified)) is None
        return
    verdict = decide(simplified.pattern)
    assert verdict.status is decide(pattern).status
    if isinstance(verdict.proof, Radon | Shattering):
        assert check(problem, verdict.proof.lift(simplified)) is None
    else:
        assert verdict.status is Status.YES
        assert check(problem, verdict.proof.lift(simplified)) is None


@given(repetitive_entries())
def test_nothing_is_left_to_merge(entries: Entries) -> None:
    smaller = simplify(Pattern.from_array(entries)).pattern
    if smaller is None:
        return
    core = smaller.to_array()
    assert not core.all(axis=1).any()
    assert len(np.unique(core ^ core[:, :1], axis=0)) == len(core)
    assert len(np.unique(core.T, axis=0)) == core.shape[1]
    assert (2 * core.sum(axis=1) <= core.shape[1]).all()
    assert core[2 * core.sum(axis=1) == core.shape[1], 0].all()
    again = simplify(smaller)
    assert again.pattern == smaller
    assert not again.flipped.any()


@given(repetitive_entries(), st.data())
def test_maps_say_where_everything_went(entries: Entries, data: st.DataObject) -> None:
    rng = np.random.RandomState(data.draw(st.integers(0, 2**31)))
    care = rng.randint(0, 4, size=entries.shape) > 0
    care[np.arange(len(entries)), entries.argmax(axis=1)] = True
    pattern = Pattern.from_array(entries, care)
    wanted = pattern.to_array()
    simplified = simplify(pattern)
    for row, (at, flipped) in enumerate(zip(simplified.row_of, simplified.flipped, strict=True)):
        if at < 0:
            assert not (wanted[row] == 0).any()
            continue
        shown = simplified.pattern.to_array()[at, simplified.column_of]
        specified = shown >= 0
        np.testing.assert_array_equal(specified, wanted[row] >= 0)
        np.testing.assert_array_equal((shown ^ flipped)[specified], wanted[row][specified])
    if simplified.pattern is not None:
        originals = wanted[np.ix_(simplified.rows, simplified.columns)]
        as_given = simplified.unturned()
        np.testing.assert_array_equal(as_given.pattern.to_array(), originals)
        assert not as_given.turned.any()
        shown = simplified.pattern.to_array()
        turned = np.where(simplified.turned[:, None] & (originals >= 0), 1 - originals, originals)
        np.testing.assert_array_equal(shown, turned)
        mixed = simplified.row_of >= 0
        twice = as_given.pattern.to_array()[simplified.row_of[mixed]][:, simplified.column_of]
        twice = np.where(as_given.flipped[mixed, None] & (twice >= 0), 1 - twice, twice)
        np.testing.assert_array_equal(twice, wanted[mixed])


@given(repetitive_entries(), st.data())
def test_storage_makes_no_difference(entries: Entries, data: st.DataObject) -> None:
    packed = Pattern.from_array(entries)
    indptr = np.concatenate([[0], np.cumsum(entries.sum(axis=1))]).astype(np.int64)
    stored = SparseMatrix(indptr, np.nonzero(entries)[1].astype(np.int32), entries.shape[1])
    one, other = simplify(packed), simplify(Pattern.from_storage(stored))
    assert one.pattern == other.pattern
    for name in ("rows", "columns", "row_of", "flipped", "column_of"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_what_is_sparse_stays_sparse() -> None:
    side = 200_000
    rows = np.arange(side)
    indices = np.stack([rows, (rows + 1) % side], axis=1).ravel()
    indices = np.concatenate([indices, indices[:2000], np.arange(1, side)])  # and a heavy row
    indptr = np.concatenate([np.arange(side + 1001) * 2, [len(indices)]])
    pattern = Pattern.from_csr(indptr, indices, None, (side + 1001, side))
    simplified = simplify(pattern)
    assert simplified.pattern.shape == (side + 1, side)
    assert isinstance(simplified.pattern.ones, SparseMatrix)
    assert simplified.pattern.count == 2 * side + 1
    assert simplified.row_of[-1001:-1].tolist() == list(range(1000))
    assert simplified.turned.nonzero()[0].tolist() == [side]


@pytest.mark.parametrize("elements", ["rows", "columns"])
def test_refutations_of_orientations_lift_through_complements(elements: Side) -> None:
    entries = generate("all-subsets", n=5, k=2).pattern.to_array()
    entries[::2] ^= 1
    pattern = Pattern.from_array(entries)
    simplified = simplify(pattern)
    assert 0 < simplified.turned.sum() < len(simplified.rows)
    merged = simplified.pattern.to_array()
    rows, columns = (list(range(size)) for size in merged.shape)
    core = grow_core(Core(2, merged, elements, rows, columns), Search())
    refutation = minimal(core, Search()).proof()
    lifted = refutation.lift(simplified)
    assert check(Problem(simplified.pattern, 2), refutation) is None
    assert check(Problem(pattern, 2), lifted) is None
    assert (lifted.lemmas != refutation.lemmas) is (elements == "rows")


def test_final_polynomials_lift_through_complements() -> None:
    """Keys of a uniform oriented matroid, taken as queries: element 0 as the extra one."""
    matroid = load(data.path("oriented-matroids/rank3_n9_2173.npz"))
    signs = sign_matrix(matroid.to_array(), "columns")
    queries = Pattern.from_array((signs[:, 1:] == signs[:, :1]).T)
    found = polynomials.find_proof(Problem(matroid, 2), Search())
    covectors = [0, *(row + 1 for row in found.rows)]
    assert found.polynomials
    assert found.columns == tuple(range(9))
    proof = replace(found, rows=tuple(range(8)), columns=tuple(covectors), elements="rows")
    assert check(Problem(queries, 2), proof) is None
    flipped = np.arange(8) % 3 == 0
    original = Pattern.from_array(queries.to_array() ^ flipped[:, None])
    lines = np.arange(8), np.arange(len(signs))
    simplified = Simplification(queries, *lines, lines[0], flipped, lines[1])
    assert check(Problem(original, 2), proof) is not None
    assert check(Problem(original, 2), proof.lift(simplified)) is None


@pytest.mark.parametrize("wide", [False, True])
def test_refutations_by_norms_lift_through_complements(wide: bool) -> None:
    signs = generate("hadamard", n=16).pattern.to_array()
    signs[1::2] ^= 1
    pattern = Pattern.from_array(signs[1:12] if wide else signs[1:, :12])
    simplified = simplify(pattern)
    assert 0 < simplified.turned.sum() < len(simplified.rows)
    found = forster.find_proof(Problem(simplified.pattern, 2), Search.within(20, 0))
    assert check(Problem(simplified.pattern, 2), found) is None
    assert check(Problem(pattern, 2), found.lift(simplified)) is None


def test_large_numbers_lift_exactly() -> None:
    simplified = simplify(Pattern.from_text("10\n01\n11"))
    big = 2**90
    lifted = Embedding([[big]], [[1], [0]], [big - 1]).lift(simplified)
    assert lifted.queries.ravel().tolist() == [big, -big, 0]
    assert check(Problem(Pattern.from_text("10\n01\n11"), 1), lifted) is None
