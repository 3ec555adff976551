"""Chains of thought: solved instances, token by token, with the tokens that each one needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph

__all__ = ["Chain"]


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """An instance and its solution as one sequence of tokens.

    Attributes
    ----------
    tokens : ndarray of int64, shape (L, parts)
        The parts of every token, as in Equation (10) of Yang et al. (2024): input, state, value and
        answer; 0 where a part is not defined.
    given : int
        The first tokens, which are the input of the model, with its separators. The others are
        generated one after the other.
    needs : AttentionGraph
        An edge (i, j), j < i, means that token i is computed from token j. Given tokens need none.
    answer : int

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 2], [0, 1])
    >>> chain = Chain(np.array([[3], [4], [7]]), given=2, needs=needs, answer=7)
    >>> len(chain), chain.needs.keys(2).tolist()
    (3, [0, 1])
    """

    tokens: NDArray[np.int64]
    given: int
    needs: AttentionGraph
    answer: int

    def __len__(self) -> int:
        return len(self.tokens)
