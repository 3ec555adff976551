"""Parts that are equal up to the order of their rows and columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.division.parts import Parts
from samapprox.support.arrays import Indices, flags_at, hash_numbers

Colours = NDArray[np.uint64]

_MOST_ONES = 4096  # ones of the largest part that is compared with others
_MOST_STEPS = 1 << 27  # ones looked at in refinements, all in all
_ROUNDS = 3  # rounds of refinement between two choices
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Parts that are equal once their rows and columns stand in the order given.

    Attributes
    ----------
    rows : ndarray of int64, shape (copies, r)
        The rows of each part.
    columns : ndarray of int64, shape (copies, c)
        The columns of each part.
    """

    rows: Indices
    columns: Indices


def group_equal_parts(parts: Parts, is_cut: NDArray[np.bool_], *, compare: bool) -> list[Group]:
    """Group parts that are equal up to the order of rows and columns.

    Parameters
    ----------
    parts : Parts
        All parts of a pattern.
    is_cut : ndarray of bool, shape (n,)
        The cut columns, which correspond only to cut columns.
    compare : bool
        Whether to look for equal parts at all.

    Returns
    -------
    list of Group
        Equal for certain; not all equal parts need be found.

    Notes
    -----
    Colour refinement on all parts at once: the colour of a line is a hash of the colours of its
    ones. Where lines of a part have equal colours, one of them gets a colour of its own, and so on.
    Parts whose ones agree in the order of colours are equal. O(ones log ones) for each round.

    Examples
    --------
    >>> parts = Parts.of(2, np.array([0, 1, 1, 0]), np.array([0, 1, 1, 2, 3, 3]),
    ...                  np.array([0, 2, 3, 3, 0, 1]))
    >>> for group in group_equal_parts(parts, np.zeros(4, dtype=bool), compare=True):
    ...     print(group.rows.tolist(), group.columns.tolist())
    [[0, 3], [2, 1]] [[0, 1], [3, 2]]
    """
    row_order = np.argsort(parts.part_of_row, kind="stable")
    ones = np.bincount(parts.part_of_row[parts.rows], minlength=parts.count)
    heights = np.bincount(parts.part_of_row, minlength=parts.count)
    widths = np.bincount(parts.parts, minlength=parts.count)
    row_starts, pair_starts = _starts(heights), _starts(widths)
    small = ones <= (_MOST_ONES if compare else 0)
    groups = [
        Group(
            row_order[None, row_starts[part] : row_starts[part + 1]],
            parts.columns[None, pair_starts[part] : pair_starts[part + 1]],
        )
        for part in np.flatnonzero(~small).tolist()
    ]
    if not small.any():
        return groups

    row_colours, pair_colours, names = _colour(parts, is_cut, small)
    row_order = np.lexsort((row_colours, parts.part_of_row))
    pair_order = np.lexsort((pair_colours, parts.parts))
    row_rank, pair_rank = (
        _ranks(row_order, row_starts, heights),
        _ranks(pair_order, pair_starts, widths),
    )
    part_of_one = parts.part_of_row[parts.rows]
    places = row_rank[parts.rows] * widths[part_of_one] + pair_rank[parts.pairs]
    one_order = np.lexsort((places, part_of_one))
    places, one_starts = places[one_order], _starts(ones)

    candidates = np.flatnonzero(small)
    shapes = (heights[candidates], widths[candidates], ones[candidates], names[candidates])
    by_name = np.lexsort(shapes)
    changes = np.zeros(len(candidates), dtype=np.bool_)
    for values in shapes:
        changes[1:] |= values[by_name][1:] != values[by_name][:-1]
    for alike in np.split(candidates[by_name], np.flatnonzero(changes)):
        alike.sort()
        own_pairs = pair_order[pair_starts[alike][:, None] + np.arange(widths[alike[0]])]
        entries = places[one_starts[alike][:, None] + np.arange(ones[alike[0]])]
        entries = np.hstack([entries, is_cut[parts.columns[own_pairs]]])
        for equal in _equal_rows(entries):
            copies = alike[equal]
            own_rows = row_starts[copies][:, None] + np.arange(heights[copies[0]])
            own_pairs = pair_starts[copies][:, None] + np.arange(widths[copies[0]])
            groups.append(Group(row_order[own_rows], parts.columns[pair_order[own_pairs]]))
    return groups


