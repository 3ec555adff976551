"""Cores: few rows and columns whose clauses already contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Side
from samapprox.proofs.checks.orientation_clauses import (
    Clauses,
    circuit_clauses,
    circuit_kinds,
    count_relations,
    kind_clauses,
    most_clauses,
    relation_clauses,
    sign_matrix,
)
from samapprox.proofs.kinds.chirotope import Chirotope
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial
from samapprox.solvers.backends.sat import Lemmas, Sat, refutation
from samapprox.solvers.orientations.trim import trim
from samapprox.solvers.search import Search

__all__ = ["MOST_TO_TIDY", "Core", "affordable_elements", "grown", "most_elements", "refute"]

_MOST_RELATIONS = 125_000  # of a core that is likely to be refuted
_RELATIONS_A_SECOND = 30_000  # that are built, roughly
_MOST_GROWN = 35_000  # of one that may have fitting orientations
_FEW_CLAUSES = 5_000  # up to which every element more is worth a call of the solver
_FEW_TO_TRIM = 20_000  # clauses, up to which loading compiled code takes longer than it saves
_AT_ONCE = 4_096  # clauses that are made lists

MOST_TO_TIDY = 1_000
"""The most relations that a core is made minimal with, where circuits were enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """Some rows and columns of a pattern; once refuted with lemmas and the relations they use.

    Of more relations than `sample` only as many are tried, drawn at random: where the circuits
    nearly contradict each other these are enough, and the solver is several times as fast.
    """

    d: int
    entries: NDArray[np.int8]
    side: Side
    rows: list[int]
    columns: list[int]
    relations: bool = False
    used: tuple[int, ...] = ()
    lemmas: Lemmas | None = None
    polynomials: tuple[FinalPolynomial, ...] = ()
    sample: int | None = None

    @property
    def signs(self) -> NDArray[np.int8]:
        """The core's covectors on its elements, one per row."""
        return sign_matrix(self.entries[np.ix_(self.rows, self.columns)], self.side)

    def chosen(self, covectors: list[int], elements: list[int]) -> Core:
        """Some of its covectors and elements, by number; the extra query is 0 on its side."""
        by_row, by_column = (
            (covectors, elements) if self.side == "columns" else (elements, covectors)
        )
        rows = [self.rows[at - 1] for at in by_row if at > 0]
        columns = [self.columns[at] for at in by_column]
        return replace(self, rows=rows, columns=columns, used=(), lemmas=None)

    def proof(self) -> Chirotope:
        """Return the certificate."""
        assert self.lemmas is not None
        return Chirotope(
            self.d,
            self.rows,
            self.columns,
            self.side,
            self.relations and (self.used or True),
            self.lemmas,
            self.polynomials,
        )


def most_elements(rank: int, relations: float = _MOST_RELATIONS) -> int:
    """Return the most elements with at most so many three-term relations.

    Examples
    --------
    >>> most_elements(5), most_elements(5, 16_000)
    (14, 11)
    """
    most = rank + 1
    while count_relations(most + 1, rank) <= min(relations, _MOST_RELATIONS):
        most += 1
    return most


def affordable_elements(rank: int, covectors: int, clauses: int) -> int:
    """Return the most elements with at most so many clauses, without relations; at least r + 1.

    Examples
    --------
    >>> affordable_elements(3, 10, 1_000), affordable_elements(3, 10, 0)
    (7, 4)
    """
    size = rank + 1
    while most_clauses(size + 1, covectors, rank, relations=False) <= clauses:
        size += 1
    return size


def refute(core: Core, search: Search) -> Core | None:
    """Refute a core; return None if its clauses can be satisfied or time is up.

    Parameters
    ----------
    core : Core
    search : Search
        Half of its time stays, for the check.

    Returns
    -------
    Core or None
        With lemmas, the relations that they use, and few covectors.

    Notes
    -----
    Relations are added where circuits alone can be satisfied, or where the core says so and they
    are many: then satisfying the circuits may take long. Long refutations are trimmed.

    Examples
    --------
    >>> lines = [0, 1, 2]
    >>> refute(Core(1, np.eye(3, dtype=np.int8), "columns", lines, lines), Search()).lemmas
    [[2, -3], [-2, -3], [-2, 3], [2, 3], [3]]
    """
    search = search.half()
    signs = core.signs
    rank, elements = core.d + 1, signs.shape[1]
    if elements <= rank:
        return None
    kinds = circuit_kinds(signs, rank)
    given = [np.array([[1]])]
    given += [np.array([polynomial.clause]) for polynomial in core.polynomials]
    circuits = kind_clauses(*kinds)
    relations = count_relations(elements, rank)
    proven = None
    if not core.relations or relations <= MOST_TO_TIDY:
        proven = _trimmed_refutation(given, [circuits], search)
    affordable = min(_MOST_RELATIONS, _RELATIONS_A_SECOND * search.remaining)
    numbers = _draw(relations, core.sample)
    if proven is None and 0 < len(numbers) <= affordable:
        chosen = None if len(numbers) == relations else numbers.tolist()
        blocks = [circuits, relation_clauses(elements, rank, chosen)]
        proven = _trimmed_refutation(given, blocks, search)
    if proven is None:
        return None
    (of_circuits, *of_relations), lemmas = proven
    mine = np.unique(of_circuits % len(kinds[1]))  # a kind forbids itself and its opposite
    telling = _telling(signs, kinds[0][mine], kinds[1][mine], core.side == "columns")
    # The clauses of a relation stand as many apart as there are relations among them.
    used = [n for each in of_relations for n in numbers[np.unique(each % len(numbers))].tolist()]
    return replace(
        core.chosen(telling, list(range(elements))),
        relations=bool(used),
        used=tuple(used) if len(used) < relations else (),
        lemmas=lemmas,
    )


