"""SAT on the orientations of few elements: a core, its clauses, a solver's proof."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.chirotope import circuit_clauses, relation_clauses, sign_matrix
from samapprox.final_polynomial import FinalPolynomial
from samapprox.obstruction import Chirotope, Side
from samapprox.problem import Problem
from samapprox.solvers.search import Search

__all__ = [
    "NAME",
    "Answer",
    "Core",
    "Refuter",
    "applies",
    "find_proof",
    "first_turn",
    "minimal",
    "refuted",
    "solve",
]

NAME = "chirotope"

Entries = NDArray[np.int8]
Lemmas = list[list[int]]

_MOST_RANK = 10
_MOST_CLAUSES = 400_000
_TIDYING = 5.0  # seconds for making a refuted core minimal
_CONFLICTS = 2_000  # between two looks at the clock


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} has too many clauses"
    return None


def first_turn(_problem: Problem) -> float:
    """Seconds that are worth a try: a core of some ten elements."""
    return 0.1


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Refute a core by SAT, circuits first, then with the Grassmann-Pluecker relations.

    Parameters
    ----------
    problem : Problem
    search : Search
        `violations` tell where to look first.

    Returns
    -------
    Proof or str
        A `Chirotope` on a core from which no row and no column can go, or why there is none.

    Notes
    -----
    C(N, d + 2) (min(m, 2^d)) clauses for N elements, the smaller side of the pattern or of a part
    of it that has many kinds of covectors on few elements.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> pattern = generate("all-subsets", n=5, k=2).pattern
    >>> find_proof(Problem(pattern, 2), Search()).elements
    'columns'
    """
    entries = problem.pattern.to_array()
    fitting, whole = 0, False
    for side, rows, columns in _cores(entries, problem.d + 1, search):
        whole = whole or (len(rows), len(columns)) == entries.shape
        core = refuted(Core(problem.d, entries, side, rows, columns), search)
        if core is not None:
            return minimal(core, search.extended(_TIDYING)).proof()
        if search.out_of_time:
            return "no time left"
        fitting += 1
    if whole:
        search.exhausted.add(NAME)
        return "all of it has fitting orientations"
    return f"{fitting} parts have fitting orientations"


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """Some rows and columns of a pattern; with the lemmas of a refutation, once there is one."""

    d: int
    entries: Entries
    side: Side
    rows: list[int]
    columns: list[int]
    relations: bool = False
    lemmas: Lemmas | None = None
    polynomials: tuple[FinalPolynomial, ...] = ()

    def without(self, names: Collection[int], *, column: bool) -> Core:
        """The core without some rows or columns."""
        if column:
            return replace(self, columns=[name for name in self.columns if name not in names])
        return replace(self, rows=[name for name in self.rows if name not in names])

    def proof(self) -> Chirotope:
        """The certificate."""
        assert self.lemmas is not None
        return Chirotope(
            self.d,
            self.rows,
            self.columns,
            self.side,
            self.relations,
            self.lemmas,
            self.polynomials,
        )


def refuted(core: Core, search: Search) -> Core | None:
    """The core with a refutation; None if its clauses can be satisfied or time is up."""
    signs = sign_matrix(core.entries[np.ix_(core.rows, core.columns)], core.side)
    rank, elements = core.d + 1, signs.shape[1]
    if elements <= rank or len(signs) < 2:
        return None
    clauses = circuit_clauses(signs, rank).tolist()
    clauses += [list(polynomial.clause) for polynomial in core.polynomials]
    if not core.relations:
        lemmas = _refutation(clauses, search)
        if lemmas is not None:
            return replace(core, lemmas=lemmas)
    if (
        elements < rank + 2
        or search.out_of_time
        or 16 * comb(elements, rank + 2) * comb(rank + 2, 4) > _MOST_CLAUSES
    ):
        return None
    lemmas = _refutation(clauses + relation_clauses(elements, rank).tolist(), search)
    return None if lemmas is None else replace(core, relations=True, lemmas=lemmas)


Refuter = Callable[[Core, Search], Core | None]
"""What tells whether a core can still be refuted, and gives it back if so."""


def minimal(core: Core, search: Search, refute: Refuter = refuted) -> Core:
    """A core without a row or column that could go; elements first, their clauses are many."""
    core = reduced(core, search, refute, column=core.side == "columns")
    return reduced(core, search, refute, column=core.side != "columns")


