"""Turns of the searches for embeddings: the most promising one shares the time with decisions."""

from __future__ import annotations

from samapprox.proofs.kinds.fits.items import Items
from samapprox.solvers.ceilings.scores import Found
from samapprox.solvers.fitting.bounds import ProvenBounds
from samapprox.solvers.fitting.methods import SEARCHES, ask_safely, load_search
from samapprox.solvers.fitting.remainders import leave_out_wrong
from samapprox.solvers.fitting.witnesses import carry_over
from samapprox.solvers.search import Search
from samapprox.support.clock import search_clock

__all__ = ["SearchTurns"]


_PATIENCE = 2.0  # times the time of a turn that goes to other work after one that succeeds


class SearchTurns:
    """Searches for embeddings, in turns with other work.

    After a turn that improves the bound, the next one is due when other work has taken twice as
    long. This factor doubles after each turn that does not.

    Parameters
    ----------
    items : Items
    bounds : ProvenBounds
        Receives what the searches find.

    Attributes
    ----------
    promising : str
        The search that improved the bound last; at the beginning the last one of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from samapprox import Pattern
    >>> from samapprox.proofs.questions.fit import Fit
    >>> from samapprox.solvers.fitting.starts import list_starts
    >>> question = Fit(Pattern(np.eye(8)), 2, 0)
    >>> items = Items.of(question.pattern, "rows")
    >>> bounds = ProvenBounds(question, next(list_starts(question, items)))
    >>> turns = SearchTurns(items, bounds)
    >>> turns.ask("robust", 0, 5.0, Search())
    >>> bounds.upper, turns.promising
    (0, 'robust')
    """

    def __init__(self, items: Items, bounds: ProvenBounds) -> None:
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
        """Give a search a turn.

        Parameters
        ----------
        name : str
            See `SEARCHES`.
        lower : int
            No embedding has fewer wrong items.
        seconds : float
        search : Search
            The limits of the whole.
        """
        started, upper = search_clock.now(), self._bounds.upper
        question = self._bounds.ask(max(self._bounds.lower, lower))
        turn = search.slice(seconds, self._count)
        found = ask_safely(load_search(name).find_embedding, question, turn)
        if isinstance(found, Found):
            witness = carry_over(found, question.pattern, question.similarity)
            self._bounds.take(leave_out_wrong(question.pattern, self._items, witness))
        is_better = self._bounds.upper < upper
        if is_better:
            self.promising = name
        self._patience = _PATIENCE if is_better else 2 * self._patience
        self._count += 1
        self._ended = search_clock.now()
        self._seconds = self._ended - started
