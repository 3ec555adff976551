"""Cut columns: columns whose removal disconnects a component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.division.parts import Parts, split_columns
from samapprox.support.arrays import Indices

MANY_ONES = 200_000  # more than the plain search should visit
_MOST_PAIRS = 1 << 24  # pairs of columns in a row that are looked at to find witnesses


@dataclass(frozen=True, slots=True)
class Exit:
    """Lines of one side of a cut column c that represent that side in the parts of the others.

    Attributes
    ----------
    part : int
        The part of c on this side.
    column : int
        b.
    both, cut, other : int
        Rows that hold c and b, c without b, b without c; the second one holds c alone if some row
        of the whole pattern does.
    """

    part: int
    column: int
    both: int
    cut: int
    other: int


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """A pattern's parts after cutting, and how they meet.

    Attributes
    ----------
    parts : Parts
        The parts, each with copies of the cut columns that it holds.
    exits : dict of int to list of Exit
        For each cut column one exit a side.
    """

    parts: Parts
    exits: dict[int, list[Exit]]


@dataclass(frozen=True, slots=True, eq=False)
class _Branches:
    """The ones of columns by what stays connected without the column.

    Attributes
    ----------
    columns : ndarray of int64, shape (branches,)
        Ascending.
    sizes : ndarray of int64, shape (branches,)
        Columns of each branch without its own.
    of_one : ndarray of int64, shape (ones,)
        The branch of each 1.
    """

    columns: Indices
    sizes: Indices
    of_one: Indices


def cut_columns(parts: Parts, width: int) -> Cuts:
    r"""Cut components apart at columns whose sides all have a witness.

    Parameters
    ----------
    parts : Parts
        The components of a pattern without don't-cares, whose rows and columns are distinct.
    width : int
        Columns of the pattern.

    Notes
    -----
    A side of a cut column c is a branch, or several of them; it has a witness b if some row holds b
    and c, some row c without b, some row b without c. Branches without a witness go with one that
    has one. A cut that leaves one side of more than one column gains nothing and is left
    out. O(ones log ones), and the pairs of columns in one row of which one is a cut column.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.solvers.division.parts import find_components
    >>> rows = ["11000", "01100", "10100", "00110", "00011", "00101"]
    >>> cuts = cut_columns(find_components(Pattern.from_text("\n".join(rows))), 5)
    >>> cuts.parts.part_of_row.tolist(), cuts.exits[2][1]
    ([0, 0, 0, 1, 1, 1], Exit(part=1, column=3, both=3, cut=5, other=4))
    """
    columns = parts.columns[parts.pairs]
    branches = _find_branches(parts, columns, width)
    counts = np.bincount(branches.columns, minlength=width)
    is_cut = np.bincount(branches.columns[branches.sizes > 1], minlength=width) > 1
    witnesses = _find_witnesses(parts.rows, columns, branches, is_cut)
    side_of_branch = np.zeros(len(branches.columns), dtype=np.int64)
    kept: dict[int, list[int]] = {}
    for column in np.flatnonzero(is_cut).tolist():
        first = int(np.searchsorted(branches.columns, column))
        own = range(first, first + int(counts[column]))
        sides = sorted((b for b in own if b in witnesses), key=lambda b: -branches.sizes[b])
        if len(sides) < 2 or branches.sizes[sides[1]] < 2:
            continue
        kept[column] = sides
        side_of_branch[sides] = np.arange(len(sides))
    if not kept:
        return Cuts(parts, {})
    cut = _split(parts, columns, side_of_branch[branches.of_one])
    exits = {}
    for column, sides in kept.items():
        exits[column] = [
            Exit(int(cut.part_of_row[lines[1]]), *lines)
            for lines in (witnesses[branch] for branch in sides)
        ]
    return Cuts(cut, exits)


def _find_branches(parts: Parts, columns: Indices, width: int) -> _Branches:
    height = len(parts.part_of_row)
    column_starts, by_column = _group(columns, width)
    row_starts = np.cumsum(np.bincount(parts.rows, minlength=height))
    starts = np.concatenate(([0], row_starts, len(columns) + column_starts[1:]))
    neighbours = np.concatenate([height + columns, parts.rows[by_column]])
    search = search_branches
    if len(columns) > MANY_ONES:
        from samapprox.support.jit import compiled

        search = compiled(search_branches)
    child, order, low, weight = search(starts, neighbours, height)

    below = child >= 0
    below[below] = low[child[below]] >= order[height + columns[below]]
    keys = columns[below] * (height + 1) + child[below] + 1
    up = np.flatnonzero(np.bincount(columns[~below], minlength=width))
    distinct = np.concatenate([up * (height + 1), np.unique(keys)])
    distinct.sort()
    place = np.empty(width, dtype=np.int64)
    place[up] = np.searchsorted(distinct, up * (height + 1))
    of_one = place[columns]
    of_one[below] = np.searchsorted(distinct, keys)
    own, children = distinct // (height + 1), distinct % (height + 1) - 1
    sizes = np.where(children >= 0, weight[children], 0)
    widths = np.bincount(parts.parts, minlength=parts.count)
    part_of_column = np.zeros(width, dtype=np.int64)
    part_of_column[parts.columns] = parts.parts
    under = np.bincount(own, weights=sizes, minlength=width).astype(np.int64)
    above = widths[part_of_column[own]] - 1 - under[own]
    return _Branches(own, np.where(children >= 0, sizes, above), of_one)


def _find_witnesses(
    rows: Indices, columns: Indices, branches: _Branches, is_cut: NDArray[np.bool_]
) -> dict[int, tuple[int, int, int, int]]:
    """Find, for branches with a witness b, that b and rows with c and b, c alone, b alone."""
    width = len(is_cut)
    lengths = np.bincount(rows)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    cuts = np.flatnonzero(is_cut[columns])  # ones in cut columns
    if lengths[rows[cuts]].sum() > _MOST_PAIRS:
        return {}
    near = lengths[rows[cuts]]
    ones = np.repeat(cuts, near)
    offsets = np.arange(len(ones)) - np.repeat(np.cumsum(near) - near, near)
    partners = starts[rows[ones]] + offsets
    different = partners != ones
    ones, partners = ones[different], partners[different]

    keys = branches.of_one[ones] * width + columns[partners]
    pairs, first, together = np.unique(keys, return_index=True, return_counts=True)
    branch, other = pairs // width, pairs % width
    bare = np.bincount(columns[lengths[rows] == 1], minlength=width)
    of_branch = np.bincount(branches.of_one, minlength=len(branches.columns))
    degrees = np.bincount(columns, minlength=width)
    fits = degrees[other] > together
    fits &= of_branch[branch] + bare[branches.columns[branch]] > together
    chosen, places = np.unique(branch[fits], return_index=True)
    places = np.flatnonzero(fits)[places]

    if not len(chosen):
        return {}
    column_starts, by_column = _group(columns, width)
    branch_starts, by_branch = _group(branches.of_one, len(of_branch))
    bare_row = np.full(width, -1, dtype=np.int64)
    bare_row[columns[lengths[rows] == 1]] = rows[lengths[rows] == 1]
    found = {}
    for number, place in zip(chosen.tolist(), places.tolist(), strict=True):
        b, c = int(other[place]), int(branches.columns[number])
        with_b = rows[by_column[column_starts[b] : column_starts[b + 1]]]
        with_c = rows[by_branch[branch_starts[number] : branch_starts[number + 1]]]
        cut = int(bare_row[c])
        if cut < 0:
            cut = int(np.setdiff1d(with_c, with_b)[0])
        both, without = int(rows[ones[first[place]]]), int(np.setdiff1d(with_b, with_c)[0])
        found[number] = (b, both, cut, without)
    return found


def _split(parts: Parts, columns: Indices, sides: Indices) -> Parts:
    """Return the connected parts once each column has a copy for each of its sides."""
    copies = np.zeros(int(columns.max()) + 1, dtype=np.int64)
    np.maximum.at(copies, columns[sides > 0], sides[sides > 0])
    copies += 1
    first = np.cumsum(copies) - copies
    return split_columns(parts, first[columns] + sides, np.repeat(np.arange(len(copies)), copies))


def _group(keys: Indices, size: int) -> tuple[Indices, Indices]:
    """Group places of equal keys, ascending: the start of each key's group, and all places."""
    if len(keys) <= MANY_ONES:
        starts = np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=size))))
        return starts, np.argsort(keys, kind="stable")
    from scipy.sparse import csr_array

    # A sparse matrix of one row, transposed: a counting sort, in linear time.
    indptr = np.array([0, len(keys)])
    places = csr_array((np.arange(len(keys)), keys, indptr), shape=(1, size)).tocsc()
    return places.indptr.astype(np.int64), places.data


