"""Implicit hitting sets: cores and embeddings until the bounds on wrong items meet."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction
from samapprox.proofs.fits.hitting_set import Core
from samapprox.proofs.fits.items import Items
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.results import Status
from samapprox.results.best_fit import BestFit
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.first_embeddings import list_starts
from samapprox.solvers.questions.fits.hitting_sets import HittingItems, KnownCores
from samapprox.solvers.questions.fits.remainders import (
    LeavingOut,
    list_items,
    require_few_items,
)
from samapprox.solvers.questions.fits.turns import (
    BOUNDS,
    SEARCHES,
    FitBounds,
    Refuted,
    SearchTurns,
    ask,
)
from samapprox.support.limits import search_clock
from samapprox.support.progress import OnProgress, Reporter

# Seconds for the first open decision of a remainder; later ones get twice as many. Short
# decisions find easy cores, long ones settle the rest.
_FIRST_SLICE = 1.0
# A decision takes at most this part of the time, so that another one follows.
_SHARE_OF_SLICE = 0.5
# Up to so many rows are decided together. Of more rows, samples come first: their cores are found
# sooner.
_FEW_ROWS = 64
# Rows of the first sample; there are twice as many after a YES.
_FIRST_SAMPLE = 24
# Samples do not get smaller than this; their decisions get more time instead.
_SMALLEST_SAMPLE = 6
# Part of the time that is kept for the proof of the lower bound,
_SHARE_OF_PROOF = 0.25
# and the most seconds that are kept: the rest of a long time is for searches.
_LONGEST_PROOF = 5.0
# Part of the time for the decision of a large pattern as a whole, which may show that no item is
# wrong long before searches do.
_SHARE_OF_WHOLE = 0.2
# Part of the time for each further bound of the table.
_SHARE_OF_BOUND = 0.1
# Part of the time for the first turn of each further search.
_SHARE_OF_SEARCH = 0.2
# The first turn takes at most so many seconds an entry, unless the pattern is large.
_SECONDS_OF_ENTRY = 2e-4
# The first turn of a search may take so many seconds, however few the entries are.
_LEAST_SECONDS = 0.2
# As `_SHARE_OF_SEARCH`, for wrong entries of large patterns,
_SHARE_FOR_ENTRIES = 0.5
# and where these entries are too many for decisions, which leaves more time for searches.
_SHARE_WITHOUT_CORES = 0.9
# A pattern with more entries is large: the first turns of its searches are longer.
_LARGE = 10_000
# Entries up to which wrong entries have cores; beyond, their decisions take too long.
_MOST_ENTRIES = 100_000
# Part of the time for listing cores of few rows,
_SHARE_OF_LISTS = 0.05
# and the most seconds for it: the rest of a long time is for decisions.
_LONGEST_LIST = 5.0


class HittingSearch:
    """Bounds on the number of wrong items, the cores and the embedding that they rest on.

    The number of wrong items that `question` names is ignored.
    """

    def __init__(self, question: Fit, progress: OnProgress | None = None) -> None:
        self._started = search_clock.now()
        self._question = question
        self._pattern: Pattern = question.pattern
        self._search = Search()
        self._reporter = Reporter(progress)
        self._items = Items.of(question.pattern, question.unit)
        require_few_items(self._items)
        self._is_large = question.pattern.size > _LARGE
        self._has_cores = question.unit == "rows" or question.pattern.size <= _MOST_ENTRIES
        self._weights = list_items(question.pattern, self._items) if self._has_cores else {}
        self._cores = KnownCores(question, self._items, self._weights)
        self._expected = 0  # the weight of a least hitting set, not yet proven
        self._slice = _FIRST_SLICE
        self._rounds = 0
        self._open: dict[frozenset[int], float] = {}  # dropped items -> seconds that left it open
        self._sample_size, self._samples = _FIRST_SAMPLE, 0
        self._starts = list_starts(question, self._items)
        self._bounds = FitBounds(question, next(self._starts))
        self._turns = SearchTurns(self._items, self._bounds)
        self._packed = 0  # cores of the last packing

    # ---------------------------------------------------------------- the whole

    def run(self, search: Search) -> None:
        """Improve both bounds until they meet or the time is up."""
        self._search = search
        self._report("starting")
        for start in self._starts:
            self._bounds.take(start)
            if search.out_of_time:
                return
        if self._is_large and self._has_cores and not self._is_over:
            self._decide_whole()
        if self._is_over:
            return
        self._ask_bounds()
        self._report("listing cores")
        seconds = min(_LONGEST_LIST, _SHARE_OF_LISTS * search.remaining)
        self._cores.list_few_rows(seconds, search)
        # Searches come before the first decisions: a good upper bound spares some of these.
        self._ask_searches()
        if self._has_cores:
            self._hit_cores()
            self._prove(search)
        self._search_on(search.remaining)

    def _hit_cores(self) -> None:
        """Hit all known cores and decide the rest, in turn with searches for embeddings."""
        whole = self._search
        reserved = min(_LONGEST_PROOF, _SHARE_OF_PROOF * whole.remaining)
        self._search = whole.slice(whole.remaining - reserved, 0)
        self._slice = min(_FIRST_SLICE, _SHARE_OF_SLICE * self._search.remaining)
        while not self._is_over:
            hit = self._cores.hit(self._search)
            self._expected = max(self._expected, hit.bound)
            self._report(f"{len(self._cores)} cores")
            if not self._is_over:
                self._rounds += 1
                self._decide_without(hit)
                self._reinsert()
        self._search = whole

    @property
    def _is_over(self) -> bool:
        return self._expected >= self._bounds.upper or self._search.out_of_time

    def result(self, most_seconds: float = float("inf")) -> BestFit:
        """Prove the lower bound that the cores give, and return the bounds with their proofs.

        The proof takes at most `most_seconds`, and no more than the limits of the search allow.
        """
        self._prove(self._search.slice(most_seconds, 0))
        return self._best_fit()

    def _report(self, what: str) -> None:
        bounds = max(self._bounds.lower, self._expected), self._bounds.upper
        self._reporter.report(what, bounds, self._prove_quickly)

    def _prove_quickly(self) -> BestFit:
        """Return the bounds so far, after a proof of the lower one that takes little time."""
        self._prove_by_packing()
        return self._best_fit()

    def _best_fit(self) -> BestFit:
        return replace(self._bounds.best, seconds=search_clock.now() - self._started)

    # ---------------------------------------------------------------- cores

    def _decide_without(self, hit: HittingItems) -> None:
        """Decide the pattern without a hitting set; after each core, without its items as well."""
        dropped = set(hit.items)
        is_first = True
        open_decisions = 0  # after each, more items are dropped
        while not self._is_over:
            left = self._weights.keys() - dropped
            sample = self._sample(left)
            is_whole = len(sample) == len(left)
            # A core of a sample is one of the whole pattern, and is found sooner.
            found = self._decide(self._weights.keys() - sample)
            if found is None or (found is Status.YES and is_whole):
                return
            if found is Status.YES:
                self._sample_size *= 2
                continue
            if isinstance(found, Core):
                # Without the items of this core, the next one is disjoint from it.
                dropped |= self._cores.add(found)
            elif not is_whole:
                self._sample_size = max(_SMALLEST_SAMPLE, self._sample_size * 2 // 3)
                self._slice *= 2 if self._sample_size == _SMALLEST_SAMPLE else 1
            else:
                # Neither a core nor an embedding: a smaller rest is easier to embed. In every other
                # round more and more items go, which leads to some upper bound soon.
                self._slice *= 2 if is_first else 1
                open_decisions += 1
                for _ in range(open_decisions if self._rounds % 2 else 1):
                    dropped.add(self._cores.choose(dropped))
            is_first = False

    def _decide_whole(self) -> None:
        """Decide the pattern with all its items, for a part of the time."""
        self._report("deciding the whole")
        found = self._decide(frozenset(), _SHARE_OF_WHOLE * self._search.remaining)
        if isinstance(found, Core):
            self._cores.add(found)

    def _sample(self, left: Set[int]) -> Set[int]:
        """Return the items of some rows; of all rows where these are few."""
        width = 1 if self._items.unit == "rows" else self._items.shape[1]
        rows = sorted({item // width for item in left})
        if len(rows) <= max(_FEW_ROWS, self._sample_size):
            return left
        self._samples += 1
        random = np.random.RandomState((self._search.seed + self._samples) % (1 << 32))
        chosen = {rows[place] for place in random.permutation(len(rows))[: self._sample_size]}
        return {item for item in left if item // width in chosen}

    def _reinsert(self) -> None:
        """Take wrong items of the best embedding back, as long as there is another embedding."""
        out = {self._items.find_first(item) for item in self._bounds.best.wrong.tolist()}
        if len(out) > _FEW_ROWS:
            return
        for item in sorted(out, key=lambda item: (-self._weights[item], item)):
            if self._is_over:
                return
            fewer = frozenset(out - {item})
            if self._open.get(fewer, 0.0) >= self._slice or not self._cores.are_hit(fewer):
                continue
            found = self._decide(fewer)
            if found is Status.YES:
                out.remove(item)
            elif isinstance(found, Core):
                self._cores.add(found)
            elif found is not None:
                self._open[fewer] = self._slice

    def _decide(self, dropped: Set[int], seconds: float | None = None) -> Core | Status | None:
        """Decide the pattern without some items: YES, whose embedding is kept, or a new core.

        It takes the seconds of the present slice unless others are given. UNKNOWN if there is
        neither, and None if no row is left.
        """
        leaving_out = LeavingOut(self._items, dropped)
        problem, remainder = leaving_out.apply(self._question)
        if problem is None:
            return None
        self._search_on(self._turns.seconds_due)
        search = self._search.apart().slice(seconds or self._slice, len(self._cores))
        verdict = decide_problem(problem, choose(similarity=problem.similarity), search, share=0.0)
        if verdict.proof is None or (verdict.status is Status.YES and self._is_useless(dropped)):
            return verdict.status
        lifted = leaving_out.lift(verdict.proof, remainder)
        if isinstance(lifted, PartialEmbedding):
            self._bounds.take(lifted)
        if verdict.status is Status.YES:
            return Status.YES
        return lifted if isinstance(lifted, Core) else Status.UNKNOWN

    def _is_useless(self, dropped: Set[int]) -> bool:
        """Whether an embedding without these items is no better, so need not be evaluated."""
        if self._items.unit == "entries":  # dropped entries may come out right
            return False
        left = sum(self._weights[item] for item in self._weights.keys() - dropped)
        return left <= self._pattern.shape[0] - self._bounds.upper

    # ---------------------------------------------------------------- other bounds, and the proof

    def _ask_bounds(self) -> None:
        """Ask the further bounds of the table."""
        for name in BOUNDS:
            if self._is_over:
                return
            question = self._bounds.ask(self._bounds.upper - 1)
            search = self._search.slice(_SHARE_OF_BOUND * self._search.remaining, 0)
            bound = ask(name, BOUNDS, question, search)
            if isinstance(bound, Refuted):
                self._refute(bound.wrong, bound.proof)
                self._report(name)

    def _ask_searches(self) -> None:
        """Give each further search of the table a first turn: two seconds at most, or a share."""
        most = max(_LEAST_SECONDS, _SECONDS_OF_ENTRY * self._pattern.size)
        share = _SHARE_OF_SEARCH
        if self._is_large:
            most = float("inf")
            if self._question.unit == "entries":
                share = _SHARE_FOR_ENTRIES if self._has_cores else _SHARE_WITHOUT_CORES
        for name in SEARCHES:
            if not self._is_over:
                seconds = min(most, share * self._search.remaining)
                self._turns.ask(name, self._expected, seconds, self._search)
                self._report(name)

    def _search_on(self, seconds: float) -> None:
        """Give the most promising search another turn of so many seconds."""
        if seconds > 0 and not self._is_over:
            name = self._turns.promising
            self._turns.ask(name, self._expected, seconds, self._search)
            self._report(name)

    def _refute(self, wrong: int, proof: Obstruction) -> None:
        """Keep a proof that more than `wrong` items are wrong, if its check confirms it."""
        self._bounds.refute(wrong, proof)
        self._expected = max(self._expected, self._bounds.lower)

    def _prove(self, search: Search) -> None:
        """Prove the best bound that the cores give, with a tree as large as time allows.

        A tree with one leaf comes first, whatever the time: it takes one linear program.
        """
        self._prove_by_packing()
        wrong = min(self._expected, self._bounds.upper) - 1
        while wrong >= self._bounds.lower and not search.out_of_time:
            self._report(f"proving at least {wrong + 1}")
            self._prove_more_than(wrong, search.slice(0.5 * search.remaining, 0))
            wrong -= 1

    def _prove_by_packing(self) -> None:
        """Prove the bound of the best packing, if the cores are new since the last time."""
        if self._packed == len(self._cores):
            return
        self._packed = len(self._cores)
        packed = self._cores.bound_by_packing()
        self._prove_more_than(min(packed, self._bounds.upper) - 1, Search())

    def _prove_more_than(self, wrong: int, search: Search) -> None:
        """Prove that more than so many items are wrong, if the known cores show it in time."""
        if wrong >= self._bounds.lower:
            proof = self._cores.prove_more_than(wrong, search)
            if proof is not None:
                self._refute(wrong, proof)
