"""Algorithm 1 of Likhosherstov et al. (2023), as printed, on networkx.

It is here to be compared with: right for d_hid >= 2, wrong for d_hid = 1 (see
`docs/theory/algorithm1.md`), and of cubic cost. `samapprox.solvers.line` decides the same
question in linear time for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import networkx

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, proves_yes
from samapprox.solvers import line
from samapprox.solvers.engine.search import Search

NAME = "algorithm1"

Set = frozenset[int]


def algorithm1(sets: Sequence[Set], d_hid: int, *, swap: bool = False) -> bool:
    """Return the published algorithm's answer for d = 1, errors included.

    Cost O(n^3). Step 8 orders all n sets, although only those of K_0 need form a chain for step 7:
    full sets come last and keep the order a chain.

    Likhosherstov, Choromanski, Weller (2023), Algorithm 1.
    """
    everything = frozenset(range(len(sets)))
    k_0 = [i for i in range(len(sets)) if sets[i] != everything]  # steps 1 and 2
    if not k_0:
        return True
    components = list(networkx.connected_components(_inclusion_graph(sets, k_0)))  # step 3
    if len(components) > 2:  # step 4
        return False
    k_1, k_2 = (*map(frozenset, components), frozenset[int]())[:2]
    if swap:
        k_1, k_2 = k_2, k_1
    flipped = [everything - own if i in k_2 else own for i, own in enumerate(sets)]  # step 5
    if any(not _comparable(flipped[i], flipped[j]) for i, j in combinations(k_0, 2)):  # step 6
        return False
    if d_hid > 1:  # step 7
        return True
    chain = sorted(flipped, key=len)  # step 8
    outside = [everything - own for own in reversed(chain)]
    return _has_slot(k_2, chain) or _has_slot(k_2, outside)  # steps 9, 10 and 11


def _inclusion_graph(sets: Sequence[Set], vertices: Sequence[int]) -> networkx.Graph:
    """Step 3's graph H: an edge between two vertices whose sets are comparable."""
    graph = networkx.Graph()
    graph.add_nodes_from(vertices)
    graph.add_edges_from(
        (v, w) for v, w in combinations(vertices, 2) if _comparable(sets[v], sets[w])
    )
    return graph


def _comparable(left: Set, right: Set) -> bool:
    return left <= right or right <= left


def _has_slot(middle: Set, chain: Sequence[Set]) -> bool:
    """Return whether `middle` fits before, after or between two neighbours of the chain."""
    return (
        middle <= chain[0]
        or chain[-1] <= middle
        or any(low <= middle <= high for low, high in pairwise(chain))
    )


# ---------------------------------------------------------------- as a strategy


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if not problem.pattern.is_square:
        return "Algorithm 1 covers only square patterns"
    return line.applies(problem)


def find_proof(
    problem: Problem,
    search: Search | None = None,
) -> Proof | str:
    """Run Algorithm 1 as printed; accept its answer if a certificate confirms it."""
    d_hid = 2 if problem.d_hid is None else problem.d_hid
    answer = algorithm1(list(_row_sets(problem)), d_hid)
    proof = line.find_proof(problem)
    if isinstance(proof, str) or proves_yes(proof) == answer:
        return proof
    return (
        f"Algorithm 1 as printed answers {'YES' if answer else 'NO'}, which is wrong here (its "
        "erratum for d_hid = 1); use --method line"
    )


def _row_sets(problem: Problem) -> Iterator[Set]:
    for row in range(problem.pattern.shape[0]):
        entries = problem.pattern.block(row, row + 1)[0]
        yield frozenset(entries.nonzero()[0].tolist())
