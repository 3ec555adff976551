"""A Hamiltonian path or a refutation of all paths, by SAT with cuts added on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.paths.circuit import MOST_PAIRS, arcs, clauses, cut, pairs_of_arcs
from samapprox.attention.graphs.paths.no_path import Uncrossable
from samapprox.support.clock import search_clock

__all__ = ["Progress", "path_or_refutation"]

Progress = Callable[[str, str | None], None]
"""Told what is being tried, and how far it is."""

MOST_CONFLICTS = 40_000
"""Each leaves a lemma; to check more takes minutes."""

_CONFLICTS = 2_000  # between two looks at the clock


def path_or_refutation(
    graph: AttentionGraph, time_limit: float, progress: Progress | None = None
) -> NDArray[np.int64] | Uncrossable | None:
    """Find a path gamma, or unchecked sets and lemmas that refute every path; None if undecided.

    Parameters
    ----------
    graph : AttentionGraph
    time_limit : float
        Seconds.
    progress : callable, optional
        Called now and then with a description of the current step.

    Notes
    -----
    As long as there are assignments of one arc in and one out for every token they are circuits: a
    single one is a path; else each circuit without the end token is a set that must be crossed,
    which is what the next one has to do (Dantzig, Fulkerson, Johnson 1954).

    Examples
    --------
    >>> import networkx
    >>> claw = AttentionGraph.from_networkx(networkx.star_graph(3))
    >>> proof = path_or_refutation(claw, 10.0)
    >>> proof.holds(claw)
    True
    """
    if pairs_of_arcs(graph) > MOST_PAIRS:
        return None
    from pysat.solvers import Solver

    deadline = search_clock.now() + time_limit
    source, target = arcs(graph)
    sets: list[tuple[int, ...]] = []
    with Solver("glucose4", bootstrap_with=clauses(graph), with_proof=True) as solver:
        tell = partial(progress or (lambda *_: None), "SAT with cuts")
        while (answer := _solved(solver, deadline, partial(tell, f"{len(sets)} cuts"))) is True:
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


def _solved(solver: Any, deadline: float, tell: Callable[[], None]) -> bool | None:
    """Return whether the clauses can be satisfied; None when time or patience is up."""
    while search_clock.now() < deadline and solver.accum_stats()["conflicts"] < MOST_CONFLICTS:
        tell()
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
