"""Cores of few rows, listed: shattered rows, and for d = 1 three rows that separate three keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.kinds.radon import Radon
from samapprox.proofs.kinds.shattering import Shattering
from samapprox.solvers.search import Search

__all__ = ["list_separating", "list_shattered"]

Masks = Sequence[tuple[int, int]]
"""The zeros and the ones of rows, as the bits of two numbers."""


def list_shattered(
    pattern: Pattern, rows: Sequence[int], size: int, search: Search
) -> Iterator[Shattering]:
    r"""Yield the sets of `size` rows that shatter some columns: each refutes d = size - 1.

    Parameters
    ----------
    pattern : Pattern
    rows : sequence of int
        The rows to choose from.
    size : int
    search : Search
        The list ends when its time is up.

    Examples
    --------
    >>> list(list_shattered(Pattern.from_text("0011\n0101\n1111"), [0, 1, 2], 2, Search()))
    [Shattering(rows=(0, 1), columns=(0, 2, 1, 3))]
    """
    masks = _read_masks(pattern, rows)
    every = (1 << pattern.shape[1]) - 1
    waiting: list[tuple[tuple[int, ...], list[int]]] = [((), [every])]
    while waiting and not search.out_of_time:
        chosen, cells = waiting.pop()
        if len(chosen) == size:
            columns = [_first(cell) for cell in cells]
            yield Shattering([rows[place] for place in chosen], columns)
            continue
        for place in reversed(range(chosen[-1] + 1 if chosen else 0, len(rows))):
            split = [cell & side for side in masks[place] for cell in cells]
            if all(split):
                waiting.append(((*chosen, place), split))


def list_separating(pattern: Pattern, rows: Sequence[int], search: Search) -> Iterator[Radon]:
    r"""Yield the sets of three rows each of which separates one of three keys: NO for d = 1.

    Parameters
    ----------
    pattern : Pattern
    rows : sequence of int
        The rows to choose from.
    search : Search
        The list ends when its time is up.

    Examples
    --------
    >>> list(list_separating(Pattern.from_text("100\n010\n001"), [0, 1, 2], Search()))
    [Radon(rows=(0, 1, 2), columns=(0, 1, 2))]
    """
    masks = _read_masks(pattern, rows)
    for first, second in combinations(range(len(rows)), 2):
        if search.out_of_time:
            return
        pairs = [[one & other for other in masks[second]] for one in masks[first]]
        for third in range(second + 1, len(rows)):
            cells = [[[pair & side for side in masks[third]] for pair in line] for line in pairs]
            for corner in range(8):
                a, b, c = corner & 1, corner >> 1 & 1, corner >> 2
                keys = cells[1 - a][b][c], cells[a][1 - b][c], cells[a][b][1 - c]
                if all(keys):
                    chosen = [rows[place] for place in (first, second, third)]
                    yield Radon(chosen, [_first(key) for key in keys])
                    break


def _read_masks(pattern: Pattern, rows: Sequence[int]) -> Masks:
    """Return the columns where each row has a 0, and where it has a 1, as bits."""
    entries = (pattern.block(row, row + 1)[0] for row in rows)
    return [(_pack(line == 0), _pack(line == 1)) for line in entries]


def _pack(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _first(mask: int) -> int:
    """Return the place of the lowest bit."""
    return (mask & -mask).bit_length() - 1