def reduced(core: Core, search: Search, refute: Refuter = refuted, *, column: bool) -> Core:
    """The core without what it can do without on one side: halves, quarters, .., single ones."""
    size = len(core.columns if column else core.rows)
    while size > 1:
        size = (size + 1) // 2
        names = core.columns if column else core.rows
        for start in range(0, len(names), size):
            if search.out_of_time:
                return core
            part = set(names[start : start + size])
            core = refute(core.without(part, column=column), search) or core
    return core


@dataclass(frozen=True, slots=True)
class Answer:
    """What a SAT solver says: a satisfying assignment, or the lemmas of a refutation."""

    true: frozenset[int] = frozenset()
    lemmas: Lemmas | None = None


def solve(clauses: list[list[int]], search: Search) -> Answer | None:
    """Satisfy or refute clauses in which the first variable may be taken as true.

    Returns
    -------
    Answer or None
        None when time is up.
    """
    from pysat.solvers import Solver

    with Solver("glucose4", bootstrap_with=clauses, with_proof=True) as solver:
        solver.add_clause([1])
        answer = None
        while answer is None and not search.out_of_time:
            solver.conf_budget(_CONFLICTS)
            answer = solver.solve_limited()
        if answer is None:
            return None
        if answer:
            return Answer(true=frozenset(v for v in solver.get_model() if v > 0))
        lines = [line.split() for line in solver.get_proof()]
    lemmas = [[int(literal) for literal in line[:-1]] for line in lines if line[0] != "d"]
    return Answer(lemmas=[lemma for lemma in lemmas if lemma])


def _refutation(clauses: list[list[int]], search: Search) -> Lemmas | None:
    """Lemmas; None if the clauses can be satisfied or time is up."""
    answer = solve(clauses, search)
    return None if answer is None else answer.lemmas


# ---------------------------------------------------------------- choosing cores


def _cores(entries: Entries, rank: int, search: Search) -> list[tuple[Side, list[int], list[int]]]:
    """Cores to try: small sets of elements of either side with many covectors, hard ones first."""
    rows, columns = entries.shape
    rng = np.random.RandomState(search.seed % (1 << 32))
    sizes = {
        side: _affordable(rank, others) for side, others in (("columns", rows), ("rows", columns))
    }
    cores: list[tuple[Side, list[int], list[int]]] = []
    order: list[Side] = ["columns", "rows"] if columns <= rows + 1 else ["rows", "columns"]
    for side in order:
        own = columns if side == "columns" else rows
        if own <= sizes[side]:
            cores.append((side, list(range(rows)), list(range(columns))))
    if cores:
        return cores[:1]
    hot = _violated(entries.shape, search)
    for attempt in range(8):
        for side in order:
            matrix = entries if side == "columns" else entries.T
            size = min(matrix.shape[1], sizes[side], rank + 4 + 2 * attempt)
            weights = hot[1] if side == "columns" else hot[0]
            chosen = sorted(_telling(matrix, size, weights, rng))
            everything = list(range(matrix.shape[0]))
            cores.append(
                (side, everything, chosen) if side == "columns" else (side, chosen, everything)
            )
    return cores


def _affordable(rank: int, covectors: int) -> int:
    """So many elements give a number of clauses that a solver takes in a moment."""
    size = rank + 1
    kinds = min(covectors + 1, 1 << rank)
    while 2 * kinds * comb(size + 1, rank + 1) <= _MOST_CLAUSES // 10 and size < 40:
        size += 1
    return size


def _violated(shape: tuple[int, int], search: Search) -> tuple[NDArray[np.float64], ...]:
    """How often each row and each column stood in an entry that a search could not satisfy."""
    counts = tuple(np.zeros(size) for size in shape)
    for places in search.violations[-50:]:
        for axis in (0, 1):
            np.add.at(counts[axis], places[:, axis], 1.0 / max(1, len(places)))
    return counts


def _telling(
    matrix: Entries, size: int, weights: NDArray[np.float64], rng: np.random.RandomState
) -> list[int]:
    """Columns on which the rows show many kinds, the violated ones preferred."""
    scores = weights / max(1e-9, float(weights.max(initial=0))) + rng.random_sample(len(weights))
    pool = np.argsort(-scores)[: max(size, 40)].tolist()
    chosen = [pool.pop(0)]
    codes = np.zeros(len(matrix), dtype=np.int64)
    base = matrix[:, chosen[0]]
    while len(chosen) < size and pool:
        options = [2 * codes + (matrix[:, j] != base) for j in pool]
        counts = [len(np.unique(option)) for option in options]
        best = int(np.argmax(np.array(counts) + 1e-3 * scores[pool]))
        codes = np.unique(options[best], return_inverse=True)[1].reshape(-1)
        chosen.append(pool.pop(best))
    return chosen
