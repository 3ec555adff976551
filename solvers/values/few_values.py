"""SAT on the entries of queries and keys with few values, for both answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.propagation import MOST_CLAUSES
from samapprox.proofs.values.clauses import ValueClauses, most_value_clauses
from samapprox.proofs.values.embedding import ValueEmbedding
from samapprox.proofs.values.few_values import FewValues
from samapprox.solvers.backends.sat import Lemmas, Sat
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.trim import affordable_steps, trim
from samapprox.solvers.values.trivial import with_thresholds
from samapprox.support.text import plural

__all__ = ["NAME", "applies", "find_proof"]

NAME = "few-values"

_FEW_LEMMAS = 20_000  # that are trimmed; with more, that takes several times as long as the check
_SHARE_OF_TRIMMING = 0.3  # of the time that is left; the check needs as much
_PACE = 6e9  # lemmas times literals of lemmas that are checked in a second, roughly
_MOST_LITERALS = 10_000_000  # of lemmas in a certificate, of some 60 MB


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    most = most_value_clauses(*problem.pattern.shape, problem.similarity, problem.d)
    return f"up to {most} clauses are too many" if most > MOST_CLAUSES else None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Solve the clauses of the whole pattern, and go on in the next turn if time is up.

    O(m n d^2) clauses for two values, w^2 times as many if products have w steps.
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
    return FewValues(
        problem.similarity.name, problem.d, range(problem.pattern.shape[0]), work.columns, lemmas
    )


class _Work:
    """The clauses of a problem, and a solver for them."""

    def __init__(self, problem: Problem, search: Search) -> None:
        self._entries = problem.pattern.to_array()
        # Keys in many rows come first: their entries, which symmetries fix, decide the most.
        ones = (self._entries == 1).sum(axis=0)
        self.columns: list[int] = np.argsort(-ones, kind="stable").tolist()
        ordered = self._entries[:, self.columns]
        self.formula = ValueClauses(ordered, problem.similarity, problem.d)
        self.sat = Sat(search, proof=True)
        self.sat.add(self.formula.clauses)

    def embedding(self) -> ValueEmbedding:
        """Return the vectors of the last assignment."""
        true = self.sat.true
        queries, keys = (
            np.array([[_read(entry, true) for entry in vector] for vector in vectors])
            for vectors in (self.formula.queries, self.formula.keys)
        )
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


def _read(entry: dict[int, int], true: frozenset[int]) -> int:
    """Return a value that an entry has; the clauses hold with any of them if it has several."""
    return next(
        value for value, literal in entry.items() if (abs(literal) in true) == (literal > 0)
    )
