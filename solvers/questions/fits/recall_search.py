"""The greatest mean recall at K: bounds from both sides until they meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.proofs.fits.cut_sets import ALL_ORDERS
from samapprox.proofs.fits.k_sets import SplitColumns
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.fits.recall_embedding import RecallEmbedding
from samapprox.proofs.fits.recall_sets import RecallSets
from samapprox.proofs.questions import Fit
from samapprox.results.answer import require_proof
from samapprox.results.best_recall import BestRecall, ask_recall
from samapprox.results.verdict import Status
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.first_recalls import (
    cut_first,
    embed_ends,
    embed_first_order,
    keep_right_rows,
    keep_some_ones,
    leave_out_missed,
)
from samapprox.solvers.questions.fits.remainders import transfer
from samapprox.solvers.questions.fits.searches import relaxed
from samapprox.solvers.questions.fits.searches.scores import NumericWitness

__all__ = ["RecallSearch"]

# Part of the time for the decision whether no row need miss a one among its first K.
_SHARE_OF_DECISION = 0.2
# Seconds of the numeric search at most: later starts find little more.
_LONGEST_SEARCH = 5.0
# Entries up to which all rows and columns are counted, as in the checker; and those of the largest
# pattern that is searched.
_MOST_COUNTED, _MOST_SEARCHED = 1 << 22, 1 << 24


class RecallSearch:
    """Bounds on the mean recall at K, both confirmed by their checks.

    The number of wrong rows that `question` names is ignored. `right`: a proof about rows that are
    right at K, if there is one.
    """

    def __init__(self, question: Fit, right: PartialEmbedding | None) -> None:
        assert question.at is not None
        self._question, self._at = question, question.at
        self._pattern, self._similarity = question.pattern, question.similarity
        entries = self._pattern.shape[0] * self._pattern.shape[1]
        self._is_counted, self._is_searched = entries <= _MOST_COUNTED, entries <= _MOST_SEARCHED
        if right is not None and not right.wrong.size:
            start = keep_right_rows(self._pattern, right)
        else:
            ends = embed_ends(self._pattern, self._at, question.d, self._similarity)
            found = leave_out_missed(self._pattern, self._at, ends)
            assert found is not None  # the first key at an end is a one of some row
            start = found
        least = start.mean_recall(self._pattern)
        require_proof(ask_recall(question, least), start)
        self.best = BestRecall(question, start, None, least, Fraction(1))
        self._refute([])

    @property
    def _is_line(self) -> bool:
        return self._question.d + self._similarity.below == 1

    def run(self, search: Search, parts: Iterable[SplitColumns] = ()) -> None:
        """Improve both bounds until they meet or the time is up; `parts` refute right rows."""
        self._refute(parts)
        rows, columns = self._pattern.shape
        if self._is_counted:
            self._refute([SplitColumns(range(rows), range(columns))])
        if self._is_searched and not self.best.exact:
            self._search(search)

    def _search(self, search: Search) -> None:
        if self._is_line and self._pattern.shape[1] <= ALL_ORDERS:
            self.take_numbers(embed_first_order(self._pattern, self._at))
        for proof in self._list_proofs(search):
            self._take(proof)
            if self.best.exact or search.out_of_time:
                return

    def take_rows(self, proof: PartialEmbedding) -> None:
        """Keep a proof about rows that are right at K, if the recall is better."""
        self._take(keep_right_rows(self._pattern, proof))

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
        for found in relaxed.list_embeddings(self._question, search):
            if proof := self._cut_first(found):
                yield proof

    def _decide(self, search: Search) -> Iterator[RecallEmbedding]:
        """Decide whether K ones of each row, or all, can come before its zeros."""
        some, missed = keep_some_ones(self._pattern, self._at)
        strategies = choose(similarity=self._similarity)
        turns = [some, self._pattern] if missed.size else [some]
        for place, pattern in enumerate(turns):
            problem = Problem(pattern, self._question.d, None, self._similarity)
            part = search.apart().slice(search.remaining / (len(turns) - place), 0)
            verdict = decide_problem(problem, strategies, part, share=0.0)
            if verdict.status is Status.YES and isinstance(verdict.proof, Witness):
                yield RecallEmbedding(missed, [], verdict.proof)

    def _cut_first(self, found: NumericWitness) -> RecallEmbedding | None:
        cut = cut_first(self._pattern, self._at, found)
        return leave_out_missed(
            self._pattern, self._at, transfer(cut, self._pattern, self._similarity)
        )
