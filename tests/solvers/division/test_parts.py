"""Patterns that are seen at a glance to be of one piece."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Pattern
from samapprox.proofs.parts.simplify import simplify
from samapprox.solvers.division import division, leaf, parts
from samapprox.solvers.division.cuts import cut_columns
from samapprox.solvers.division.parts import find_components, is_joined, is_joined_twice


@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.35, 0.5]))
def test_what_is_joined_twice_has_no_parts(seed: int, density: float) -> None:
    random = np.random.RandomState(seed)
    entries = random.rand(*random.randint(3, 13, size=2)) < density
    entries[~entries.any(axis=1), 0] = True
    merged = simplify(Pattern(entries)).pattern
    if merged is not None and is_joined_twice(merged):
        found = find_components(merged)
        assert found.count == 1
        assert not cut_columns(found, merged.shape[1]).exits


def test_a_column_that_joins_two_blocks_joins_them_once() -> None:
    block = np.random.RandomState(0).rand(20, 20) < 0.5
    entries = np.kron(np.eye(2, dtype=bool), block)
    entries[:, 7] = entries[:, 28] = True
    assert is_joined_twice(Pattern(entries))
    entries[:, 28] = False
    assert not is_joined_twice(Pattern(entries))


def test_dense_patterns_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """10^7 ones would take seconds."""
    monkeypatch.delattr(leaf, "find_components")
    entries = np.random.RandomState(0).rand(100, 300) < 0.3
    assert division.divide(Pattern(entries)).leaves[0].shape == (100, 300)


def test_what_is_nearly_of_one_piece_is_left_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long path and one row apart: the proof for the path would hold all its lines."""
    monkeypatch.setattr(leaf, "_MANY_ONES", 200)
    path = scipy.sparse.eye_array(150) + scipy.sparse.eye_array(150, k=1)
    pattern = Pattern(scipy.sparse.block_diag([path, np.ones((1, 2))]).tocsr())
    assert not division.divide(pattern).parts
    two = Pattern(scipy.sparse.block_diag([path, path]).tocsr())
    assert division.divide(two).parts


@pytest.mark.parametrize("many", [False, True])
@given(seed=st.integers(0, 10**6))
def test_components_are_those_of_the_graph(seed: int, many: bool) -> None:
    """Shuffled paths are the longest way that a label can go."""
    random = np.random.RandomState(seed)
    sizes = random.randint(1, 40, size=4)
    paths = scipy.sparse.block_diag([np.eye(n) + np.eye(n, k=1) for n in sizes]).toarray()
    order = random.permutation(len(paths))
    pattern = Pattern((paths[order] > 0)[:, random.permutation(paths.shape[1])])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_FEW_ONES", 0 if many else 10**6)
        found = parts.find_components(pattern)
    assert found.count == 4
    own = np.repeat(np.arange(4), sizes)[order]
    assert len(set(zip(own.tolist(), found.part_of_row.tolist(), strict=True))) == 4


@given(st.integers(0, 10**6), st.sampled_from([0.15, 0.3, 0.5]))
def test_what_is_joined_has_one_component(seed: int, density: float) -> None:
    random = np.random.RandomState(seed)
    entries = random.rand(*random.randint(1, 12, size=2)) < density
    entries[~entries.any(axis=1), 0] = True
    pattern = Pattern(entries)
    assert is_joined(pattern) == (find_components(pattern).count == 1)


def test_long_chains_and_sparse_ones_are_left_to_the_list_of_ones() -> None:
    chain = Pattern(np.eye(40) + np.eye(40, k=1))
    assert find_components(chain).count == 1
    assert not is_joined(chain)
    star = scipy.sparse.csr_array(np.eye(900) + np.eye(900)[0] > 0)
    assert find_components(Pattern(star)).count == 1
    assert not is_joined(Pattern(star))


def test_the_ones_of_a_large_dense_pattern_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thin rows, which two small sets of columns do not join."""
    random = np.random.RandomState(0)
    pattern = Pattern(random.rand(1100, 1100) < 0.5 * random.rand(1100, 1) + 0.005)
    monkeypatch.setattr(leaf, "is_joined_twice", lambda _: False)
    monkeypatch.setattr(leaf, "find_components", None)
    assert len(division.divide_large(pattern).leaves) == 1
