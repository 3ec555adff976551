"""The methods of the contextual mapping, and the walk that each takes through a mask."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from samapprox.attention.graphs.distance import unreachable
from samapprox.attention.graphs.hamilton import hamiltonian_path
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.universality import star_centre
from samapprox.attention.graphs.walks import Walk, covering_walk, find_patterns
from samapprox.errors import InputError
from samapprox.support.parameters import require


def star_walk(attention: SparseAttention) -> Walk:
    """Return the walk from each token to the centre of a star and back: 2n - 1 tokens.

    Each pattern must contain the star: all tokens but the centre attend to themselves and to the
    centre, and the centre attends to them. The patterns may be in turn; a step then has the pattern
    of its layer. After every two layers every token can reach every other, so s = 2, and the
    contextual mapping has 2n layers.
    """
    order = attention.selectable
    centre = star_centre(order)
    if centre is None:
        raise InputError(
            "the mask contains no star: one token that attends to all others, and all others "
            "attend to it and to themselves"
        )
    leaves = [token for token in range(attention.n) if token != centre]
    if len(leaves) == 1:
        tokens = [centre, *leaves]
    else:
        tokens = [token for leaf in leaves for token in (centre, leaf)][1:]
    numbers = [0, *((t - 1) % attention.period for t in range(1, len(tokens)))]
    return Walk(np.array(tokens, dtype=np.int64), np.array(numbers, dtype=np.int64))


class Method(Enum):
    """Methods of the contextual mapping."""

    WALK = "walk"
    """Along a walk that visits all tokens, with one window for each step."""
    PRINTED = "printed"
    """As in Yun et al. (2020): along a Hamiltonian path, with one window for each value."""
    STAR = "star"
    """Through the centre of a star, which needs no self-loop: Zaheer et al. (2020)."""


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A method with its walk."""

    method: Method
    walk: Walk


def choose_route(attention: SparseAttention, method: Method | None = None) -> Route:
    """Find the walk of a method, and check that the mask allows it.

    Parameters
    ----------
    attention : SparseAttention
        The masks of the layers.
    method : Method, optional
        WALK by default, and STAR where only the centre of a star has no self-loop.

    Raises
    ------
    InputError
        A single token, a token that never hears of another, missing self-loops, no Hamiltonian path
        (PRINTED) or no star (STAR).

    Examples
    --------
    >>> from samapprox.attention.graphs import AttentionGraph, build
    >>> choose_route(build("window:w=3", 4)).walk.tokens.tolist()
    [0, 1, 2, 3]
    >>> star = SparseAttention((AttentionGraph.from_csr([0, 2, 4, 6], [1, 2, 0, 1, 0, 2]),))
    >>> choose_route(star).method
    <Method.STAR: 'star'>
    """
    require(attention.n >= 2, "the construction needs at least 2 tokens (Lemma 7), not 1")
    never = unreachable(attention.union)
    if never is not None:
        raise InputError(
            f"token {never[0]} never hears of token {never[1]}, so no transformer on this mask can "
            "compute every function; add edges"
        )
    lacking = sorted({int(k) for graph in attention.selectable for k in graph.without_loop})
    if method is None:
        centred = lacking and lacking == [star_centre(attention.selectable)]
        method = Method.STAR if centred else Method.WALK
    if method is Method.STAR:
        return Route(method, star_walk(attention))
    if lacking:
        names = ", ".join(map(str, lacking[:8])) + (", .." if len(lacking) > 8 else "")
        raise InputError(
            f"no self-loop at {names}: every token but the centre of a star must attend to itself "
            "in every pattern; add these self-loops"
        )
    walk = _hamiltonian if method is Method.PRINTED else covering_walk
    return Route(method, walk(attention))


def _hamiltonian(attention: SparseAttention) -> Walk:
    """Find a Hamiltonian path, as a walk."""
    tokens = hamiltonian_path(attention.union)
    if not isinstance(tokens, np.ndarray):
        raise InputError(f"no Hamiltonian path: {tokens}; take the construction walk instead")
    numbers = np.zeros_like(tokens)
    numbers[1:] = find_patterns(attention.selectable, tokens[1:], tokens[:-1])
    return Walk(tokens, numbers)