def _colour(
    parts: Parts, is_cut: NDArray[np.bool_], small: NDArray[np.bool_]
) -> tuple[Colours, Colours, Colours]:
    """Colour rows and pairs, and name each part such that equal ones share the name."""
    row_colours = np.zeros(len(parts.part_of_row), dtype=np.uint64)
    pair_colours = is_cut[parts.columns].astype(np.uint64)
    steps = 0
    names = np.zeros(parts.count, dtype=np.uint64)
    active, number = small, 0
    while active.any():
        chosen = active[parts.part_of_row[parts.rows]]
        rows, pairs = parts.rows[chosen], parts.pairs[chosen]
        by_pair = np.argsort(pairs, kind="stable")
        for _ in range(_ROUNDS):
            _refine(pair_colours, pairs[by_pair], row_colours[rows[by_pair]])
            _refine(row_colours, rows, pair_colours[pairs])
        if number == 0:
            np.add.at(names, parts.part_of_row, hash_numbers(row_colours))
            np.add.at(names, parts.parts, hash_numbers(pair_colours))
            _, inverse, counts = np.unique(names, return_inverse=True, return_counts=True)
            active = active & (counts[inverse.reshape(-1)] > 1)
        number += 1
        steps += 4 * _ROUNDS * len(rows)
        if steps > _MOST_STEPS:
            break
        tied = _first_ties(row_colours, parts.part_of_row, active)
        row_colours[tied] ^= hash_numbers(np.full(1, number, dtype=np.uint64))
        done = ~flags_at(parts.part_of_row[tied], parts.count)
        tied = _first_ties(pair_colours, parts.parts, active & done)
        pair_colours[tied] ^= hash_numbers(np.full(1, number, dtype=np.uint64))
        done[parts.parts[tied]] = False
        active = active & ~done
    return row_colours, pair_colours, names


def _refine(colours: Colours, lines: Indices, neighbours: Colours) -> None:
    """Mix the colours of neighbours into those of lines, which ascend."""
    starts = np.flatnonzero(np.concatenate(([True], lines[1:] != lines[:-1])))
    chosen = lines[starts]
    colours[chosen] = hash_numbers(
        colours[chosen] * _MIX + np.add.reduceat(hash_numbers(neighbours), starts)
    )


def _first_ties(colours: Colours, part_of: Indices, active: NDArray[np.bool_]) -> Indices:
    """Find, in each active part, the first of two lines of one colour."""
    lines = np.flatnonzero(active[part_of])
    order = lines[np.lexsort((colours[lines], part_of[lines]))]
    same = part_of[order[1:]] == part_of[order[:-1]]
    tied = order[:-1][same & (colours[order[1:]] == colours[order[:-1]])]
    _, first = np.unique(part_of[tied], return_index=True)
    return np.asarray(tied[first])


def _starts(counts: Indices) -> Indices:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def _ranks(order: Indices, starts: Indices, counts: Indices) -> Indices:
    """Return the place of each line in the order of its part."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(starts[:-1], counts)
    return ranks


def _equal_rows(entries: Indices) -> Iterator[Indices]:
    """Group the numbers of equal rows."""
    if (entries == entries[0]).all():
        yield np.arange(len(entries))
        return
    _, inverse = np.unique(entries, axis=0, return_inverse=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    changes = np.flatnonzero(np.diff(inverse.reshape(-1)[order])) + 1
    yield from np.split(order, changes)
