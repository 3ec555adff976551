"""Suspensions of odd cycles by an apex: topological refutations of parts, and smaller ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Side
from samapprox.proofs.refutations.topological import Topological
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.elimination.cycles import CycleSearch
from samapprox.solvers.refutations.elimination.tree_cycles import TreeSearch
from samapprox.support.arrays import Numbers, Signs

LEAST_WITH_TREE = 4
"""Dimensions from which on a matching tree takes less time than pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some covectors and elements of a pattern."""

    d: int
    side: Side  # the lines that are the elements
    signs: Signs  # all covectors on all elements: see `orientation_clauses.sign_matrix`
    covectors: Numbers  # the chosen ones
    elements: Numbers  # the chosen ones. The first element is the apex; the next ones matter most

    def keep(self, of: str, kept: Numbers) -> Part:
        """Restrict it to some of its elements, or of its covectors."""
        return replace(self, elements=kept) if of == "elements" else replace(self, covectors=kept)


@dataclass(frozen=True, slots=True, eq=False)
class Suspension:
    """An odd cycle, each pattern of which two covectors extend by the apex with both signs."""

    part: Part  # on the elements and covectors that it uses
    # (members, d + 3): A covector and d + 2 ascending elements each, as numbers in `part.signs`.
    members: Numbers

    def proof(self) -> Topological:
        """Return the certificate."""
        return build_proof(self.part.d, self.part.side, self.members)


def build_proof(d: int, side: Side, members: Numbers) -> Topological:
    """Return the certificate of a cycle, on the rows and columns that its members name."""
    parts = members[:, :1], members[:, 1:]  # a covector, and its elements
    lines = [np.unique(part) for part in parts]
    of_rows = 0 if side == "columns" else 1
    # Row 0 is number 0 of its side, whether or not a member names it.
    lines[of_rows] = np.union1d(0, lines[of_rows])
    places = [np.searchsorted(line, part) for line, part in zip(lines, parts, strict=True)]
    return Topological(d, lines[of_rows][1:] - 1, lines[1 - of_rows], side, np.hstack(places))


def suspend(part: Part, search: Search) -> Suspension | str:
    """Refute a part, or say why this fails: see `SuspensionSearch`."""
    return SuspensionSearch(part).resume(search)


class SuspensionSearch:
    """A search for a refutation of a part, which may pause and go on.

    Multiply each covector by its sign at the apex. Opposed patterns are those on d + 1 other
    elements that occur with both signs. A cycle of members is, up to boundaries, a cycle of these:
    docs/theory/topological.md, which says why patterns beside the apex are enough.
    """

    def __init__(self, part: Part, *, with_tree: bool | None = None) -> None:
        with_tree = part.d >= LEAST_WITH_TREE if with_tree is None else with_tree
        apex = part.elements[0]
        # Promising elements come first in a tree, and last where larger elements have more pairs.
        self._others = part.elements[1:] if with_tree else part.elements[:0:-1]
        at_apex = part.signs[part.covectors, apex]
        known = part.covectors[at_apex != 0]
        oriented = part.signs[np.ix_(known, self._others)] * part.signs[known, apex][:, None]
        self._distinct, first = np.unique(oriented, axis=0, return_index=True)
        self._covectors = known[first]
        self._part = part
        self._cycles = (TreeSearch if with_tree else CycleSearch)(self._distinct, part.d + 1)

    @property
    def tree_columns(self) -> int:
        """How many columns a matching tree has left so far."""
        return self._cycles.columns if isinstance(self._cycles, TreeSearch) else 0

    @property
    def is_listed(self) -> bool:
        """Whether a matching tree is complete: all of its columns are known."""
        return isinstance(self._cycles, TreeSearch) and self._cycles.is_listed

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
    for of in ("elements", "covectors"):
        found = _leave_out(found, of, search)
    return found


def _leave_out(found: Suspension, of: str, search: Search) -> Suspension:
    """Leave out half of the elements (or covectors), then smaller shares, then single ones."""
    lines: Numbers = getattr(found.part, of)
    share = (len(lines) + 1) // 2
    while share:
        at = len(lines) - share  # from the last one, which matters least
        while at > -share:
            if search.out_of_time:
                return found
            kept = np.delete(lines, np.arange(max(0, at), at + share))
            smaller = suspend(found.part.keep(of, kept), search) if len(kept) else None
            if isinstance(smaller, Suspension):
                found, lines = smaller, getattr(smaller.part, of)
                at = min(at, len(lines))
            at -= share
        share //= 2
    return found
