"""Dense blocks of large patterns: planted cores are found, proofs hold, nothing else is refuted."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from helpers.durations import ended_within, processor_time
from helpers.strategies import valid_entries
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Pattern, Problem
from samapprox.proofs.base import Obstruction, Side
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import counting
from samapprox.solvers.refutations import dense_blocks as blocks_of
from samapprox.solvers.refutations.blocks import applies, find_proof
from samapprox.solvers.refutations.dense_blocks import Incidence, dense_blocks


def head(tokens: int, top: int) -> Pattern:
    """Causal attention of random logits with locality and a sink at the first token."""
    rng = np.random.RandomState(0)
    i, j = np.indices((tokens, tokens))
    logits = rng.normal(size=(tokens, tokens)) - 0.05 * (i - j) + 2 * (j == 0)
    logits[j > i] = -np.inf
    kept = np.argsort(-logits, axis=1)[:, :top]
    ones = np.zeros((tokens, tokens), dtype=np.bool_)
    np.put_along_axis(ones, kept, values=True, axis=1)
    return Pattern.from_array(ones & (j <= i))


def planted(side: int, at: int) -> tuple[Pattern, set[int]]:
    """An identity of that many tokens, with all pairs of six columns somewhere: d = 3 fails.

    Returned with these columns.
    """
    pairs = generate("all-subsets", n=6, k=2).pattern.to_array()
    rows, columns = np.nonzero(pairs)
    rng = np.random.RandomState(at)
    hidden = rng.permutation(side)[: pairs.shape[1]]
    ones = scipy.sparse.eye_array(side, format="lil", dtype=np.int8)
    for row, column in zip(rows, columns, strict=True):
        ones[at + row, at + row] = 0
        ones[at + row, hidden[column]] = 1
    return Pattern.from_sparse(ones.tocsr()), set(hidden.tolist())


def refuted(pattern: Pattern, d: int, seconds: float = 60.0) -> Obstruction:
    problem = Problem(pattern, d)
    found = find_proof(problem, Search.within(seconds, 0))
    assert isinstance(found, Obstruction), found
    assert check(problem, found) is None
    assert found.dimension == d
    return found


@given(valid_entries(), st.sampled_from(["rows", "columns"]), st.integers(1, 9))
def test_blocks_are_parts_of_the_pattern(
    entries: NDArray[np.uint8], side: Side, elements: int
) -> None:
    """Whatever is chosen: entries are the pattern's, no line of the other side is constant."""
    pattern = Pattern(entries)
    blocks = dense_blocks(pattern, side, elements, Search())
    for block in (next(blocks) for _ in range(6)):
        rows, columns = block.rows, block.columns
        assert (block.entries == entries[np.ix_(rows, columns)]).all()
        assert len(set(rows.tolist())) == len(rows)
        assert len(set(columns.tolist())) == len(columns)
        assert 1 <= block.elements <= elements
        others = block.entries if side == "columns" else block.entries.T
        if side == "columns":
            assert (others.min(axis=1) == 0).all()
            assert (others.max(axis=1) == 1).all()
        assert len(np.unique(others, axis=0)) == len(others)


@settings(max_examples=50, deadline=None)
@given(valid_entries())
def test_counts_of_ones_do_not_depend_on_the_storage(entries: NDArray[np.uint8]) -> None:
    sparse = Pattern.from_sparse(scipy.sparse.csr_array(entries))
    for incidence in (Incidence(Pattern(entries)), Incidence(sparse)):
        some_rows, some_columns = (np.arange(0, size, 2) for size in entries.shape)
        assert incidence.count(some_rows, "rows").tolist() == entries[::2].sum(axis=0).tolist()
        columns = entries[:, ::2].sum(axis=1)
        assert incidence.count(some_columns, "columns").tolist() == columns.tolist()
        assert incidence.degrees("columns").tolist() == entries.sum(axis=0).tolist()


def test_a_dense_block_of_a_head_is_a_run_of_tokens() -> None:
    pattern = head(600, 8)
    block = next(dense_blocks(pattern, "columns", 12, Search()))
    inner = block.columns[block.columns > 0]
    assert np.ptp(inner) < 120
    assert block.entries.mean() > 10 * pattern.count / 600**2


@pytest.mark.parametrize(("tokens", "top", "d"), [(600, 8, 2), (600, 8, 3)])
def test_heads_are_refuted(tokens: int, top: int, d: int) -> None:
    core = refuted(head(tokens, top), d)
    assert len(core.rows) < 60
    assert len(core.columns) < 60


def test_masked_heads_are_refuted_by_specified_entries() -> None:
    pattern = head(300, 16).causal()
    core = refuted(pattern, 2)
    assert core.rows


@pytest.mark.parametrize("side", [3_000, 300_000])
def test_a_planted_core_is_found_in_a_sparse_pattern(side: int) -> None:
    """Six columns of 300,000: the pattern is never written out."""
    pattern, hidden = planted(side, side // 2)
    core = refuted(pattern, 3)
    assert set(core.columns) <= hidden
    # Without one of the columns, a pair is as good as the row of the identity that has the other.
    assert set(core.rows) <= {*range(side // 2, side // 2 + 15), *hidden}


def test_what_has_an_embedding_is_not_refuted() -> None:
    for seed in range(3):
        pattern = generate("halfspaces", rows=80, columns=80, d=3, seed=seed).pattern
        with processor_time():
            found = find_proof(Problem(pattern, 3), Search.within(0.4, seed))
        assert isinstance(found, str)


def test_a_turn_ends_in_time_on_a_large_pattern() -> None:
    rng = np.random.RandomState(0)
    rows, columns = np.repeat(np.arange(100_000), 4), rng.randint(100_000, size=400_000)
    ones = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(100_000, 100_000))
    pattern = Pattern.from_sparse(ones.tocsr() > 0)
    find_proof(Problem(pattern, 4), Search.within(0.01, 0))  # the ones are sorted once
    found = ended_within(3, lambda: find_proof(Problem(pattern, 4), Search.within(0.5, 0)))
    assert isinstance(found, str)


def test_where_it_does_not_apply() -> None:
    small = generate("random", rows=6, columns=6).pattern
    large = generate("random", rows=80, columns=80).pattern
    assert applies(Problem(small, 3)) == "small patterns are refuted as a whole"
    assert applies(Problem(large, 10)) == "rank 11 leads to too many clauses"
    assert applies(Problem(large, 3, 3)) == "queries and keys share X"
    assert applies(Problem(large, 3)) is None


def test_ones_are_not_listed_if_there_is_no_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn may be longer than it is given, but not longer than all that is left."""
    pattern = Pattern.from_array(np.random.RandomState(0).rand(1001, 1001) < 0.5)
    problem = Problem(pattern, 2)
    assert not isinstance(counting.find_proof(problem, Search.within(60, 0).slice(9, 0)), str)
    monkeypatch.setattr(blocks_of, "_ONES_A_SECOND", 5_000)
    found = counting.find_proof(problem, Search.within(60, 0).slice(9, 0))
    assert found == "listing its ones would take about 1e+02 s, more than is left"
