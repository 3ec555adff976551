"""Minimal cores: from which no row and no column can go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

import numpy as np

from samapprox.proofs.refutations.orientation_clauses import (
    circuit_kinds,
    count_relations,
    kind_clauses,
    most_clauses,
    relation_clauses,
)
from samapprox.solvers.engine.backends import Sat, list_clauses, minimal_switches
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.contractions import (
    Contractions,
    keep_relations,
    read_orientations,
)
from samapprox.solvers.orientations.cores import (
    MOST_TO_TIDY,
    Core,
    choose_covectors,
    elements_of,
    refute,
    shown_kinds,
)
from samapprox.support.limits import search_clock

_FEW = 20_000  # up to so many clauses, asking which ones are needed takes milliseconds
_LEAST_TIDYING = 2.0  # seconds for making a core minimal, or as many as its refutation took
_SHARE_OF_TIDYING = 0.25  # of the time, at most, where there is no refutation with lemmas yet


def minimal(core: Core, search: Search) -> Core | None:
    """Reduce a contradictory core to what it needs, with its refutation.

    Every kind of circuit, line and final polynomial has a Boolean that switches its clauses on. The
    kinds that contradict each other lead to few covectors that show them. With all others but one
    switched on, the solver then finds that this line or polynomial is needed, or a smaller set that
    is contradictory: one incremental call each. Relations need no switches: every uniform oriented
    matroid has extensions by one element more. Where they are few, the solver receives those that
    its models violate. If circuits are few, they are asked first, before there is a refutation with
    lemmas.

    Belov, Lynce, Marques-Silva (2012), "Towards efficient MUS extraction"; Björner et al.,
    "Oriented Matroids", section 7.2, for lexicographic extensions.
    """
    started, proven = search_clock.now(), None
    smaller = _shrink(core, _tidying(search, 0.0)) if _is_quick(core) else None
    if smaller is None:
        started = search_clock.now()
        proven = refute(_sort_lines(core), search)
        took = search_clock.now() - started
        # Shrinking it, refuting the rest, and checking that refutation take about as long each.
        if proven is None or search.remaining < 3 * took:
            return proven
        smaller = _shrink(proven, search.slice(max(_LEAST_TIDYING, took), 0)) or proven
    if not smaller.relations and _has_few_relations(smaller):
        part = _tidying(search, search_clock.now() - started)
        smaller = _shrink(replace(smaller, relations=True), part) or smaller
    if proven is not None and smaller.signs.size == proven.signs.size:
        return proven
    return refute(_sort_lines(smaller), search) or proven or refute(_sort_lines(core), search)


def _tidying(search: Search, seconds: float) -> Search:
    """Return a part of the search for making a core minimal; its refutation takes the rest."""
    seconds = min(max(_LEAST_TIDYING, seconds), _SHARE_OF_TIDYING * search.remaining)
    return search.slice(seconds, 0)


def _sort_lines(core: Core) -> Core:
    """Sort its rows and columns, unless polynomials refer to their numbers."""
    if core.polynomials:
        return core
    return replace(core, rows=sorted(core.rows), columns=sorted(core.columns))


def _has_few_relations(core: Core) -> bool:
    """Return whether relations are few enough to add all of them, even if some would do."""
    return 0 < count_relations(core.signs.shape[1], core.d + 1) <= MOST_TO_TIDY


def _is_quick(core: Core) -> bool:
    """Return whether circuits are few enough to ask first which of them contradict each other."""
    covectors, elements = core.signs.shape
    rank = core.d + 1
    return not core.relations and most_clauses(elements, covectors, rank, relations=False) <= _FEW


def _shrink(core: Core, search: Search) -> Core | None:
    """Drop lines that the core's clauses do not need, with the relations if so asked.

    None if the clauses can be satisfied, or time is up before an answer.
    """
    core = replace(_drop_repetitions(core), used=core.used)
    signs, rank = core.signs, core.d + 1
    covectors, elements = signs.shape
    subsets, codes = circuit_kinds(signs, rank)
    shows = shown_kinds(signs, subsets, codes)
    sizes = np.array([covectors, elements, len(codes), len(core.polynomials)])
    switches = 1 + comb(elements, rank) + np.arange(sizes.sum())
    of_covector, of_element, of_kind, of_polynomial = np.split(switches, sizes.cumsum()[:-1])
    # The extra query is always there.
    fixed = (of_covector if core.side == "columns" else of_element)[:1].tolist()
    few = _has_few_relations(core)
    with _Switches(search, (elements, rank) if core.relations and few else None) as sat:
        sat.add([[1], *([switch] for switch in fixed)])
        off = np.column_stack([of_element[subsets], of_kind])
        clauses = np.column_stack([kind_clauses(subsets, codes), np.tile(-off, (2, 1))])
        sat.add(list_clauses([clauses], search))
        needs = [elements_of(polynomial) for polynomial in core.polynomials]
        for polynomial, named, switch in zip(core.polynomials, needs, of_polynomial, strict=True):
            sat.add([[*polynomial.clause, *(-of_element[named]).tolist(), -int(switch)]])
        if core.relations and elements >= rank + 2 and (core.used or not few):
            sat.add(list_clauses([relation_clauses(elements, rank, core.used or None)], search))
        if sat.solve(np.concatenate([of_element, of_kind, of_polynomial]).tolist()) is not False:
            return None
        circuits = np.isin(of_kind, sat.conflict)
        first = core.side == "columns"
        chosen = np.array(choose_covectors(shows[:, circuits], first=first), dtype=np.int64)
        which, kinds = np.nonzero(shows[chosen])
        shown = np.column_stack([-of_covector[chosen][which], of_kind[kinds]])
        sat.add(list_clauses([shown], search))
        free = np.concatenate([of_element, of_covector[chosen], of_polynomial])
        kept = minimal_switches(sat, np.setdiff1d(free, fixed).tolist())
    lines = [np.flatnonzero(np.isin(of, [*fixed, *kept])) for of in (of_covector, of_element)]
    polynomials = tuple(
        polynomial
        for polynomial, named, stays in zip(
            core.polynomials, needs, np.isin(of_polynomial, kept), strict=True
        )
        if stays and np.isin(named, lines[1]).all()
    )
    smaller = replace(core, polynomials=polynomials).chosen(*(line.tolist() for line in lines))
    # The next refutation begins with the relations of this one.
    used = np.union1d(np.array(core.used, dtype=np.int64), sat.added)
    known = keep_relations(used, lines[1], elements, rank)
    return replace(smaller, used=tuple(known.tolist()))


class _Switches(Sat):
    """A solver of clauses with switches, which receives relations as its models violate them."""

    def __init__(self, search: Search, size: tuple[int, int] | None) -> None:
        super().__init__(search)
        self._size = size
        self._rng = np.random.RandomState(0)
        self.added = np.empty(0, dtype=np.int64)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Return whether all clauses and relations can be satisfied, with the assumptions."""
        while (answer := super().solve(assumptions)) and self._size is not None:
            chi = read_orientations(self.true, *self._size)
            violated = Contractions.of(*self._size).violated(chi, self._rng)
            if not len(violated):
                break
            self.added = np.union1d(self.added, violated)
            relations = relation_clauses(*self._size, violated.tolist())
            self.add(list_clauses([relations], self.search))
        return answer


def _drop_repetitions(core: Core) -> Core:
    """Keep one of each kind of covectors, up to sign."""
    signs = core.signs
    leading = signs[np.arange(len(signs)), (signs != 0).argmax(axis=1)]
    normal = signs * leading[:, None]
    firsts = np.sort(np.unique(normal, axis=0, return_index=True)[1])
    return core.chosen(firsts.tolist(), list(range(signs.shape[1])))
