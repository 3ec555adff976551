"""A Hamiltonian path of a graph, or a proof that none exists; either is checked.

Paths are searched for by CP-SAT, and by SAT with cuts that are added on demand, which also proves
that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import components
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.hamilton_refutations import (
    MOST_PAIRS,
    Apart,
    Crowded,
    NoPath,
    Pieces,
    Uncrossable,
    arcs,
    clauses,
    closed_pieces,
    cut,
    pairs_of_arcs,
)
from samapprox.attention.graphs.walks import path_in_order
from samapprox.support.arrays import flags_at
from samapprox.support.limits import require_time_limit, search_clock
from samapprox.support.progress import OnProgress, Progress
from samapprox.support.text import plural

MOST_CONFLICTS = 40_000
"""Each leaves a lemma; to check more takes minutes."""

_CONFLICTS = 2_000  # between two looks at the clock


def path_or_refutation(
    graph: AttentionGraph, time_limit: float, progress: OnProgress | None = None
) -> NDArray[np.int64] | Uncrossable | None:
    """Find a path gamma, or unchecked sets and lemmas that refute every path; None if undecided.

    As long as there are assignments of one arc in and one out for every token they are circuits: a
    single one is a path; else each circuit without the end token is a set that must be crossed,
    which is what the next one has to do (Dantzig, Fulkerson, Johnson 1954).
    """
    if pairs_of_arcs(graph) > MOST_PAIRS:
        return None
    from pysat.solvers import Solver

    deadline = search_clock.now() + time_limit
    source, target = arcs(graph)
    sets: list[tuple[int, ...]] = []
    with Solver("glucose4", bootstrap_with=clauses(graph), with_proof=True) as solver:

        def report() -> None:
            if progress is not None:
                progress(Progress(f"SAT with {plural(len(sets), 'cut')}"))

        while (answer := _solved(solver, deadline, report)) is True:
            taken = np.array([literal for literal in solver.get_model() if literal > 0]) - 1
            after = np.empty(graph.n + 1, dtype=np.int64)
            after[source[taken]] = target[taken]
            path, *circuits = _circuits(after)
            if not circuits:
                return np.array(path, dtype=np.int64)
            for circuit in circuits:
                sets.append(tuple(sorted(circuit)))
                solver.append_formula(cut(graph, circuit), no_return=True)
        if answer is None:
            return None
        lines = [line.split() for line in solver.get_proof()]
    lemmas = [tuple(int(word) for word in line[:-1]) for line in lines if line[0] != "d"]
    return Uncrossable(tuple(sets), tuple(lemma for lemma in lemmas if lemma))


def _solved(solver: Any, deadline: float, report: Callable[[], None]) -> bool | None:
    """Return whether the clauses can be satisfied; None when time or patience is up."""
    while search_clock.now() < deadline and solver.accum_stats()["conflicts"] < MOST_CONFLICTS:
        report()
        solver.conf_budget(_CONFLICTS)
        answer: bool | None = solver.solve_limited()
        if answer is not None:
            return answer
    return None


def _circuits(after: NDArray[np.int64]) -> list[list[int]]:
    """List the circuits of a permutation; first the one with the last number, which is left out."""
    following = after.tolist()
    free = set(range(len(following)))
    found = []
    start = len(following) - 1
    while free:
        here, circuit = start, []
        while here in free:
            free.remove(here)
            circuit.append(here)
            here = following[here]
        found.append(circuit)
        start = max(free, default=-1)
    return [found[0][1:], *found[1:]]


MOST_WALKED = 20_000
"""Tokens of the largest graph in which walks are tried."""

MOST_SEARCHED = 20_000
"""Edges of the largest graph that is given to CP-SAT and SAT."""

MOST_SCATTERED = 500
"""Tokens of the largest graph of which any few are taken away."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The search found neither a path nor a proof that none exists."""

    reason: str

    def __str__(self) -> str:
        return self.reason


def is_hamiltonian_path(graph: AttentionGraph, gamma: NDArray[np.integer]) -> bool:
    """Return whether gamma is a permutation whose every token attends to the one before it.

    O(n log n); Assumption 1.2 of Yun et al. (2020).
    """
    n = graph.n
    if gamma.shape != (n,) or not np.array_equal(np.sort(gamma), np.arange(n)):
        return False
    return bool(graph.attends(gamma[1:], gamma[:-1]).all())


def hamiltonian_path(
    graph: AttentionGraph, time_limit: float = 20.0, progress: OnProgress | None = None
) -> NDArray[np.int64] | NoPath | Unknown:
    """Find a Hamiltonian path of the union of all patterns, or refute that there is one.

    CP-SAT gets a third of the time limit, SAT the rest. Paths and proofs have been checked.
    """
    require_time_limit(time_limit)
    if (order := path_in_order(graph)) is not None:
        return order
    for refute in (_apart, _crowded, _in_pieces):
        proof = refute(graph)
        if proof is not None and proof.holds(graph):
            return proof
    starts = np.argsort(graph.out_degrees, kind="stable")[:8]  # those that can follow few others
    for start in starts.tolist() if graph.n <= MOST_WALKED else ():
        gamma = _walked(graph, start)
        if is_hamiltonian_path(graph, gamma):
            return gamma
    if graph.edges > MOST_SEARCHED:
        return Unknown(f"no path was found; {graph.edges} edges are too many for a search")
    start = search_clock.now()
    if progress is not None:
        progress(Progress("CP-SAT"))
    path, what = _searched(graph, time_limit / 3)
    if path is not None:
        return path
    found = path_or_refutation(graph, time_limit - (search_clock.now() - start), progress)
    if isinstance(found, np.ndarray) and is_hamiltonian_path(graph, found):
        return found
    if isinstance(found, Uncrossable) and found.holds(graph):
        return found
    return Unknown(what)


