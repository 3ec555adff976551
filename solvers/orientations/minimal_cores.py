"""Minimal cores: from which no row and no column can go."""

from __future__ import annotations

import time
from dataclasses import replace
from math import comb

import numpy as np

from samapprox.proofs.checks.orientation_clauses import (
    circuit_kinds,
    count_relations,
    kind_clauses,
    relation_clauses,
)
from samapprox.solvers.backends.sat import Sat
from samapprox.solvers.orientations.contractions import keep_relations
from samapprox.solvers.orientations.cores import MOST_TO_TIDY, Core, refute
from samapprox.solvers.orientations.switches import minimal_switches
from samapprox.solvers.search import Search

__all__ = ["minimal"]

_LEAST_TIDYING = 2.0  # seconds for making a core minimal; or as many as it took to refute it


def minimal(core: Core, search: Search) -> Core | None:
    """Reduce a contradictory core to what it needs, with its refutation.

    Parameters
    ----------
    core : Core
        With polynomials its elements stay, since those go by their numbers.
    search : Search
        Without as much time again as a first refutation took, some line may stay that could go.

    Returns
    -------
    Core or None
        From which no row and no column can go; None without time for a refutation. Of many
        relations only those count that the first refutation used.

    Notes
    -----
    Every line has a Boolean that switches its clauses on. Assuming all but one of them, the solver
    tells that this one is needed, or names fewer that contradict each other already: one
    incremental call a line. Relations need no switches: every uniform oriented matroid has
    extensions by one element more.

    References
    ----------
    Belov, Lynce, Marques-Silva (2012), "Towards efficient MUS extraction"; Björner et al.,
    "Oriented Matroids", section 7.2, for lexicographic extensions.

    Examples
    --------
    >>> lines = [0, 1, 2, 3]
    >>> core = minimal(Core(1, np.eye(4, dtype=np.int8), "columns", lines, lines), Search())
    >>> core.rows, core.columns
    ([0, 1, 2], [0, 1, 2])
    """
    started = time.monotonic()
    proven = refute(_ordered(core), search)
    took = time.monotonic() - started
    # To shrink it, to refute what is left, and to check that will take as long each.
    if proven is None or search.remaining < 3 * took:
        return proven
    part = search.slice(max(_LEAST_TIDYING, took), 0)
    smaller = _shrunk(proven, part)
    if not smaller.relations and _few_relations(smaller):
        smaller = _shrunk(replace(smaller, relations=True), part)
    if smaller.signs.size == proven.signs.size:
        return proven
    return refute(_ordered(smaller), search) or proven


def _ordered(core: Core) -> Core:
    """Sort its rows and columns, unless polynomials refer to their numbers."""
    if core.polynomials:
        return core
    return replace(core, rows=sorted(core.rows), columns=sorted(core.columns))


def _few_relations(core: Core) -> bool:
    """Return whether all of them may be added where some are enough."""
    return 0 < count_relations(core.signs.shape[1], core.d + 1) <= MOST_TO_TIDY


def _shrunk(core: Core, search: Search) -> Core:
    """Drop lines that the core's clauses do not need, with the relations if so asked."""
    core = replace(_distinct(core), used=core.used)
    signs, rank = core.signs, core.d + 1
    covectors, elements = signs.shape
    first = 1 + comb(elements, rank)
    of_covector = first + np.arange(covectors)
    of_element = first + covectors + np.arange(elements)
    with Sat(search) as sat:
        sat.add([[1]])
        for covector, switch in enumerate(of_covector):
            subsets, codes = circuit_kinds(signs[covector : covector + 1], rank)
            clauses = kind_clauses(subsets, codes)
            off = np.tile(-of_element[subsets], (2, 1))
            sat.add(np.column_stack([clauses, off, np.full(len(off), -switch)]).tolist())
        sat.add(list(polynomial.clause) for polynomial in core.polynomials)
        if core.relations and elements >= rank + 2:
            numbers = None if _few_relations(core) else core.used or None
            sat.add(relation_clauses(elements, rank, numbers).tolist())
        # The extra query is always there.
        fixed = [int((of_covector if core.side == "columns" else of_element)[0])]
        fixed += of_element.tolist() if core.polynomials else []
        sat.add([[switch] for switch in fixed])
        switches = [s for s in [*of_element.tolist(), *of_covector.tolist()] if s not in fixed]
        kept = {*fixed, *minimal_switches(sat, switches)}
    lines = [
        [at for at, switch in enumerate(of.tolist()) if switch in kept]
        for of in (of_covector, of_element)
    ]
    smaller = core.chosen(*lines)
    # The next refutation begins with the relations of this one.
    used, kept_elements = np.array(core.used, dtype=np.int64), np.array(lines[1])
    known = keep_relations(used, kept_elements, elements, rank)
    return replace(smaller, used=tuple(known.tolist()))


def _distinct(core: Core) -> Core:
    """Keep one of each kind of covectors, up to sign."""
    signs = core.signs
    leading = signs[np.arange(len(signs)), (signs != 0).argmax(axis=1)]
    normal = signs * leading[:, None]
    firsts = np.sort(np.unique(normal, axis=0, return_index=True)[1])
    return core.chosen(firsts.tolist(), list(range(signs.shape[1])))
