"""The dependencies of tokens as graphs: edges from a list, and the check that they point back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph, check_tokens
from samapprox.errors import InputError

__all__ = ["leading_tokens", "parse_needs", "require_needs"]

Pair = tuple[int, int]


def require_needs(needs: AttentionGraph, given: int = 0) -> None:
    """Refuse needs that no sequence of tokens can have.

    Parameters
    ----------
    needs : AttentionGraph
        An edge (i, j) means that token i is computed from token j.
    given : int
        The first tokens, which are the input.

    Raises
    ------
    InputError
        A cycle, a token that needs a later one, a given token that needs one, or more given tokens
        than there are.

    Notes
    -----
    O(edges), O(n + edges) for the search of a cycle.

    Examples
    --------
    >>> require_needs(AttentionGraph.from_csr([0, 1, 1], [1]))
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: token 0 needs token 1, which comes later; number the tokens ...
    """
    if not 0 <= given <= needs.n:
        raise InputError(f"the number of given tokens must be in 0..{needs.n}, not {given}")
    forward = np.flatnonzero(needs.indices >= needs.queries)
    if forward.size:
        cycle = _find_cycle(needs)
        if cycle:
            around = pairwise([*cycle, cycle[0]])
            steps = [f"token {token} needs token {need}" for token, need in around]
            shown = steps if len(steps) <= 8 else [*steps[:7], "..", steps[-1]]
            raise InputError(f"the needs have a cycle: {', '.join(shown)}; remove one of them")
        token, need = needs.queries[forward[0]], needs.indices[forward[0]]
        raise InputError(
            f"token {token} needs token {need}, which comes later; "
            "number the tokens in the order in which they are computed"
        )
    if needs.indptr[given]:
        token = needs.queries[0]
        raise InputError(
            f"token {token} is given, but needs token {needs.indices[0]}; "
            f"give at most {token} tokens"
        )


def _find_cycle(needs: AttentionGraph) -> list[int]:
    """Return the tokens of a cycle, each of which needs the next; empty if there is none."""
    import networkx

    try:
        return [token for token, _ in networkx.find_cycle(needs.to_networkx())]
    except networkx.NetworkXNoCycle:
        return []


def leading_tokens(needs: AttentionGraph) -> int:
    """Count the first tokens that need none: the input of a graph without other information.

    Examples
    --------
    >>> leading_tokens(AttentionGraph.from_csr([0, 0, 0, 2], [0, 1]))
    2
    """
    busy = np.flatnonzero(needs.out_degrees)
    return int(busy[0]) if busy.size else needs.n


def parse_needs(text: str) -> AttentionGraph:
    r"""Read needs from lines ``i j``: token i is computed from token j.

    Parameters
    ----------
    text : str
        Tokens count from 0, and the greatest number is the last token. Empty lines and what follows
        a # are ignored; pairs may be repeated.

    Raises
    ------
    InputError
        A line that is no pair of numbers, no line at all, a cycle, or a forward edge.

    Notes
    -----
    O(edges log edges).

    Examples
    --------
    >>> parse_needs("2 0  # a sum\n2 1\n").keys(2).tolist()
    [0, 1]
    """
    pairs = [
        _parse_pair(number, words)
        for number, line in enumerate(text.splitlines(), start=1)
        if (words := line.partition("#")[0].split())
    ]
    if not pairs:
        raise InputError("there are no edges; write a line `i j` for each token j that i needs")
    edges = np.unique(np.array(pairs, dtype=np.int64), axis=0)
    n = int(edges.max()) + 1
    check_tokens(n)
    degrees: NDArray[np.int64] = np.bincount(edges[:, 0], minlength=n)
    needs = AttentionGraph.from_csr(np.concatenate(([0], np.cumsum(degrees))), edges[:, 1])
    require_needs(needs)
    return needs


def _parse_pair(number: int, words: list[str]) -> Pair:
    if len(words) != 2 or not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(f"line {number}: write two numbers `i j`, not {' '.join(words)[:40]!r}")
    for word in words:
        if len(word) > 9:
            raise InputError(f"line {number}: {word[:20]} is too large for a token")
    return int(words[0]), int(words[1])
