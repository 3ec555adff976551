"""The m of m-locality: how far back the tokens that a token needs lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.dag import require_needs

__all__ = ["Locality", "locality"]


@dataclass(frozen=True, slots=True)
class Locality:
    """The least m for which every token needs only the last m tokens, with and without the input.

    Attributes
    ----------
    generated : int
        Over the needs among generated tokens; 0 if there are none.
    generated_edge : (int, int) or None
        The first need (i, j) with i - j = `generated`.
    everything : int
        Over all needs, given tokens included.
    everything_edge : (int, int) or None
    """

    generated: int
    generated_edge: tuple[int, int] | None
    everything: int
    everything_edge: tuple[int, int] | None


def locality(needs: AttentionGraph, given: int = 0) -> Locality:
    """Find the least m such that i - m <= j < i for every need (i, j).

    Parameters
    ----------
    needs : AttentionGraph
    given : int
        The first tokens, which are the input.

    Returns
    -------
    Locality

    Raises
    ------
    InputError
        See `require_needs`.

    Notes
    -----
    O(n + edges).

    References
    ----------
    Yang et al. (2024), Definition 5.3, which demands m >= n for an input of n tokens in addition.

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 2, 4], [0, 1, 0, 2])
    >>> locality(needs, given=2)
    Locality(generated=1, generated_edge=(3, 2), everything=3, everything_edge=(3, 0))
    """
    require_needs(needs, given)
    return Locality(*_farthest(needs, given), *_farthest(needs, 0))


def _farthest(needs: AttentionGraph, first: int) -> tuple[int, tuple[int, int] | None]:
    """Find the longest need of a token from `first` on: its length, and the need."""
    far = np.where(needs.indices >= first, needs.queries - needs.indices, 0)
    if not far.any():
        return 0, None
    place = int(np.argmax(far))
    return int(far[place]), (int(needs.queries[place]), int(needs.indices[place]))