def search_branches(
    starts: Indices, neighbours: Indices, rows: int
) -> tuple[Indices, Indices, Indices, Indices]:
    """Find which ones of a column stay connected with each other without the column.

    Parameters
    ----------
    starts, neighbours : ndarray of int64
        The graph as compressed rows: first all rows of the pattern, then its columns.
    rows : int
        The number of rows of the pattern.

    Returns
    -------
    child : ndarray of int64, shape (ones,)
        For each 1 (its row's entry of the graph): the row below the column in the search tree in
        whose subtree the 1 lies; -1 where it lies on the column's own way to the root.
    order, low : ndarray of int64
        When each node was first reached, and the earliest node next to its subtree.
    weight : ndarray of int64
        Columns in each subtree.

    Notes
    -----
    Hopcroft and Tarjan (1973). The roots are rows, so that every column has a way to the root.
    """
    size = len(starts) - 1
    order = np.zeros(size, dtype=np.int64)
    low = np.zeros(size, dtype=np.int64)
    parent = np.full(size, -1, dtype=np.int64)
    active = np.full(size, -1, dtype=np.int64)
    weight = np.zeros(size, dtype=np.int64)
    weight[rows:] = 1
    place = starts[:-1].copy()
    child = np.full(starts[rows], -1, dtype=np.int64)
    count = 0
    for root in range(rows):
        if order[root] > 0:
            continue
        count += 1
        order[root] = low[root] = count
        node = root
        while node >= 0:
            if place[node] < starts[node + 1]:
                edge = place[node]
                other = neighbours[edge]
                place[node] += 1
                if order[other] == 0:
                    parent[other] = node
                    active[node] = other
                    count += 1
                    order[other] = low[other] = count
                    node = other
                    continue
                if other == parent[node]:
                    if node < rows:
                        child[edge] = node
                elif order[other] < order[node]:
                    low[node] = min(low[node], order[other])
                    if node < rows:
                        child[edge] = active[other]
                continue
            above = parent[node]
            if above >= 0:
                low[above] = min(low[above], low[node])
                weight[above] += weight[node]
            node = above
    return child, order, low, weight
