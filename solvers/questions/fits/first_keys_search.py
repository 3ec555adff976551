"""The least number of rows that are wrong at K: bounds from both sides until they meet.

Embeddings come from keys that are placed on points of which many sets of K are cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.fits.cut_sets import ALL_ORDERS
from samapprox.proofs.fits.items import Items
from samapprox.proofs.fits.k_sets import KSets, SplitColumns
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.results import Status
from samapprox.results.best_fit import BestFit
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.first_embeddings import list_starts
from samapprox.solvers.questions.fits.first_keys import (
    embed_best_order,
    leave_out_late,
    make_constant,
    search_relaxed,
)
from samapprox.solvers.questions.fits.placement import (
    Rows,
    Template,
    anneal,
    embed_sides,
    hash_sides,
    make_templates,
)
from samapprox.solvers.questions.fits.recall_search import RecallSearch
from samapprox.solvers.questions.fits.remainders import transfer
from samapprox.solvers.questions.fits.scores import NumericWitness
from samapprox.solvers.questions.fits.turns import BOUNDS, FitBounds, Refuted, ask
from samapprox.support.arrays import others_than
from samapprox.support.limits import search_clock
from samapprox.support.progress import OnProgress, Reporter

# Entries of the pattern, as in `placement`.
_MOST_PLACED_ENTRIES = 1 << 24
# Entries of the sets that the splits of a template cut off.
_MOST_CUT = 1 << 24
# Subsets of cut sets: more of them fit more rows, and take more memory and time.
_MOST_SUBSETS = 1 << 21
# Annealings of each template, from other permutations.
_STARTS = 2

# Part of the time for the bounds, and the most seconds: they are quick where they are strong.
_SHARE_OF_BOUND, _LONGEST_BOUND = 0.1, 0.5
# Part of the time for the decision whether all rows can be right with no zero before a one.
_SHARE_OF_DECISION = 0.2
# Part of the time for placing the keys on points.
_SHARE_OF_PLACEMENT = 0.4
# Part of the time for right rows, if it is not known before how many there can be; recall gets
# the rest.
_SHARE_OF_ROWS = 0.7
# Entries up to which rows that are right in every embedding are looked for.
_MOST_ENTRIES = 1 << 22


def list_embeddings(question: Fit, search: Search) -> Iterator[Embedding]:
    """Yield embeddings for dot products (for cosines in a dimension less), by placing the keys.

    No row has more than K ones; K is less than the number of keys. As in `placement`, two keys
    change places by simulated annealing. A row is right if its ones lie in a set of K points that
    is cut off.
    """
    assert question.at is not None
    rows, columns = question.pattern.shape
    d = question.d - question.similarity.above  # halfspaces become caps
    if not d or rows * columns > _MOST_PLACED_ENTRIES:
        return
    ones = question.pattern.to_array() == 1  # don't-cares count as zeros
    merged = Rows.merge(ones)
    sizes = sorted(set(ones.sum(axis=1).tolist()))
    random = np.random.RandomState(search.seed)
    templates = [
        (plain, cut)
        for plain in make_templates(ones.shape[1], d, search.remaining)
        if (cut := CutTemplate.of(plain, question.at, sizes)) is not None
    ]
    for plain, cut in templates * _STARTS:
        if search.out_of_time:
            return
        order, right = anneal(merged, cut, random, search.slice(search.remaining / 2, 0))
        if right:
            yield embed_sides(cut.extend(ones, order), plain, order, np.arange(ones.shape[1]))


@dataclass(frozen=True, slots=True, eq=False)
class CutTemplate(Template):
    """Points whose `splits` are the subsets of sets of K points that are cut off.

    Other than in a plain template, the hash of a set is that of its points. `owners`: the number of
    a cut set for each of the subsets; `sets`: the points of each cut set, shape (cut sets, K).
    """

    owners: NDArray[np.int64] | None = None
    sets: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, plain: Template, at: int, sizes: list[int]) -> CutTemplate | None:
        """List the cut sets of K points and their subsets of these sizes; None if too many."""
        sets = _list_cut_sets(plain, at)
        count = sum(comb(at, size) for size in sizes)
        if sets is None or not len(sets) or count * len(sets) > _MOST_SUBSETS:
            return None
        hashes, owners = [], []
        for size in sizes:
            chosen = np.array(list(combinations(range(at), size)), dtype=np.int64)
            subsets = np.bitwise_xor.reduce(plain.hashes[sets[:, chosen]], axis=2)
            hashes.append(subsets.ravel())
            owners.append(np.repeat(np.arange(len(sets)), len(chosen)))
        splits, first = np.unique(np.concatenate(hashes), return_index=True)
        own = np.concatenate(owners)[first]
        return cls(plain.points, plain.hashes, splits, plain.normals, own, sets)

    def find_places(self, sides: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Find the places of sets among the subsets, by their hashes, if they are there."""
        return np.minimum(np.searchsorted(self.splits, sides), len(self.splits) - 1)

    def find_cut(self, sides: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Find the sets that lie in a cut set, by their hashes."""
        return np.asarray(self.splits[self.find_places(sides)] == sides)

    def extend(self, ones: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Extend the ones of right rows to cut sets; `order` has the key at each point."""
        assert self.owners is not None
        assert self.sets is not None
        sides = hash_sides(np.ascontiguousarray(ones.T), self, order)
        right = np.flatnonzero(self.find_cut(sides))
        points = self.sets[self.owners[self.find_places(sides[right])]]
        extended = ones.copy()
        extended[right[:, None], order[points]] = True
        return extended


def _list_cut_sets(plain: Template, size: int) -> NDArray[np.int64] | None:
    """List the sets of so many points that a plain template cuts off; None if there are too many.

    >>> from samapprox.solvers.questions.fits.placement import make_curve
    >>> _list_cut_sets(make_curve(5, 1), 2).tolist()
    [[0, 1], [3, 4]]
    """
    n = len(plain.points)
    if len(plain.splits) * n > _MOST_CUT:
        return None
    if plain.normals is None:
        sides = _list_sides_of_curve(plain)
        sides = np.concatenate([sides, ~sides])
        sets = np.nonzero(sides[sides.sum(axis=1) == size])[1].reshape(-1, size)
    else:
        heights = plain.points @ plain.normals.T
        order, heights = np.argsort(heights, axis=0, kind="stable").T, np.sort(heights, axis=0).T
        low = order[heights[:, size - 1] < heights[:, size], :size]
        high = order[heights[:, n - size - 1] < heights[:, n - size], n - size :]
        sets = np.sort(np.concatenate([low, high]), axis=1)
    return np.asarray(np.unique(sets, axis=0), dtype=np.int64)


def _list_sides_of_curve(plain: Template) -> NDArray[np.bool_]:
    """List one side of each split of points along a curve, of as many changes as its splits."""
    n = len(plain.points)
    changes, splits = 0, 1
    while splits < len(plain.splits) and changes < n - 1:
        changes += 1
        splits += comb(n - 1, changes)
    places = [cuts for count in range(changes + 1) for cuts in combinations(range(1, n), count)]
    flips = np.zeros((len(places), n), dtype=np.int64)
    for row, cuts in zip(flips, places, strict=True):
        row[list(cuts)] = 1
    return np.asarray(flips.cumsum(axis=1) % 2 == 1, dtype=np.bool_)


class FirstKeysSearch:
    """Bounds on the number of rows that are wrong at K, and on the mean recall.

    The number of wrong rows that `question` names is ignored.
    """

    def __init__(self, question: Fit, progress: OnProgress | None = None) -> None:
        assert question.at is not None
        self._started = search_clock.now()
        self._question, self._at = question, question.at
        self._reporter = Reporter(progress)
        self._rows = np.flatnonzero(question.pattern.row_ones <= self._at)
        if not self._rows.size:
            self._bounds = FitBounds(question, None)
            self._recall = RecallSearch(question, None)
            return
        possible = question.pattern
        if len(self._rows) < possible.shape[0]:
            possible = possible.take(self._rows, np.arange(possible.shape[1]))
        self._possible: Pattern = possible
        self._plain = replace(question, pattern=possible, at=None)
        self._starts = list_starts(self._plain, Items.of(possible, "rows"))
        start = self._lift(next(self._starts))
        self._bounds = FitBounds(question, start)
        self._recall = RecallSearch(question, start)

    def run(self, search: Search) -> None:
        """Improve all bounds until they meet or the time is up."""
        self._report("counting sets of keys")
        self._ask_bounds(search)
        if self._rows.size:
            self._search_rows(search.slice(_SHARE_OF_ROWS * search.remaining, 0))
        best = self._bounds.best
        if best.yes is not None:
            self._recall.take_rows(best.yes)
        self._report("searching for the greatest recall")
        self._recall.run(search, best.no.parts if isinstance(best.no, KSets) else ())

    def _search_rows(self, search: Search) -> None:
        text = "searching for embeddings"
        if self._bounds.lower <= self._question.pattern.shape[0] - len(self._rows):
            text = f"no limit on rows with at most {self._at} ones is proven; {text}"
        for proof in self._list_proofs(search):
            self._bounds.take(self._lift(proof))
            self._report(text)
            if self._is_over or search.out_of_time:
                return

    def result(self, _most_seconds: float = float("inf")) -> BestFit:
        """Return the bounds with their proofs."""
        seconds = search_clock.now() - self._started
        return replace(self._bounds.best, recall=self._recall.best, seconds=seconds)

    @property
    def _is_over(self) -> bool:
        """Whether the bounds meet: rows with too many ones are wrong in any case."""
        impossible = self._question.pattern.shape[0] - len(self._rows)
        return self._bounds.upper <= max(self._bounds.lower, impossible)

    def _report(self, what: str) -> None:
        bounds = self._bounds.lower, self._bounds.upper
        self._reporter.report(what, bounds, self.result)

    def _ask_bounds(self, search: Search) -> None:
        late = others_than(self._rows, self._question.pattern.shape[0])
        if late.size:  # also in patterns that are too large for the bounds of the table
            self._bounds.refute(len(late) - 1, KSets([SplitColumns(late.tolist(), [])]))
        for name in BOUNDS:
            seconds = min(_LONGEST_BOUND, _SHARE_OF_BOUND * search.remaining)
            question = self._bounds.ask(max(0, self._bounds.upper - 1))
            bound = ask(name, BOUNDS, question, search.slice(seconds, 0))
            if isinstance(bound, Refuted):
                self._bounds.refute(bound.wrong, bound.proof)

    def _list_proofs(self, search: Search) -> Iterator[PartialEmbedding]:
        """Yield proofs about the rows that have at most K ones, quick ones first."""
        shape, d = self._possible.shape, self._question.d
        if d + self._question.similarity.below == 1 and shape[1] <= ALL_ORDERS:
            yield from self._leave_out_late(embed_best_order(self._possible, self._at))
        if shape[0] * shape[1] <= _MOST_ENTRIES:
            yield from self._leave_out_late(make_constant(shape))
        yield from self._starts
        if shape[0] * shape[1] > _MOST_ENTRIES and search.out_of_time:
            return
        if self._bounds.lower <= self._question.pattern.shape[0] - len(self._rows):
            yield from self._decide(search.slice(_SHARE_OF_DECISION * search.remaining, 0))
        asked = replace(self._plain, at=self._at)
        if self._at < shape[1]:
            part = search.slice(_SHARE_OF_PLACEMENT * search.remaining, 0)
            for placed in list_embeddings(asked, part):
                yield from self._leave_out_late(placed)
        for found in search_relaxed(asked, search):
            yield from self._leave_out_late(found)

    def _decide(self, search: Search) -> Iterator[PartialEmbedding]:
        """Decide whether all rows can have their ones before their zeros."""
        problem = Problem(self._possible, self._question.d, None, self._question.similarity)
        strategies = choose(similarity=problem.similarity)
        verdict = decide_problem(problem, strategies, search.apart(), share=0.0)
        if verdict.status is Status.YES and isinstance(verdict.proof, Witness):
            yield PartialEmbedding("rows", [], verdict.proof)

    def _leave_out_late(self, found: NumericWitness) -> Iterator[PartialEmbedding]:
        """Yield a witness for all rows with at most K ones as a proof, if any of them is right."""
        if len(self._rows) == self._question.pattern.shape[0]:
            self._recall.take_numbers(found)
        witness = transfer(found, self._possible, self._question.similarity)
        proof = leave_out_late(self._possible, self._at, witness)
        if proof is not None:
            yield proof

    def _lift(self, proof: PartialEmbedding) -> PartialEmbedding:
        """Return a proof about the rows that have at most K ones as one about the whole pattern."""
        rows, columns = self._question.pattern.shape
        if len(self._rows) == rows:
            return proof
        wrong = others_than(np.delete(self._rows, proof.wrong), rows)
        above = None
        if proof.above is not None:
            lines, places = np.divmod(proof.above, columns)
            above = self._rows[lines] * columns + places
        return PartialEmbedding("rows", wrong, proof.proof, above)
