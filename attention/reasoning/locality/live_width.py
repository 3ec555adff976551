"""Live width: how many values a computation must hold at once, in a given order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.dag import require_needs
from samapprox.errors import InputError

__all__ = ["LiveWidth", "live_width", "reorder"]


@dataclass(frozen=True, slots=True, eq=False)
class LiveWidth:
    """The number of live tokens before each token of a sequence.

    Attributes
    ----------
    widths : ndarray of int64, shape (n,)
        ``widths[t]`` counts the tokens before t that token t or a later one needs.
    """

    widths: NDArray[np.int64]

    @property
    def greatest(self) -> int:
        """The live width of the sequence: the maximum over all places."""
        return int(self.widths.max())

    @property
    def place(self) -> int:
        """The first place where the width is greatest."""
        return int(np.argmax(self.widths))


def live_width(needs: AttentionGraph, order: Sequence[int] | None = None) -> LiveWidth:
    """Count the live tokens at every place of an order.

    Token j is live before place t if it stands before t and some token at t or later needs it.
    Given tokens count like all others. The greatest width is the vertex separation number of the
    order.

    Parameters
    ----------
    needs : AttentionGraph
    order : sequence of int, optional
        All tokens, each after those that it needs; by default 0, 1, ..

    Returns
    -------
    LiveWidth

    Raises
    ------
    InputError
        The needs have a cycle or point forward, or the order is not one of their computation.

    Notes
    -----
    O(n + edges).

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 2, 3], [0, 1, 2])
    >>> live_width(needs).widths.tolist()
    [0, 1, 2, 1]
    """
    if order is not None:
        needs = reorder(needs, order)
    require_needs(needs)
    last = np.arange(needs.n)
    np.maximum.at(last, needs.indices, needs.queries)  # the last token that needs it, or itself
    changes = np.zeros(needs.n + 2, dtype=np.int64)
    changes[1 : needs.n + 1] += 1  # token j is live at j + 1, .., last[j]
    np.subtract.at(changes, last + 1, 1)
    return LiveWidth(np.cumsum(changes)[: needs.n])


def reorder(needs: AttentionGraph, order: Sequence[int]) -> AttentionGraph:
    """Return the same needs with the tokens numbered by their places in an order.

    Raises
    ------
    InputError
        The order is no permutation of the tokens.

    Examples
    --------
    >>> reorder(AttentionGraph.from_csr([0, 0, 0, 1], [0]), [1, 0, 2]).keys(2).tolist()
    [1]
    """
    tokens = np.asarray(order, dtype=np.int64)
    if not np.array_equal(np.sort(tokens), np.arange(needs.n)):
        raise InputError(f"the order must name each of the tokens 0..{needs.n - 1} once")
    places = np.empty(needs.n, dtype=np.int64)
    places[tokens] = np.arange(needs.n)
    starts = np.concatenate(([0], np.cumsum(needs.out_degrees[tokens])))
    moved = [places[needs.keys(token)] for token in tokens.tolist()]
    return AttentionGraph.from_csr(starts, np.concatenate(moved))
