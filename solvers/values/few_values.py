"""SAT on the entries of queries and keys with few values, for both answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.propagation import MOST_CLAUSES
from samapprox.proofs.values.clauses import ValueClauses, most_value_clauses
from samapprox.proofs.values.cut_clauses import CutClauses, most_cut_clauses
from samapprox.proofs.values.embedding import ValueEmbedding
from samapprox.proofs.values.few_values import FewValues
from samapprox.solvers.engine.backends import Lemmas, Sat
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.trim import affordable_steps, trim
from samapprox.solvers.values.trivial import with_thresholds
from samapprox.support.text import plural

NAME = "few-values"

_FEW_LEMMAS = 20_000  # that are trimmed; with more, that takes several times as long as the check
_SHARE_OF_TRIMMING = 0.3  # of the time that is left; the check needs as much
_PACE = 3e9  # lemmas times literals of lemmas that are checked in a second, at least
_MOST_CUT_CLAUSES = 400_000  # beyond, those with thresholds are easier, roughly
_MOST_LITERALS = 10_000_000  # of lemmas in a certificate, of some 60 MB


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    most = most_value_clauses(*problem.pattern.shape, problem.similarity, problem.d)
    if most <= MOST_CLAUSES or _has_few_cuts(problem):
        return None
    return f"up to {most} clauses are too many"


def _has_few_cuts(problem: Problem) -> bool:
    """Return whether rows may choose among all cuts: the clauses are easier, if they are few."""
    most = most_cut_clauses(*problem.pattern.shape, problem.similarity, problem.d)
    return most <= _MOST_CUT_CLAUSES


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Solve the clauses of the whole pattern, and go on in the next turn if time is up.

    O(m n d 2^d) clauses for two values in few dimensions. In many, there are O(m n d^2), and w^2
    times as many if products have w steps.
    """
    work = search.work.get(NAME)
    if not isinstance(work, _Work):
        work = search.work[NAME] = _Work(problem, search)
    work.sat.search = search
    answer = work.sat.solve()
    if answer is None:
        return f"{plural(len(work.formula.clauses), 'clause')}: not solved yet"
    search.exhausted.add(NAME)
    if answer:
        return work.embedding()
    lemmas = work.refutation(search)
    if lemmas is None or sum(map(len, lemmas)) > _MOST_LITERALS:
        return "refuted, but the refutation is too long to be checked in time"
    rows = range(problem.pattern.shape[0])
    return FewValues(problem.similarity.name, problem.d, rows, work.columns, lemmas, work.clauses)


class _Work:
    """The clauses of a problem, and a solver for them."""

    def __init__(self, problem: Problem, search: Search) -> None:
        self._entries = problem.pattern.to_array()
        self.columns = _order_keys(self._entries, search)
        self.clauses = "cuts" if _has_few_cuts(problem) else None
        build = ValueClauses if self.clauses is None else CutClauses
        ordered = self._entries[:, self.columns]
        self.formula = build(ordered, problem.similarity, problem.d)
        self.sat = Sat(search, proof=True)
        self.sat.add(self.formula.clauses)

    def embedding(self) -> ValueEmbedding:
        """Return the vectors of the last assignment."""
        true = self.sat.true
        queries = np.array(self.formula.query_vectors(true))
        keys = np.array(self.formula.key_vectors(true))
        return with_thresholds(self._entries == 1, queries, keys[np.argsort(self.columns)])

    def refutation(self, search: Search) -> Lemmas | None:
        """Return the lemmas that refute the clauses; None if their check takes too long.

        Few lemmas are trimmed. The check follows, and takes no more steps than trimming, roughly.
        """
        lemmas = self.sat.lemmas
        if len(lemmas) > _FEW_LEMMAS:
            seconds = len(lemmas) * sum(map(len, lemmas)) / _PACE
            return lemmas if seconds < search.whole_remaining else None
        clauses = self.formula.clauses
        widths = sorted({len(clause) for clause in clauses})
        blocks: list[NDArray[np.int64]] = [
            np.array([clause for clause in clauses if len(clause) == width], dtype=np.int64)
            for width in widths
        ]
        limits = search.extend(_SHARE_OF_TRIMMING * search.whole_remaining)
        trimmed = trim(blocks, lemmas, affordable_steps(limits))
        return None if trimmed is None else trimmed[1]


def _order_keys(entries: NDArray[np.int8], search: Search) -> list[int]:
    """Return the columns such that many rows differ on the first ones, and halve evenly.

    Symmetries fix the entries of the first keys, so these should leave rows little choice. Once all
    rows differ, or time is up, only evenness counts. O(m n^2).
    """
    uneven = np.abs(2 * (entries == 1).sum(axis=0) - len(entries))
    rest: list[int] = np.argsort(uneven, kind="stable").tolist()
    order: list[int] = []
    classes, different = np.zeros(len(entries), dtype=np.int64), len(np.unique(entries, axis=0))
    while len(np.unique(classes)) < different and not search.out_of_time:
        finer = {column: 3 * classes + entries[:, column] for column in rest}
        best = max(rest, key=lambda column: len(np.unique(finer[column])))  # ties: the most even
        order.append(best)
        rest.remove(best)
        classes = np.unique(finer[best], return_inverse=True)[1]
    return order + rest