# -------------------------------------------------------------------- proofs of none


def _apart(graph: AttentionGraph) -> Apart | None:
    """Find two components that no path joins: a path visits them in topological order."""
    import networkx

    label = components(graph)
    count = int(label.max()) + 1
    if count == 1:
        return None
    pairs = np.unique(
        label[graph.queries].astype(np.int64) * count + label[graph.indices.astype(np.int64)]
    )
    order: networkx.DiGraph = networkx.DiGraph()
    order.add_nodes_from(range(count))
    joined = set(zip((pairs // count).tolist(), (pairs % count).tolist(), strict=True))
    order.add_edges_from(pair for pair in joined if pair[0] != pair[1])
    sequence = list(networkx.topological_sort(order))
    _, member = np.unique(label, return_index=True)
    for one, two in pairwise(sequence):
        if (one, two) not in joined:
            return Apart((int(member[one]), int(member[two])))
    return None


def _crowded(graph: AttentionGraph) -> Crowded | None:
    """Find crowded tokens by Koenig's theorem, from a greatest matching of tokens to keys."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    for side, turned in (("keys", graph), ("queries", graph.reverse())):
        other = turned.indices != turned.queries
        running = np.concatenate(([0], np.cumsum(other)))
        bare = AttentionGraph(running[turned.indptr], turned.indices[other])
        key_of = maximum_bipartite_matching(bare.to_sparse(), perm_type="column")
        alone = np.flatnonzero(key_of < 0)
        if len(alone) < 2:
            continue
        token_of = np.full(graph.n, -1, dtype=np.int64)
        matched = np.flatnonzero(key_of >= 0)
        token_of[key_of[matched]] = matched
        seen = flags_at(alone, graph.n)
        queue = alone.tolist()
        while queue:  # along keys not matched to, back along matched ones
            followers = token_of[bare.keys(queue.pop())]
            fresh = np.unique(followers[~seen[followers]])
            seen[fresh] = True
            queue.extend(fresh.tolist())
        return Crowded(tuple(np.flatnonzero(seen).tolist()), side)
    return None


def _in_pieces(graph: AttentionGraph) -> Pieces | None:
    """Take away the tokens of most neighbours, one after the other; then any, in small graphs."""
    from samapprox.attention.graphs.scattering import scattering_tokens

    popular = np.argsort(-(graph.out_degrees + graph.in_degrees), kind="stable")
    for side, turned in (("keys", graph), ("queries", graph.reverse())):
        tries = [popular[:count] for count in range(1, min(graph.n, 17))]
        if graph.edges <= MOST_SEARCHED and graph.n <= MOST_SCATTERED:
            tries.append(scattering_tokens(turned))
        for tokens in tries:
            pieces = closed_pieces(graph, tokens, side)
            if pieces > len(tokens) + 1:
                return Pieces(tuple(tokens.tolist()), side, pieces)
    return None


# -------------------------------------------------------------------- searches


def _walked(graph: AttentionGraph, start: int) -> NDArray[np.int64]:
    """Step to the query with the fewest ways on (Warnsdorff's rule), until there is none left."""
    queries = graph.reverse()
    ways = queries.out_degrees.copy()
    free = np.ones(graph.n, dtype=np.bool_)
    walk = [start]
    while True:
        here = walk[-1]
        free[here] = False
        ways[graph.keys(here)] -= 1
        onward = queries.keys(here)
        onward = onward[free[onward]]
        if not onward.size:
            return np.array(walk, dtype=np.int64)
        walk.append(int(onward[np.argmin(ways[onward])]))


def _searched(graph: AttentionGraph, time_limit: float) -> tuple[NDArray[np.int64] | None, str]:
    """Ask CP-SAT for a path; return it, or the reason why there is none."""
    from ortools.sat.python import cp_model

    model, n = cp_model.CpModel(), graph.n
    source, target = arcs(graph)
    steps = list(zip(source.tolist(), target.tolist(), strict=True))
    taken = [model.new_bool_var("") for _ in steps]
    model.add_circuit([(*step, taken[i]) for i, step in enumerate(steps)])
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None, "CP-SAT found that no path exists, but this was not proven in time"
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, "neither a path nor a proof of none was found in time"
    after = dict(step for i, step in enumerate(steps) if solver.value(taken[i]))
    gamma = [after[n]]
    while after[gamma[-1]] != n:
        gamma.append(after[gamma[-1]])
    path = np.array(gamma, dtype=np.int64)
    return (
        (path, "")
        if is_hamiltonian_path(graph, path)
        else (None, "CP-SAT returned an invalid path")
    )
