"""Cut columns: parts decide a pattern, and their embeddings are joined."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from helpers.solvers.divisions import confirm, random_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Pattern, Problem, Status, decide
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.solvers.division.base import Division
from samapprox.solvers.division.cuts import cut_columns, search_branches
from samapprox.solvers.division.division import divide
from samapprox.solvers.division.parts import find_components
from samapprox.support.jit import compiled

Entries = NDArray[np.int8]


def shared_columns(division: Division) -> NDArray[np.int64]:
    every = np.concatenate([part.columns.reshape(-1) for part in division.parts])
    columns, counts = np.unique(every, return_counts=True)
    return columns[counts > 1]


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_parts_decide_the_pattern(seed: int) -> None:
    pattern = random_tree(np.random.RandomState(seed))
    confirm(pattern, divide(pattern))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_many_patterns(seed: int) -> None:
    pattern = random_tree(np.random.RandomState(10**7 + seed))
    confirm(pattern, divide(pattern))


def test_cuts_happen() -> None:
    """The random patterns have cut columns, and ones where three sides meet."""
    divisions = [divide(random_tree(np.random.RandomState(seed))) for seed in range(300)]
    cut = [division for division in divisions if division.parts and len(shared_columns(division))]
    assert len(cut) > 50
    assert any(leaf.shape == (7, 4) for division in cut for leaf in division.leaves)


TRIANGLES = "1100000\n0110000\n1010000\n0011000\n0001100\n0010100"
"""Three pairs of columns 0, 1, 2 and of columns 2, 3, 4: column 2 joins them."""


@pytest.mark.parametrize("first", range(6))
def test_two_triangles_with_a_common_column(first: int) -> None:
    """The search for cut columns begins at the first row, whichever that is."""
    rows = TRIANGLES.split("\n")
    pattern = Pattern.from_text("\n".join(rows[first:] + rows[:first]))
    division = divide(pattern)
    assert shared_columns(division).tolist() == [2]
    assert sorted(part.rows.shape for part in division.parts) == [(2, 3)]
    confirm(pattern, division)


def test_sides_without_a_witness_stay_together() -> None:
    """A path of pairs: each row that holds the common column holds the only candidate, too."""
    pattern = Pattern.from_text("11000\n01100\n00110\n00011")
    assert not divide(pattern).parts


@pytest.mark.parametrize(("more", "cut"), [("", []), ("\n0010001\n0000011", [2])])
def test_a_single_column_is_not_cut_off(more: str, cut: list[int]) -> None:
    """Column 2 joins columns 0 and 1, columns 3 and 4, which have no witness, and column 5."""
    rows = "1100000\n0110000\n1010000\n0010000\n0011000\n0010100\n0011100\n0010010\n0000010"
    pattern = Pattern.from_text(rows + more)
    assert list(cut_columns(find_components(pattern), 7).exits) == cut


def test_three_sides_need_three_dimensions() -> None:
    entries = np.zeros((9, 7), dtype=np.int8)
    for side in range(3):
        for row, pair in enumerate(itertools.combinations([0, 2 * side + 1, 2 * side + 2], 2)):
            entries[3 * side + row, list(pair)] = 1
    pattern = Pattern.from_array(entries)
    division = divide(pattern)
    assert (7, 4) in {leaf.shape for leaf in division.leaves}
    assert decide(pattern, 2).status.value == "NO"
    confirm(pattern, division)


@given(st.integers(0, 10**6))
def test_branches_are_what_removing_a_column_leaves(seed: int) -> None:
    random = np.random.RandomState(seed)
    entries = random.rand(random.randint(1, 12), random.randint(1, 12)) < 0.25
    entries[~entries.any(axis=1), 0] = True
    pattern = Pattern.from_array(entries)
    height, width = pattern.shape
    parts = find_components(pattern)
    graph = nx.Graph([(r, height + c) for r, c in np.argwhere(entries).tolist()])
    expected = {
        c - height
        for c in nx.articulation_points(graph)
        if c >= height
        and sum(
            sum(node >= height for node in side) > 1
            for side in nx.connected_components(graph.subgraph(set(graph) - {c}))
            if side & set(graph[c])
        )
        > 1
    }
    cuts = cut_columns(parts, width)
    assert set(cuts.exits) <= expected
    for column, exits in cuts.exits.items():
        assert len({side.part for side in exits}) == len(exits) > 1
        for side in exits:
            b = side.column
            assert entries[
                [side.both, side.both, side.cut, side.other], [column, b, column, b]
            ].all()
            assert not entries[[side.cut, side.other], [b, column]].any()
    for row in range(height):
        own = cuts.parts.columns[cuts.parts.parts == cuts.parts.part_of_row[row]]
        assert set(np.flatnonzero(entries[row])) <= set(own.tolist())


def test_compiled_search_agrees() -> None:
    random = np.random.RandomState(0)
    entries = random.rand(40, 60) < 0.03
    rows, columns = np.nonzero(entries)
    counts = np.concatenate([entries.sum(axis=1), entries.sum(axis=0)])
    starts = np.concatenate(([0], np.cumsum(counts)))
    order = np.lexsort((rows, columns))
    neighbours = np.concatenate([40 + columns, rows[order]])
    plain = search_branches(starts, neighbours, 40)
    fast = compiled(search_branches)(starts, neighbours, 40)
    assert all(np.array_equal(*pair) for pair in zip(plain, fast, strict=True))


def chain(blocks: int) -> Pattern:
    """Blocks of 6 x 6 in a row, each with a column of the one before."""
    random = np.random.RandomState(5)
    entries = np.zeros((6 * blocks, 5 * blocks + 1), dtype=np.int8)
    for block in range(blocks):
        part = (random.rand(6, 6) < 0.5).astype(np.int8)
        part[~part.any(axis=1), 1] = 1
        entries[6 * block : 6 * block + 6, 5 * block : 5 * block + 6] = part
    return Pattern.from_array(entries)


@pytest.mark.parametrize("blocks", [4, 10])
def test_chains_of_blocks(blocks: int) -> None:
    pattern = chain(blocks)
    division = divide(pattern)
    assert len(shared_columns(division)) > 1
    proofs = [decide(leaf, 3).proof for leaf in division.leaves]
    glued = division.glue([proof for proof in proofs if isinstance(proof, Witness)])
    assert isinstance(glued, Witness)
    assert check(Problem(pattern, 3), glued) is None
    assert check(Problem(pattern, 3), glued.embedding(pattern)) is None


def test_all_rows_of_the_border_are_needed() -> None:
    """Two sides with z and a row {c, z} alone represented in the plane, but not together."""
    random = np.random.RandomState(0)
    for _ in range(500):
        sides = [(random.rand(6, 4) < 0.5).astype(np.int8) for _ in range(2)]  # c is the last
        if not all(side.any(axis=1).all() and side[:, -1].any() for side in sides):
            continue
        bordered = [np.pad(side, ((0, 1), (0, 1))) for side in sides]
        for side in bordered:
            side[-1, -2:] = 1
        one, other = sides
        whole = np.zeros((12, 7), dtype=np.int8)
        whole[:6, :4], whole[6:, 3], whole[6:, 4:] = one, other[:, 3], other[:, :3]
        answers = [decide(entries, 2).status for entries in (*bordered, whole)]
        if answers == [Status.YES, Status.YES, Status.NO]:
            return
    pytest.fail("no counterexample")
