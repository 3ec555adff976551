"""The greatest mean recall at K: bounds from both sides until they meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.fits.cut_sets import ALL_ORDERS
from samapprox.proofs.fits.k_sets import SplitColumns
from samapprox.proofs.fits.partial_embedding import MOST_CHANGED, PartialEmbedding
from samapprox.proofs.fits.recall_embedding import RecallEmbedding
from samapprox.proofs.fits.recall_sets import RecallSets, find_first_order
from samapprox.proofs.questions import Fit
from samapprox.proofs.similarities.caps import Caps
from samapprox.proofs.similarities.key_order import KeyOrder
from samapprox.results import Status, require_proof
from samapprox.results.best_recall import BestRecall, ask_recall
from samapprox.similarities import Similarity
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.first_keys import search_relaxed
from samapprox.solvers.questions.fits.remainders import Explicit, find_ones, take_lines, transfer
from samapprox.solvers.questions.fits.scores import NumericWitness, compute_logits
from samapprox.storage import block_height
from samapprox.support.arrays import Entries, Flags, Numbers, flags_at, places_of

# Part of the time for the decision whether no row need miss a one among its first K.
_SHARE_OF_DECISION = 0.2
# Seconds of the numeric search at most: later starts find little more.
_LONGEST_SEARCH = 5.0
# Entries up to which all rows and columns are counted, as in the checker; and those of the largest
# pattern that is searched.
_MOST_COUNTED, _MOST_SEARCHED = 1 << 22, 1 << 24
# Products of entries and queries when rows choose among these.
_MOST_PRODUCTS = 1 << 30


def _leave_out_missed(pattern: Pattern, at: int, witness: Explicit) -> RecallEmbedding | None:
    """Return a witness for all rows as a proof about the ones above thresholds; None without any.

    Rows of which more than K ones and zeros are above their thresholds miss all their ones.
    """
    rows = _choose_rows(pattern, at, witness)
    if not rows.size:
        return None
    is_chosen = flags_at(rows, pattern.shape[0])
    missed: list[Numbers] = []
    above: list[Numbers] = []
    for start, cut in find_ones(witness, pattern):
        entries = pattern.block(start, start + len(cut))
        first = cut & is_chosen[start : start + len(cut), None]
        for flags, numbers in ((entries == 1) & ~first, missed), ((entries == 0) & first, above):
            numbers.append(start * pattern.shape[1] + np.flatnonzero(flags))
    own = take_lines(witness, rows)
    return RecallEmbedding(np.concatenate(missed), np.concatenate(above), own)


def _choose_rows(pattern: Pattern, at: int, witness: Explicit) -> Numbers:
    """Choose the rows with ones among their first K keys; the best, if the check takes no more."""
    shares = np.zeros(pattern.shape[0])
    for start, cut in find_ones(witness, pattern):
        stop = start + len(cut)
        entries = pattern.block(start, stop)
        found = (cut & (entries == 1)).sum(axis=1)
        found[(cut & (entries >= 0)).sum(axis=1) > at] = 0
        shares[start:stop] = found / np.maximum(pattern.row_ones[start:stop], 1)
    return _choose_best(pattern, shares)


def _choose_best(pattern: Pattern, shares: NDArray[np.float64]) -> Numbers:
    """Choose the rows that find the greatest shares of their ones; as many as can be checked."""
    best = np.argsort(-shares, kind="stable")[: MOST_CHANGED // pattern.shape[1]]
    return np.sort(best[shares[best] > 0])


def _keep_right_rows(pattern: Pattern, proof: PartialEmbedding) -> RecallEmbedding:
    """Return a proof about rows that are right at K as one about the recall: others miss all."""
    is_wrong = flags_at(proof.wrong, pattern.shape[0])
    rows, columns = _list_ones(pattern)
    missed = (rows * pattern.shape[1] + columns)[is_wrong[rows]]
    above = np.zeros(0, dtype=np.int64) if proof.above is None else proof.above
    return RecallEmbedding(missed, above, proof.proof)


def _cut_first_keys(pattern: Pattern, at: int, found: NumericWitness) -> NumericWitness:
    """Give each row the query, of those of all rows, and the threshold with most ones first."""
    entries, logits = pattern.to_array(), compute_logits(found)
    best = _choose_queries(entries, logits, at)
    _, thresholds = count_first(entries, logits[best], at)
    taken = take_lines(found, best)
    assert not isinstance(taken, KeyOrder)
    return replace(taken, thresholds=thresholds)


def _choose_queries(entries: Entries, logits: NDArray[np.int64], at: int) -> Numbers:
    """Choose for each row a row whose query finds most of its ones; itself among equals."""
    rows, columns = entries.shape
    count = max(1, min(rows, _MOST_PRODUCTS // entries.size))
    pool = np.linspace(0, rows - 1, count, dtype=np.int64)
    order = np.argsort(-logits[pool], axis=1, kind="stable")[:, :at]
    first = np.zeros((count, columns), dtype=np.float32)
    np.put_along_axis(first, order, 1, axis=1)
    found = (entries == 1).astype(np.float32) @ first.T
    own, _ = count_first(entries, logits, at)
    return np.where(found.max(axis=1) > own, pool[found.argmax(axis=1)], np.arange(rows))


def count_first(entries: Entries, logits: NDArray[Any], at: int) -> tuple[Numbers, Numbers]:
    """Count the ones of each row among its first K keys, and find thresholds just below them.

    Logits are whole numbers.

    >>> count_first(np.array([[1, 0, 1, -1]], dtype=np.int8), np.array([[3, 2, 2, 9]]), 2)
    (array([1]), array([2]))
    """
    found, thresholds = [], []
    step = block_height(32 * entries.shape[1])
    for start in range(0, len(entries), step):
        own, heights = entries[start : start + step], logits[start : start + step]
        order = np.lexsort((own == 1, -heights), axis=1)  # zeros before ones of the same height
        own, heights = np.take_along_axis(own, order, 1), np.take_along_axis(heights, order, 1)
        first = (own == 1) & (np.cumsum(own >= 0, axis=1) <= at)
        lowest = np.where(first, heights, heights[:, :1] + 1).min(axis=1)
        found.append(first.sum(axis=1))
        thresholds.append(lowest - 1)
    return np.concatenate(found), np.concatenate(thresholds)


def _embed_first_order(pattern: Pattern, at: int) -> Embedding:
    """Put few keys on a line in the order in which rows lose the least recall."""
    entries = pattern.to_array()
    unit = int(np.lcm.reduce(np.unique(pattern.row_ones)))
    _, order = find_first_order(entries, pattern.row_ones, at, unit)
    places = np.argsort(order)
    (left, low), (right, high) = (
        count_first(entries, np.broadcast_to(side * places, entries.shape), at) for side in (1, -1)
    )
    queries = np.where(left >= right, 1, -1)
    return Embedding(queries[:, None], places[:, None], np.where(left >= right, low, high))


def _embed_ends(pattern: Pattern, at: int, d: int, similarity: Similarity) -> RecallEmbedding:
    """Put K keys at either end of a line, and the others between; of two points, at one.

    Keys with large degrees, in which a row counts by the share of its ones, go to the end where
    the recall grows more. O(k + m K) for k ones, as no other keys are above any threshold.
    """
    rows, columns = _list_ones(pattern)
    shares = 1 / pattern.row_ones
    degrees = np.bincount(columns, weights=shares[rows], minlength=pattern.shape[1])
    ends = 1 if d == similarity.above else 2
    keys = np.argsort(-degrees, kind="stable")[: ends * at]
    ones = _hold(pattern, rows, columns, keys)
    found = np.zeros((ends, pattern.shape[0]), dtype=np.int64)
    room = [at] * ends
    places = np.zeros(pattern.shape[1], dtype=np.int64)
    for key, own in zip(keys.tolist(), ones.T, strict=True):
        recalls = [
            (shares * np.maximum(found[end] + own, found[1 - end] if ends > 1 else 0)).sum()
            if room[end]
            else -1.0
            for end in range(ends)
        ]
        end = int(np.argmax(recalls))
        found[end] += own
        room[end] -= 1
        places[key] = 1 - 2 * end
    chosen = _choose_best(pattern, found.max(axis=0) / pattern.row_ones)
    queries = 1 - 2 * found.argmax(axis=0)
    is_first = flags_at(chosen, pattern.shape[0])[rows] & (places[columns] == queries[rows])
    missed = (rows * pattern.shape[1] + columns)[~is_first]
    order = np.argsort(keys)
    keys = keys[order]
    first = ~ones[np.ix_(chosen, order)] & (places[keys] == queries[chosen][:, None])
    if pattern.unspecified is not None:
        first &= ~pattern.unspecified.entries(chosen[:, None], keys)
    lines, above = np.nonzero(first)
    own = _write_ends(pattern, queries[chosen], places, similarity, ends)
    return RecallEmbedding(missed, chosen[lines] * pattern.shape[1] + keys[above], own)


def _hold(pattern: Pattern, rows: Numbers, columns: Numbers, keys: Numbers) -> Flags:
    """Return whether each row has a one at each of few keys, from the places of all ones."""
    place = places_of(keys, pattern.shape[1])[columns]
    held = np.zeros((pattern.shape[0], len(keys)), dtype=np.bool_)
    held[rows[place >= 0], place[place >= 0]] = True
    return held


def _write_ends(
    pattern: Pattern, queries: Numbers, places: Numbers, similarity: Similarity, ends: int
) -> Explicit:
    """Write the keys at 1 and -1, and those between, with queries that point to one end each."""
    if ends == 1:
        thresholds = np.zeros(len(queries), dtype=np.int64)
        return Caps(queries[:, None], np.where(places == 0, -1, places)[:, None], thresholds)
    # No key lies on a boundary, which would be slow to check.
    thresholds = np.ones(len(queries), dtype=np.int64)
    found = Embedding(queries[:, None], 2 * places[:, None], thresholds)
    return transfer(found, pattern, similarity)


def _keep_some_ones(pattern: Pattern, at: int) -> tuple[Pattern, Numbers]:
    """Make zeros of the ones of each row beyond K; return their numbers, too.

    The ones that most rows have are kept. Without don't-cares.
    """
    rows, columns = _list_ones(pattern)
    frequency = np.bincount(columns, minlength=pattern.shape[1])
    order = np.lexsort((columns, -frequency[columns], rows))
    rows, columns = rows[order], columns[order]
    starts = np.cumsum(pattern.row_ones) - pattern.row_ones
    kept = np.arange(len(rows)) - starts[rows] < at
    counts = np.bincount(rows[kept], minlength=pattern.shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    some = Pattern.from_csr(indptr, columns[kept], None, pattern.shape)
    return some, (rows * pattern.shape[1] + columns)[~kept]


def _list_ones(pattern: Pattern) -> tuple[Numbers, Numbers]:
    """Return the rows and the columns of all ones, row by row."""
    rows = np.repeat(np.arange(pattern.shape[0]), pattern.row_ones)
    return rows, np.concatenate(list(pattern.ones.indices())).astype(np.int64)


class RecallSearch:
    """Bounds on the mean recall at K, both confirmed by their checks.

    The number of wrong rows that `question` names is ignored. `right`: a proof about rows that are
    right at K, if there is one.
    """

    def __init__(self, question: Fit, right: PartialEmbedding | None) -> None:
        assert question.at is not None
        self._question, self._at = question, question.at
        self._pattern, self._similarity = question.pattern, question.similarity
        entries = self._pattern.size
        self._is_counted, self._is_searched = entries <= _MOST_COUNTED, entries <= _MOST_SEARCHED
        if right is not None and not right.wrong.size:
            start = _keep_right_rows(self._pattern, right)
        else:
            start = _embed_ends(self._pattern, self._at, question.d, self._similarity)
        least = start.mean_recall(self._pattern)
        require_proof(ask_recall(question, least), start)
        self.best = BestRecall(question, start, None, least, Fraction(1))
        self._refute([])

    def run(self, search: Search, parts: Iterable[SplitColumns] = ()) -> None:
        """Improve both bounds until they meet or the time is up; `parts` refute right rows."""
        self._refute(parts)
        rows, columns = self._pattern.shape
        if self._is_counted:
            self._refute([SplitColumns(range(rows), range(columns))])
        if self._is_searched and not self.best.exact:
            self._search(search)

    def _search(self, search: Search) -> None:
        is_line = self._question.d + self._similarity.below == 1
        if is_line and self._pattern.shape[1] <= ALL_ORDERS:
            self.take_numbers(_embed_first_order(self._pattern, self._at))
        for proof in self._list_proofs(search):
            self._take(proof)
            if self.best.exact or search.out_of_time:
                return

    def take_rows(self, proof: PartialEmbedding) -> None:
        """Keep a proof about rows that are right at K, if the recall is better."""
        rows = self._pattern.shape[0]
        if Fraction(rows - len(proof.wrong), rows) > self.best.least:  # wrong rows find nothing
            self._take(_keep_right_rows(self._pattern, proof))

    def take_numbers(self, found: NumericWitness) -> None:
        """Keep an embedding of all rows with the best thresholds, if the recall is better."""
        if proof := self._cut_first(found):
            self._take(proof)

    def _take(self, proof: RecallEmbedding) -> None:
        least = proof.mean_recall(self._pattern)
        if least > self.best.least and check(ask_recall(self._question, least), proof) is None:
            self.best = replace(self.best, yes=proof, least=least)

    def _refute(self, parts: Iterable[SplitColumns]) -> None:
        proof = RecallSets(parts)
        most = proof.most_recall(ask_recall(self._question, Fraction(1)))
        if most < self.best.most and check(ask_recall(self._question, most), proof) is None:
            self.best = replace(self.best, no=proof, most=most)

    def _list_proofs(self, search: Search) -> Iterator[RecallEmbedding]:
        yield from self._decide(search.slice(_SHARE_OF_DECISION * search.remaining, 0))
        search = search.slice(min(_LONGEST_SEARCH, search.remaining), 0)
        for found in search_relaxed(self._question, search):
            if proof := self._cut_first(found):
                yield proof

    def _decide(self, search: Search) -> Iterator[RecallEmbedding]:
        """Decide whether K ones of each row, or all, can come before its zeros."""
        some, missed = _keep_some_ones(self._pattern, self._at)
        strategies = choose(similarity=self._similarity)
        turns = [some, self._pattern] if missed.size else [some]
        for place, pattern in enumerate(turns):
            problem = Problem(pattern, self._question.d, None, self._similarity)
            part = search.apart().slice(search.remaining / (len(turns) - place), 0)
            verdict = decide_problem(problem, strategies, part, share=0.0)
            if verdict.status is Status.YES and isinstance(verdict.proof, Witness):
                yield RecallEmbedding(missed, [], verdict.proof)

    def _cut_first(self, found: NumericWitness) -> RecallEmbedding | None:
        cut = _cut_first_keys(self._pattern, self._at, found)
        return _leave_out_missed(
            self._pattern, self._at, transfer(cut, self._pattern, self._similarity)
        )
