"""Small blocks of a large pattern in which many rows and columns overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import count

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side, Submatrix
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Numbers, flags_at

FindProof = Callable[[Problem, Search], Proof | str]

_REFINEMENTS = 3  # rounds in which the other side's lines, and then the elements, are chosen again
_HEAVY = 3  # a line of the other side counts if it has so many ones on the elements
_MOST_LINES = 400  # lines of the other side in a block, at most
_MOST_ONES = 20_000_000  # the ones of a pattern by row and by column: so many take some 200 MB
_ONES_A_SECOND = 6_000_000  # that are listed by row and by column
_EXCERPT = 100_000  # entries of the part that represents a pattern that is too large
_SEEDS = 6  # blocks from different lines, among which the densest is taken
_SHARE = 0.9  # an element that holds more than this share of the lines distinguishes few of them
_FAVOUR = 10.0  # factor for lines that numeric searches left wrong, as starts of a block


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows and columns of a pattern, and the entries at their crossings."""

    side: Side  # the lines that are the elements: few
    rows: Numbers  # numbers in the pattern
    columns: Numbers  # numbers in the pattern
    entries: NDArray[np.int8]  # (rows, columns): 1, 0, and -1 for *

    @property
    def elements(self) -> int:
        """The number of rows or columns of its side."""
        return len(self.columns if self.side == "columns" else self.rows)


class Incidence:
    """The ones of a pattern by row and by column.

    O(m + n + ones) time and memory, whichever way the pattern is stored.
    """

    def __init__(self, pattern: Pattern) -> None:
        by_row = Pattern.from_storage(pattern.ones, None).to_sparse()
        self._lines = {"rows": by_row, "columns": by_row.T.tocsr()}

    @classmethod
    @lru_cache(maxsize=1)  # strategies ask for the same one in every turn
    def of(cls, pattern: Pattern) -> Incidence:
        """Return the incidence of a pattern, kept until another one is asked for."""
        return cls(pattern)

    def size(self, side: Side) -> int:
        """Return the number of rows or columns."""
        return int(self._lines[side].shape[0])

    def degrees(self, side: Side) -> Numbers:
        """Return the number of ones in every row, or in every column."""
        degrees: Numbers = np.diff(self._lines[side].indptr).astype(np.int64)
        return degrees

    def overlaps(self, side: Side) -> NDArray[np.float64]:
        """Count, for every row (column), the other ones in the columns (rows) of its ones."""
        lines, others = self._lines[side], self.degrees(_other(side)) - 1.0
        sums = np.append(0.0, np.cumsum(others[lines.indices]))
        overlaps: NDArray[np.float64] = np.diff(sums[lines.indptr])
        return overlaps

    def count(self, lines: Numbers, side: Side) -> Numbers:
        """Count the ones of every column in the given rows (of every row in given columns)."""
        indices, starts = self._lines[side].indices, self._lines[side].indptr
        # To index the matrix by lines takes several times as long.
        parts = [indices[starts[line] : starts[line + 1]] for line in lines.tolist()]
        joined = np.concatenate([indices[:0], *parts])
        counts: Numbers = np.bincount(joined, minlength=self.size(_other(side)))
        return counts


def too_many_ones(pattern: Pattern) -> str | None:
    """Return the reason why a pattern has too many ones to list by row and column, or None."""
    return f"it takes at most {_MOST_ONES} ones" if pattern.count > _MOST_ONES else None


def dense_blocks(pattern: Pattern, side: Side, elements: int, search: Search) -> Iterator[Block]:
    """Yield blocks in which many lines have several ones, endlessly, avoiding repetitions.

    A block grows around one line that shares ones with others. First come the lines of the other
    side that hold it, then the elements that most of these lines hold. The lines are then chosen
    again, as those that hold at least three elements (two if there are none), and so are the
    elements, a few times. In sparse patterns this finds neighbouring tokens and queries with common
    documents alike, in time linear in the ones of the lines that it touches. Elements that nearly
    all lines hold would be chosen everywhere, so only every other block takes them along. Of six
    blocks from different lines the densest is taken; every third block is a run of neighbouring
    elements instead, as masks and causal heads have them.
    """
    incidence = Incidence.of(pattern)
    rng = np.random.RandomState(search.seed)
    degrees, size = incidence.degrees(side), incidence.size(side)
    constant = np.flatnonzero(degrees > _SHARE * incidence.size(_other(side)))
    common = flags_at(constant, size)
    elements = min(elements, size)
    violated = search.count_violations(pattern.shape)[0 if side == "rows" else 1]
    weights = np.log1p(incidence.overlaps(side)) * (1 + _FAVOUR * violated)
    weights = np.cumsum(np.where(common, 0.0, weights) + 1e-12)
    for attempt in count():
        always = constant[: min(_HEAVY, elements - 1)] if attempt % 2 else constant[:0]
        wanted = elements - len(always)
        if attempt % 3 == 2:
            first = int(rng.randint(size - wanted + 1))
            chosen = first + np.arange(wanted)
        else:
            seeds = np.searchsorted(weights, rng.random_sample(_SEEDS) * weights[-1])
            grown = [_grow(incidence, side, seed, wanted, common, rng) for seed in seeds]
            chosen = max(grown, key=lambda one: _density(incidence, side, one))
        chosen = np.append(always, chosen[~np.isin(chosen, always)])
        yield block_of(pattern, side, chosen)


