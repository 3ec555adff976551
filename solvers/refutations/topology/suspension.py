"""Topological refutations as suspensions of cycles beside one element, the apex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Side
from samapprox.proofs.kinds.topological import Topological
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.topology.cycles import CycleSearch

__all__ = ["Part", "Suspension", "SuspensionSearch", "shrink", "suspend"]

Numbers = NDArray[np.int64]
Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some covectors and elements of a pattern."""

    d: int
    side: Side  # the lines that are the elements
    signs: Signs  # all covectors on all elements: see `orientation_clauses.sign_matrix`
    covectors: Numbers  # the chosen ones. The first element is the apex; the next ones matter most
    elements: Numbers  # the chosen ones. The first element is the apex; the next ones matter most


@dataclass(frozen=True, slots=True, eq=False)
class Suspension:
    """An odd cycle, each pattern of which two covectors extend by the apex with both signs."""

    part: Part  # on the elements and covectors that it uses
    # (members, d + 3): A covector and d + 2 ascending elements each, as numbers in `part.signs`.
    members: Numbers

    def proof(self) -> Topological:
        """Return the certificate."""
        covectors, elements = np.sort(self.part.covectors), np.sort(self.part.elements)
        members = self.members.copy()
        if self.part.side == "columns":  # row 0 has a place whether it is used or not
            rows, columns = covectors[covectors > 0] - 1, elements
            members[:, 0] = np.searchsorted(np.append(0, rows + 1), members[:, 0])
            members[:, 1:] = np.searchsorted(columns, members[:, 1:])
        else:
            rows, columns = elements[elements > 0] - 1, covectors
            members[:, 0] = np.searchsorted(columns, members[:, 0])
            members[:, 1:] = np.searchsorted(np.append(0, rows + 1), members[:, 1:])
        return Topological(self.part.d, rows.tolist(), columns.tolist(), self.part.side, members)


def suspend(part: Part, search: Search) -> Suspension | str:
    """Refute a part, or say why this fails: see `SuspensionSearch`."""
    return SuspensionSearch(part).resume(search)


class SuspensionSearch:
    """A search for a refutation of a part, which may pause and go on.

    Multiply each covector by its sign at the apex. Opposed patterns are those on d + 1 other
    elements that occur with both signs. A cycle of members is, up to boundaries, a cycle of these:
    docs/theory/topological.md, which says why patterns beside the apex are enough.
    """

    def __init__(self, part: Part) -> None:
        apex, self._others = part.elements[0], part.elements[:0:-1]  # the last ones come first
        at_apex = part.signs[part.covectors, apex]
        known = part.covectors[at_apex != 0]
        oriented = part.signs[np.ix_(known, self._others)] * part.signs[known, apex][:, None]
        self._distinct, first = np.unique(oriented, axis=0, return_index=True)
        self._covectors = known[first]
        self._part = part
        self._cycles = CycleSearch(self._distinct, part.d + 1)

    def resume(self, search: Search) -> Suspension | str:
        """Go on until the search is over or out of time."""
        cycle = self._cycles.resume(search)
        return cycle if isinstance(cycle, str) else self._extend(cycle)

    def _extend(self, cycle: Numbers) -> Suspension:
        """Extend each pattern of an odd cycle by the apex, with both signs."""
        part, apex = self._part, self._part.elements[0]
        places = np.repeat(cycle >> 1, 2, axis=0)
        signs = np.repeat(1 - 2 * (cycle & 1), 2, axis=0).astype(np.int8)
        signs[1::2] *= -1
        covectors = self._covectors[_choose_covectors(self._distinct, places, signs)]
        elements = np.column_stack([self._others[places], np.full(len(places), apex)])
        members = np.column_stack([covectors, np.sort(elements, axis=1)])
        used = np.isin(part.elements, elements)
        smaller = replace(part, covectors=np.unique(covectors), elements=part.elements[used])
        return Suspension(smaller, members[np.lexsort(members.T[::-1])])


def _choose_covectors(distinct: Signs, places: Numbers, signs: Signs) -> Numbers:
    """Choose a covector for each pattern: one with many patterns, so that few are chosen in all."""

    def shown(covector: int) -> NDArray[np.bool_]:
        return np.asarray((distinct[covector][places] == signs).all(axis=1))

    counts = np.array([shown(covector).sum() for covector in range(len(distinct))])
    chosen = np.full(len(places), -1, dtype=np.int64)
    for covector in np.argsort(-counts, kind="stable").tolist():
        chosen[shown(covector) & (chosen < 0)] = covector
    return chosen


def shrink(found: Suspension, search: Search) -> Suspension:
    """Leave out elements and covectors as long as the others are refuted, and time is left."""
    found = _leave_out(found, lambda part: part.elements, _keep_elements, search)
    return _leave_out(found, lambda part: part.covectors, _keep_covectors, search)


def _keep_elements(part: Part, kept: Numbers) -> Part:
    return replace(part, elements=kept)


def _keep_covectors(part: Part, kept: Numbers) -> Part:
    return replace(part, covectors=kept)


def _leave_out(
    found: Suspension,
    lines: Callable[[Part], Numbers],
    keep: Callable[[Part, Numbers], Part],
    search: Search,
) -> Suspension:
    """Leave out half of the lines, then smaller shares, then one after the other."""
    share = (len(lines(found.part)) + 1) // 2
    while share:
        at = len(lines(found.part)) - share  # from the last one, which matters least
        while at > -share:
            if search.out_of_time:
                return found
            kept = np.delete(lines(found.part), np.arange(max(0, at), at + share))
            smaller = suspend(keep(found.part, kept), search) if len(kept) else "nothing is left"
            if isinstance(smaller, Suspension):
                found = smaller
                at = min(at, len(lines(found.part)))
            at -= share
        share //= 2
    return found
