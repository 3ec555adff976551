"""Depth-first search of a pattern's graph of ones; compiled where it is large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["search_branches"]

Indices = NDArray[np.int64]


def search_branches(
    starts: Indices, neighbours: Indices, rows: int
) -> tuple[Indices, Indices, Indices, Indices]:
    """Find which ones of a column stay connected with each other without the column.

    Parameters
    ----------
    starts, neighbours : ndarray of int64
        The graph as compressed rows: first all rows of the pattern, then its columns.
    rows : int

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