def on_excerpt(most_entries: int) -> Callable[[FindProof], FindProof]:
    """Decorate a strategy: a pattern of more entries is represented by a dense block of it."""

    def decorate(find: FindProof) -> FindProof:
        @wraps(find)
        def find_on_excerpt(problem: Problem, search: Search) -> Proof | str:
            if problem.pattern.size <= most_entries:
                return find(problem, search)
            if (reason := too_many_ones(problem.pattern)) is not None:
                return reason
            seconds = problem.pattern.count / _ONES_A_SECOND
            if seconds > search.whole_remaining:  # a turn may be longer than it is given
                return f"listing its ones would take about {seconds:.2g} s, more than is left"
            rows = min(problem.pattern.shape[0], _MOST_LINES)
            width = max(1, min(most_entries, _EXCERPT) // rows)
            block = next(dense_blocks(problem.pattern, "columns", width, search))
            if not block.entries.size:
                return "its dense parts are constant"
            part = Pattern.from_array(block.entries == 1, block.entries != UNSPECIFIED)
            # Its hints are places in the whole, and what is exhausted is the part.
            found = find(Problem(part, problem.d), search.apart())
            if isinstance(found, Submatrix):
                return found.place(block.rows, block.columns)
            return f"a dense part: {found}"

        return find_on_excerpt

    return decorate


def _other(side: Side) -> Side:
    return "rows" if side == "columns" else "columns"


def _grow(
    incidence: Incidence,
    side: Side,
    seed: int,
    elements: int,
    common: NDArray[np.bool_],
    rng: np.random.RandomState,
) -> Numbers:
    """Grow a set of that many elements around one, those that overlap most first."""
    chosen = np.array([seed], dtype=np.int64)
    noise = 0.5 * rng.random_sample(len(common))
    for _ in range(1 + _REFINEMENTS):
        held = incidence.count(chosen, side)
        lines = _greatest(held, _MOST_LINES, min(_HEAVY, int(held.max())))
        overlaps = np.where(common, 0.0, incidence.count(lines, _other(side)) + noise)
        grown = _greatest(overlaps, elements, 1)
        if not len(grown):
            break
        chosen = grown
    return chosen


def _greatest(values: Numbers | NDArray[np.float64], most: int, least: float) -> Numbers:
    """Return places of the greatest values, in descending order, none below the least."""
    places = np.flatnonzero(values >= least)
    if len(places) > most:
        places = places[np.argpartition(-values[places], most - 1)[:most]]
    return places[np.argsort(-values[places], kind="stable")]


def _density(incidence: Incidence, side: Side, elements: Numbers) -> float:
    """Return the number of ones that the lines have on these elements, beyond two each."""
    return float(np.maximum(incidence.count(elements, side) - (_HEAVY - 1), 0).sum())


def block_of(pattern: Pattern, side: Side, elements: Numbers) -> Block:
    """Return the block of these elements and the lines that contain most of them.

    Constant rows are left out, and lines that equal another one.
    """
    held = Incidence.of(pattern).count(elements, side)
    none = np.flatnonzero(held == 0)[:1]
    lines = np.sort(np.append(_greatest(held, _MOST_LINES, 1), none))
    if side == "rows":
        # A constant row adds nothing to the extra query, but a constant column adds something.
        entries = pattern.submatrix(elements.tolist(), lines.tolist())
        kinds = _find_kinds(entries.T)
        return Block(side, elements, lines[kinds], entries[:, kinds])
    entries = pattern.submatrix(lines.tolist(), elements.tolist())
    mixed = np.flatnonzero((entries == 1).any(axis=1) & (entries == 0).any(axis=1))
    kinds = mixed[_find_kinds(entries[mixed])]
    return Block(side, lines[kinds], elements, entries[kinds])


def _find_kinds(lines: NDArray[np.int8]) -> Numbers:
    """Return the places of one of each kind of lines, ascending."""
    return np.sort(np.unique(lines, axis=0, return_index=True)[1])
