"""The bounds so far, the tables of further bounds and searches, and the turns of the searches.

A bound or a search is one module and one line here. Nothing that it returns is trusted: proofs go
through the exact checker, and embeddings are evaluated again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from samapprox.proofs.base import Obstruction
from samapprox.proofs.checker import check
from samapprox.proofs.fits.items import Items
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.results import require_proof
from samapprox.results.best_fit import BestFit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import describe_fault
from samapprox.solvers.questions.fits.remainders import leave_out_wrong, transfer
from samapprox.solvers.questions.fits.scores import NumericWitness
from samapprox.support.limits import search_clock
from samapprox.support.packages import look_up


class FitBounds:
    """The best embedding and the best refutation so far, both confirmed by their checks.

    The number of wrong items that `question` names is ignored. Raises CertificateError if the
    first embedding does not pass its check; later proofs that fail are dropped. There is no
    embedding where every row is wrong.
    """

    def __init__(self, question: Fit, yes: PartialEmbedding | None) -> None:
        unit, similarity = question.unit, question.similarity
        upper = question.pattern.shape[0] if yes is None else len(yes.wrong)
        self._question = question
        self.best = BestFit(
            question.pattern, question.d, unit, similarity, yes, None, 0, upper, at=question.at
        )
        if yes is not None:
            require_proof(self.ask(upper), yes)

    @property
    def lower(self) -> int:
        """The largest number of wrong items that is proven to be needed."""
        return self.best.lower

    @property
    def upper(self) -> int:
        """The number of wrong items of the best embedding."""
        return self.best.upper

    def take(self, proof: PartialEmbedding) -> None:
        """Keep an embedding if it is better, and its check confirms it."""
        wrong = len(proof.wrong)
        if wrong < self.upper and check(self.ask(wrong), proof) is None:
            self.best = replace(self.best, yes=proof, upper=wrong)

    def refute(self, wrong: int, proof: Obstruction) -> None:
        """Keep a proof that more than `wrong` items are wrong, if its check confirms it."""
        if wrong + 1 > self.lower and check(self.ask(wrong), proof) is None:
            self.best = replace(self.best, no=proof, lower=wrong + 1)

    def ask(self, wrong: int) -> Fit:
        """Return the question whether at most so many items are wrong."""
        return replace(self._question, wrong=wrong)


@dataclass(frozen=True, slots=True)
class Refuted:
    """A proof that more than `wrong` items are wrong in every embedding."""

    wrong: int
    proof: Obstruction


BOUNDS = {"splits": "samapprox.solvers.questions.fits.split_counts:find_bound"}
"""Bounds besides hitting sets, imported when they are used; quick ones first.

``find_bound(question, search)`` returns the best `Refuted` found within the limits, or one line
that says why there is none. The question's `wrong` is one less than the number of wrong items of
the best embedding so far: a proof of NO for it closes the interval. Proofs of smaller numbers
count, too.
"""

SEARCHES = {
    "placement": "samapprox.solvers.questions.fits.placement:find_embedding",
    "robust": "samapprox.solvers.questions.fits.robust:find_embedding",
}
"""Searches besides the embeddings that hitting sets lead to, in order.

``find_embedding(question, search)`` returns the best `NumericWitness` found within the limits, or
one line that says why there is none. The question's `wrong` is a lower bound: no embedding has
fewer wrong items, so the search can end with so many. The answer has numbers for all rows and
columns of the pattern: for balls, also an embedding of the same dimension; for caps, also one of a
dimension less. The caller counts the wrong items in exact arithmetic.
"""


def ask(name: str, table: Mapping[str, str], question: Fit, search: Search) -> Any:
    """Ask a bound or a search of a table; an exception becomes one line that describes it."""
    try:
        return look_up(name, table, "method")(question, search)
    except Exception as error:
        return describe_fault(error)


_PATIENCE = 2.0
"""Other work gets this multiple of a successful turn's time before the next turn: more leaves
decisions their time, less lets a search that still succeeds go on."""


class SearchTurns:
    """Searches for embeddings, in turns with other work.

    After a turn that improves the bound, the next one is due when other work has taken twice as
    long. This factor doubles after each turn that does not. `promising` is the search that
    improved the bound last; at the beginning the last one of the table.
    """

    def __init__(self, items: Items, bounds: FitBounds) -> None:
        self._items = items
        self._bounds = bounds
        self.promising = tuple(SEARCHES)[-1]
        self._count = 0
        self._seconds = 0.0  # of the last turn
        self._ended = search_clock.now()
        self._patience = _PATIENCE

    @property
    def seconds_due(self) -> float:
        """The seconds of the next turn: at least those of the last one, 0 if it is not yet due."""
        seconds = (search_clock.now() - self._ended) / self._patience
        return seconds if seconds >= self._seconds else 0.0

    def ask(self, name: str, lower: int, seconds: float, search: Search) -> None:
        """Give a search a turn of so many seconds; `lower` is a bound on the wrong items."""
        started, upper = search_clock.now(), self._bounds.upper
        question = self._bounds.ask(max(self._bounds.lower, lower))
        turn = search.slice(seconds, self._count)
        found = ask(name, SEARCHES, question, turn)
        if isinstance(found, NumericWitness):
            witness = transfer(found, question.pattern, question.similarity)
            self._bounds.take(leave_out_wrong(question.pattern, self._items, witness))
        is_better = self._bounds.upper < upper
        if is_better:
            self.promising = name
        self._patience = _PATIENCE if is_better else 2 * self._patience
        self._count += 1
        self._ended = search_clock.now()
        self._seconds = self._ended - started
