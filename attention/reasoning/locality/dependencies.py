"""The dependencies of tokens as graphs: checks, how far back they reach, and live width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph, check_tokens
from samapprox.attention.graphs.heads import relabel
from samapprox.errors import InputError

Pair = tuple[int, int]


def require_needs(needs: AttentionGraph, given: int = 0) -> None:
    """Refuse needs that no sequence of tokens can have.

    O(edges), O(n + edges) for the search of a cycle.
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
    """Count the first tokens that need none: the input of a graph without other information."""
    busy = np.flatnonzero(needs.out_degrees)
    return int(busy[0]) if busy.size else needs.n


def parse_needs(text: str) -> AttentionGraph:
    r"""Read needs from lines ``i j``: token i is computed from token j.

    Parameters
    ----------
    text : str
        Tokens count from 0, and the greatest number is the last token. Empty lines and what follows
        a # are ignored; pairs may be repeated.

    Returns
    -------
    AttentionGraph
        An edge (i, j) for each line.

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
        The first need (i, j) with i - j = `everything`.
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
        An edge (i, j) means that token i is computed from token j.
    given : int
        The first tokens, which are the input.

    Returns
    -------
    Locality
        m among generated tokens and with the input, each with an edge that attains it.

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
        An edge (i, j) means that token i is computed from token j.
    order : sequence of int, optional
        All tokens, each after those that it needs; by default 0, 1, ..

    Returns
    -------
    LiveWidth
        The number of live tokens before each token, and the greatest of them.

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
    """Return the same needs with the tokens numbered by their places in an order."""
    tokens = np.asarray(order, dtype=np.int64)
    if not np.array_equal(np.sort(tokens), np.arange(needs.n)):
        raise InputError(f"the order must name each of the tokens 0..{needs.n - 1} once")
    return relabel(needs, tokens)
