"""Replay of a chain of thought, step by step, independently of how it was written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.base import Task, Token


@dataclass(frozen=True, slots=True)
class Mistake:
    """The first token of a chain that differs from its replay."""

    position: int
    needs: tuple[int, ...]  # The positions that the token is computed from
    found: Token | None  # The token of the chain; None if the chain ends too early
    expected: Token | None  # The token that the step computes; None if the chain should have ended.
    text: str  # What is wrong: the token, its needs, or the answer

    def __str__(self) -> str:
        return self.text


def first_mistake(
    task: Task,
    tokens: NDArray[np.int64],
    needs: AttentionGraph | None = None,
    answer: int | None = None,
) -> Mistake | None:
    """Compute every generated token of a chain again, from the tokens that it needs.

    O(L + edges) steps of Python. A step receives the tokens that it needs, and no others.
    """
    position = len(task.read(tokens))
    found: list[Token] = [tuple(token) for token in tokens.tolist()]
    if needs is not None:
        for given in range(position):
            if needs.keys(given).size:
                return _wrong_needs(given, (), needs, found[given])
    for step in task.steps(found):
        expected = step.rule([found[need] for need in step.needs])
        if position == len(found) or found[position] != expected:
            token = None if position == len(found) else found[position]
            return _wrong_token(position, step.needs, token, expected)
        if needs is not None and _keys(needs, position) != step.needs:
            return _wrong_needs(position, step.needs, needs, expected)
        position += 1
    last = position - 1
    if position < len(found):
        text = f"token {position}: the chain should have ended with token {last}"
        return Mistake(position, (), found[position], None, text)
    if answer is not None and answer != found[last][-1]:
        text = f"the answer must be {found[last][-1]}, as in token {last}; it is {answer}"
        return Mistake(last, (), found[last], found[last], text)
    return None


def _wrong_token(
    position: int, needs: tuple[int, ...], found: Token | None, expected: Token
) -> Mistake:
    source = f", computed from {_positions(needs)}" if needs else ""
    present = "missing" if found is None else _parts(found)
    text = f"token {position} is {present}; it must be {_parts(expected)}{source}"
    return Mistake(position, needs, found, expected, text)


def _wrong_needs(
    position: int, needs: tuple[int, ...], graph: AttentionGraph, token: Token
) -> Mistake:
    listed = _positions(_keys(graph, position))
    text = f"token {position} needs {_positions(needs)}; the chain lists {listed}"
    return Mistake(position, needs, token, token, text)


def _keys(needs: AttentionGraph, position: int) -> tuple[int, ...]:
    return tuple(needs.keys(position).tolist())


def _positions(needs: tuple[int, ...]) -> str:
    """Write positions, the first ones of many."""
    if not needs:
        return "no token"
    shown = ("token " if len(needs) == 1 else "tokens ") + ", ".join(map(str, needs[:12]))
    return shown if len(needs) <= 12 else f"{shown}, .. ({len(needs)} in all)"


def _parts(token: Token) -> str:
    return f"({', '.join(map(str, token))})"
