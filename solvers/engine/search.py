"""State that the strategies of one decision share: limits, seed and previously violated entries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import Event

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, abridge
from samapprox.problem import Problem
from samapprox.support.limits import deadline_in, search_clock

Factors = dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Embeddings in homogeneous form, by their rank."""


_TIDYING = 0.5  # seconds in which what was found is rounded, glued and checked
_SHARE_OF_TIDYING = 0.05  # of a limit, at most


@dataclass(frozen=True, slots=True)
class Search:
    """Limits and hints for strategies that could run indefinitely.

    Attributes
    ----------
    deadline : float
        Time of `search_clock` at which to give up, for this turn.
    whole : float
        The same for the decision as a whole: what is found may be tidied up to then.
    seed : int
        Same seed, same random choices; of a whole number of any size and sign, 32 bits are kept.
    violations : list of ndarray of int64, shape (k, 2)
        Entries (row, column) that a numeric search could not satisfy, latest last: where a core of
        a refutation may lie.
    exhausted : set of str
        Names of strategies that have nothing more to say, however much time they get.
    factors : Factors
        Rank r -> U of shape (m + 1, r) and V of shape (n, r) whose product has the signs of the
        pattern (row 0 positive): embeddings in other dimensions, from which a search may start.
    work : dict of str to object
        What a strategy keeps under its name, to go on with in its next turn.
    stopped : threading.Event
        Set by another thread that has settled the question.

    Examples
    --------
    >>> Search(deadline=search_clock.now() - 1).out_of_time
    True
    """

    deadline: float = float("inf")
    whole: float = float("inf")
    seed: int = 0
    violations: list[NDArray[np.int64]] = field(default_factory=list)
    exhausted: set[str] = field(default_factory=set)
    factors: Factors = field(default_factory=dict)
    work: dict[str, object] = field(default_factory=dict)
    stopped: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        if not isinstance(self.seed, int | np.integer):
            raise InputError(f"the seed must be a whole number, not {abridge(self.seed)}")
        object.__setattr__(self, "seed", int(self.seed) % (1 << 32))  # as numpy wants it

    @classmethod
    def within(cls, seconds: float, seed: int) -> Search:
        """Make a search that ends in so many seconds; the last half second is for cleaning up.

        Raises
        ------
        InputError
            No time limit (see `samapprox.support.limits`), or a seed that is no whole number.
        """
        whole = deadline_in(seconds)
        return cls(whole - min(_TIDYING, _SHARE_OF_TIDYING * seconds), whole, seed)

    @property
    def remaining(self) -> float:
        """Seconds left."""
        return 0.0 if self.stopped.is_set() else self.deadline - search_clock.now()

    @property
    def whole_remaining(self) -> float:
        """Seconds left for the decision as a whole, its tidying up included."""
        return max(0.0, self.whole - search_clock.now())

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return self.remaining <= 0

    def fresh(self, factors: Factors) -> Search:
        """Return the same limits for another problem, with its own hints and its own end.

        Parameters
        ----------
        factors : Factors
            Shared by all dimensions of a pattern.
        """
        return replace(self.apart(factors), stopped=Event())

    def apart(self, factors: Factors | None = None) -> Search:
        """Return the same limits and the same end for another problem, with its own hints."""
        factors = {} if factors is None else factors
        return replace(self, violations=[], exhausted=set(), factors=factors, work={})

    def stop(self) -> None:
        """End this search, its slices and its extensions.

        Examples
        --------
        >>> search = Search()
        >>> search.stop()
        >>> search.slice(1.0, 0).out_of_time
        True
        """
        self.stopped.set()

    def slice(self, seconds: float, turn: int) -> Search:
        """Return a part of the search of at most so many seconds, with fresh random choices."""
        deadline = min(self.deadline, search_clock.now() + seconds)
        return replace(self, deadline=deadline, seed=self.seed + 7919 * turn)

    def extend(self, seconds: float) -> Search:
        """Extend the search by so many seconds, as far as the decision allows."""
        return replace(self, deadline=min(self.whole, search_clock.now() + seconds))

    def half(self) -> Search:
        """Return the search with half of the decision's time reserved for the check.

        Examples
        --------
        >>> 4 < Search.within(10, 0).half().remaining <= 5
        True
        """
        return replace(self, deadline=min(self.deadline, (search_clock.now() + self.whole) / 2))

    def count_violations(self, shape: tuple[int, ...]) -> tuple[NDArray[np.float64], ...]:
        """Count how often each row and each column occurs in `violations`."""
        counts = tuple(np.zeros(size) for size in shape)
        for places in self.violations[-50:]:
            for axis in (0, 1):
                np.add.at(counts[axis], places[:, axis], 1.0 / max(1, len(places)))
        return counts


def shared_tokens(problem: Problem) -> str | None:
    r"""Return the reason why queries and keys are not independent, or None if they are.

    Examples
    --------
    >>> from samapprox.pattern import Pattern
    >>> shared_tokens(Problem(Pattern.from_text("10\n01"), 2, 2))
    'queries and keys share X'
    """
    return "queries and keys share X" if problem.coupled else None


def too_large(problem: Problem, most_cells: int) -> str | None:
    r"""Return the reason why a pattern has too many entries for a strategy, or None.

    Examples
    --------
    >>> from samapprox.pattern import Pattern
    >>> too_large(Problem(Pattern.from_text("101\n010"), 1), 5)
    '2 x 3 is too large for it'
    """
    rows, columns = problem.pattern.shape
    return f"{rows} x {columns} is too large for it" if rows * columns > most_cells else None


def too_slow(seconds: float, search: Search) -> str | None:
    r"""Return the reason why a strategy does not begin uninterruptible work, or None.

    Parameters
    ----------
    seconds : float
        An estimate of the least work that is of any use.
    search : Search
        The limits of the turn.

    Examples
    --------
    >>> too_slow(90.0, Search.within(3.0, 0))
    'its first steps would take about 90 s, more than its turn lasts'
    """
    if seconds <= search.remaining:
        return None
    return f"its first steps would take about {seconds:.2g} s, more than its turn lasts"
