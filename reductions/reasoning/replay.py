"""Replay of a chain of thought, step by step, independently of how it was written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.reductions.reasoning.base import Task, Token

__all__ = ["Mistake", "first_mistake"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """The first token of a chain that differs from its replay.

    Attributes
    ----------
    position : int
    needs : tuple of int
        The positions that the token is computed from.
    found : tuple of int or None
        The token of the chain; None if the chain ends too early.
    expected : tuple of int or None
        The token that the step computes; None if the chain should have ended.
    found_needs : tuple of int or None
        The needs of the chain, if these are what differs.
    """

    position: int
    needs: tuple[int, ...]
    found: Token | None
    expected: Token | None
    found_needs: tuple[int, ...] | None = None

    def __str__(self) -> str:
        if self.found_needs is not None:
            return (
                f"token {self.position} needs {_positions(self.needs)}, "
                f"not {_positions(self.found_needs)}"
            )
        if self.expected is None:
            return f"token {self.position}: the chain should have ended"
        source = f" (from {_positions(self.needs)})" if self.needs else ""
        found = "missing" if self.found is None else f"not {_parts(self.found)}"
        return f"token {self.position} must be {_parts(self.expected)}{source}; it is {found}"


def first_mistake(
    task: Task, tokens: NDArray[np.int64], needs: AttentionGraph | None = None
) -> Mistake | None:
    """Compute every generated token of a chain again, from the tokens that it needs.

    Parameters
    ----------
    task : Task
    tokens : ndarray of int64, shape (L, parts)
    needs : AttentionGraph, optional
        On L tokens; compared with the needs of each step, if given.

    Returns
    -------
    Mistake or None
        None: the chain is right.

    Raises
    ------
    InputError
        The given tokens are no instance of the task.

    Notes
    -----
    O(L + edges) steps of Python. A step receives the tokens that it needs, and no others.

    Examples
    --------
    >>> from samapprox.reductions.reasoning.lis import LongestIncreasingSubsequence
    >>> task = LongestIncreasingSubsequence()
    >>> chain = task.chain([5, 2, 4, -1])
    >>> first_mistake(task, chain.tokens, chain.needs) is None
    True
    >>> tokens = chain.tokens.copy()
    >>> tokens[6, 2] = 1
    >>> print(first_mistake(task, tokens))
    token 6 must be (0, 3, 2, 0) (from 0, 1, 2, 4, 5); it is not (0, 3, 1, 0)
    """
    given = len(task.read(tokens))
    found: list[Token] = [tuple(token) for token in tokens.tolist()]
    position = given
    if needs is not None:
        for early in range(given):
            if needs.keys(early).size:
                return Mistake(early, (), found[early], found[early], _keys(needs, early))
    for step in task.steps(found):
        expected = step.rule([found[need] for need in step.needs])
        if position == len(found):
            return Mistake(position, step.needs, None, expected)
        if found[position] != expected:
            return Mistake(position, step.needs, found[position], expected)
        if needs is not None and _keys(needs, position) != step.needs:
            return Mistake(position, step.needs, expected, expected, _keys(needs, position))
        position += 1
    return Mistake(position, (), found[position], None) if position < len(found) else None


def _keys(needs: AttentionGraph, position: int) -> tuple[int, ...]:
    return tuple(needs.keys(position).tolist())


def _positions(needs: tuple[int, ...]) -> str:
    """Write positions, the first ones of many."""
    if not needs:
        return "no token"
    shown = ", ".join(map(str, needs[:12]))
    return shown if len(needs) <= 12 else f"{shown}, .. ({len(needs)} tokens)"


def _parts(token: Token) -> str:
    return f"({', '.join(map(str, token))})"
