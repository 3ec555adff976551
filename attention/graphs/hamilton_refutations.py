"""Proofs that a graph has no Hamiltonian path, checked by counting and unit propagation.

As clauses, a path is a circuit through all tokens and one more, for both its ends. Variable 1, 2,
.. is an arc key -> query of the graph, self-loops left out, in the order of the queries; then come
the n arcs from the end token to each token, then the n arcs back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.proofs.refutations.propagation import refutes
from samapprox.support.arrays import flags_at
from samapprox.support.text import plural

MOST_PAIRS = 3_000_000
"""Pairs of arcs of the largest graph that is written as clauses."""

Clause = tuple[int, ...]


def arcs(graph: AttentionGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start and the end of every variable's arc.

    Token n stands for both ends of a path.
    """
    n = graph.n
    other = graph.indices != graph.queries
    token, end = np.arange(n), np.full(n, n)
    source = np.concatenate((graph.indices[other], end, token))
    target = np.concatenate((graph.queries[other], token, end))
    return source.astype(np.int64), target.astype(np.int64)


def pairs_of_arcs(graph: AttentionGraph) -> int:
    """Estimate the number of clauses: pairs of arcs that begin or end in the same token."""
    counts = [np.bincount(side, minlength=graph.n + 1) for side in arcs(graph)]
    return int(sum((count * (count - 1) // 2).sum() for count in counts))


def clauses(graph: AttentionGraph) -> list[Clause]:
    """Require that exactly one arc enters and one leaves every token, the end token included.

    Circuits apart from each other satisfy them, too: see `cut`.
    """
    made: list[Clause] = []
    for side in arcs(graph):
        order = np.argsort(side, kind="stable")
        starts = np.searchsorted(side[order], np.arange(graph.n + 2))
        for token in range(graph.n + 1):
            own = (order[starts[token] : starts[token + 1]] + 1).tolist()
            made.append(tuple(own))
            made.extend((-one, -two) for one, two in combinations(own, 2))
    return made


def cut(graph: AttentionGraph, tokens: Iterable[int]) -> tuple[Clause, Clause, Clause]:
    """Return the clauses that a path satisfies for a set of tokens, which is neither empty nor all.

    One of the arcs into the set is taken; one of those out of it, with the end token counting as
    outside; and one of those between the set and the other tokens, in either direction.
    """
    source, target = arcs(graph)
    member = flags_at(list(tokens), graph.n + 1)
    into, out = member[target] & ~member[source], member[source] & ~member[target]
    within = (source < graph.n) & (target < graph.n)
    enters, leaves, crosses = (
        tuple((np.flatnonzero(chosen) + 1).tolist())
        for chosen in (into, out, (into | out) & within)
    )
    return enters, leaves, crosses


@dataclass(frozen=True, slots=True)
class Apart:
    """Two tokens neither of which reaches the other, so that no path contains both."""

    tokens: tuple[int, int]

    def holds(self, graph: AttentionGraph) -> bool:
        """Return whether the claim is true. O(n + edges)."""
        one, two = self.tokens
        return bool(graph.depths(one)[two] < 0 and graph.depths(two)[one] < 0)

    def __str__(self) -> str:
        one, two = self.tokens
        return f"neither of the tokens {one} and {two} reaches the other, so no path holds both"


@dataclass(frozen=True, slots=True)
class Crowded:
    """Tokens with too few others among their keys (or queries) for each to have its own.

    On a path all but one token follow a key of theirs, and all but one precede a query; no token
    twice. So k tokens need k - 1 keys.
    """

    tokens: tuple[int, ...]
    side: str

    def partners(self, graph: AttentionGraph) -> int:
        """Count the other tokens that are keys (queries) of these."""
        turned = graph if self.side == "keys" else graph.reverse()
        found = np.zeros(graph.n, dtype=np.bool_)
        for token in self.tokens:
            keys = turned.keys(token)
            found[keys[keys != token]] = True
        return int(found.sum())

    def holds(self, graph: AttentionGraph) -> bool:
        """Return whether they have too few. O(n + edges)."""
        return len(set(self.tokens)) >= self.partners(graph) + 2

    def __str__(self) -> str:
        first = ", ".join(map(str, self.tokens[:5])) + (", .." if len(self.tokens) > 5 else "")
        return (
            f"{len(self.tokens)} tokens ({first}) have at most {len(self.tokens) - 2} other tokens "
            f"as {self.side}; on a path all but one have one of their own"
        )


@dataclass(frozen=True, slots=True)
class Pieces:
    """Tokens whose removal leaves too many closed pieces: k tokens join at most k + 1.

    A piece is closed if none of its tokens has a key (or query) in another piece. Then its first
    (last) token on a path follows (precedes) one of the k tokens, unless the path begins (ends)
    there; and no token is followed (preceded) by two.
    """

    tokens: tuple[int, ...]
    side: str
    pieces: int

    def holds(self, graph: AttentionGraph) -> bool:
        """Return whether so many closed pieces remain. O(n + edges)."""
        distinct = len(set(self.tokens))
        tokens = np.array(self.tokens, dtype=np.int64)
        return closed_pieces(graph, tokens, self.side) == self.pieces > distinct + 1

    def __str__(self) -> str:
        names = ", ".join(map(str, self.tokens))
        few = plural(len(self.tokens), "token")
        return (
            f"removing {few} ({names}) leaves {self.pieces} pieces without {self.side} in others, "
            f"but a path through {few} joins at most {len(self.tokens) + 1}"
        )


@dataclass(frozen=True, slots=True)
class Uncrossable:
    """Sets of tokens that no path crosses: a refutation of the clauses that require it.

    The clauses: every token has exactly one arc that comes and one that goes, where a token more
    stands for both ends (`clauses`); and arcs lead into every set and out of it
    (`cut`). A checker rebuilds both and then only follows the lemmas.
    """

    sets: tuple[tuple[int, ...], ...]  # none empty, none with all tokens
    # Clauses, each of which follows from those before by unit propagation; then the empty one.
    lemmas: tuple[tuple[int, ...], ...]

    def holds(self, graph: AttentionGraph) -> bool:
        """Return whether the lemmas follow, without a solver. False for graphs of too many arcs."""
        if pairs_of_arcs(graph) > MOST_PAIRS:
            return False
        variables = len(arcs(graph)[0])
        if not all(0 < abs(literal) <= variables for lemma in self.lemmas for literal in lemma):
            return False
        for tokens in self.sets:
            if not 0 < len(set(tokens)) < graph.n or not set(tokens) <= set(range(graph.n)):
                return False
        crossed = [clause for tokens in self.sets for clause in cut(graph, tokens)]
        return refutes([*clauses(graph), *crossed], self.lemmas)

    def __str__(self) -> str:
        return (
            f"a path that enters every token once and crosses {plural(len(self.sets), 'set')} of "
            f"tokens is refuted by {plural(len(self.lemmas), 'step')} of unit propagation"
        )


NoPath = Apart | Crowded | Pieces | Uncrossable


def closed_pieces(graph: AttentionGraph, tokens: NDArray[np.int64], side: str) -> int:
    """Count the strongly connected components without keys (queries) in others after a removal.

    O(n + edges), by scipy.
    """
    from scipy.sparse.csgraph import connected_components

    kept = ~flags_at(tokens, graph.n)
    if not kept.any():
        return 0
    rest = graph.to_sparse()[kept][:, kept].tocoo()
    count, label = connected_components(rest, directed=True, connection="strong")
    query, key = (label[at] for at in rest.coords)
    closed = ~flags_at((query if side == "keys" else key)[query != key], count)
    return int(closed.sum())