def _draw(relations: int, sample: int | None) -> NDArray[np.int64]:
    """Return the places of all relations, or of so many, ascending."""
    if sample is None or relations <= sample:
        return np.arange(relations)
    return np.sort(np.random.RandomState(0).permutation(relations)[:sample])


def _trimmed_refutation(
    given: list[Clauses], blocks: list[Clauses], search: Search
) -> tuple[list[NDArray[np.int64]], Lemmas] | None:
    """Select the clauses of each block that a refutation needs, and its lemmas, or None."""
    every = [*given, *blocks]
    lemmas = refutation(_listed(every), search)
    if lemmas is None:
        return None
    if sum(map(len, every)) < _FEW_TO_TRIM:
        return [np.arange(len(block)) for block in blocks], lemmas
    used, lemmas = trim(every, lemmas)
    return used[len(given) :], lemmas


def _listed(blocks: Sequence[Clauses]) -> Iterator[list[int]]:
    """Yield all clauses, some at a time: millions of lists at once are slow."""
    for block in blocks:
        for at in range(0, len(block), _AT_ONCE):
            yield from block[at : at + _AT_ONCE].tolist()


def _telling(
    signs: NDArray[np.int8], subsets: NDArray[np.int64], codes: NDArray[np.int64], first: bool
) -> list[int]:
    """Choose few covectors that show all these kinds, with the first one if required."""
    weights = 1 << np.arange(subsets.shape[1] - 1)
    shows = np.zeros((len(signs), len(codes)), dtype=np.bool_)
    for shown, covector in zip(shows, signs, strict=True):
        values = covector[subsets]
        shown[:] = (values[:, 1:] != values[:, :1]) @ weights == codes
        shown &= (values != 0).all(axis=1)
    telling: list[int] = []
    while shows.any():
        telling.append(0 if first and not telling else int(shows.sum(axis=1).argmax()))
        shows[:, shows[telling[-1]]] = False
    return sorted({*telling, *range(int(first))})


def grown(core: Core, search: Search) -> Core | None:
    """Return as many elements of the core, from the first on, as contradict each other.

    Parameters
    ----------
    core : Core
        Its elements in the order in which to take them.
    search : Search

    Returns
    -------
    Core or None
        Not refuted with lemmas yet, and with `relations` where circuits alone can be satisfied;
        None if all of it can be satisfied or time is up.

    Notes
    -----
    One incremental call of the solver an element, later one for every doubling of the clauses.

    Examples
    --------
    >>> lines = [0, 1, 2, 3]
    >>> grown(Core(1, np.eye(4, dtype=np.int8), "columns", lines, lines), Search()).columns
    [0, 1, 2]
    """
    signs = core.signs
    rank, elements = core.d + 1, signs.shape[1]
    clauses = circuit_clauses(signs, rank)
    # Numbers are colexicographic: those of the first s elements are the first C(s, rank).
    greatest = np.abs(clauses).max(axis=1)
    with Sat(search) as sat:
        sat.add([[1]])
        done = added = solved = 0
        for size in range(rank + 1, elements + 1):
            most = comb(size, rank)
            more = clauses[(greatest > done) & (greatest <= most)].tolist()
            sat.add(more)
            done, added = most, added + len(more)
            if size < elements and _FEW_CLAUSES < added < 2 * solved:
                continue
            solved = added
            answer = sat.solve()
            if answer is False:
                return core.chosen(list(range(len(signs))), list(range(size)))
            if answer is None:
                return None
        if not 0 < count_relations(elements, rank) <= _MOST_GROWN:
            return None
        sat.add(relation_clauses(elements, rank).tolist())
        return replace(core, relations=True) if sat.solve() is False else None
