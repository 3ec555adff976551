"""How strategies divide the time, where quick turns leave a question open.

Turns of doubling length give each strategy about as much time as any other. That is right as long
as nothing is known. The table says where one kind of refutation is likelier than the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from samapprox.problem import Problem
from samapprox.results.verdict import Status
from samapprox.solvers.engine.portfolio import StrategyRecord

__all__ = ["SHARES", "Share", "find_share"]


@dataclass(frozen=True, slots=True)
class Share:
    """The problems of which one strategy gets more time than the others on its side.

    Attributes
    ----------
    strategy : str
        Its name. The share is void once the strategy has nothing left to try.
    d : tuple of float
        The least and the largest dimension.
    entries : tuple of float
        The same for the number of rows times that of columns.
    open_after : float
        Seconds of the longest turn that counts as for all others: it is the quick turns that find
        most answers, so the share begins where they leave the question open. The first turn of the
        strategy counts as it is, since it is long where others come first.
    times : float
        The seconds beyond that count for so much less,
    others : float
        and those of other strategies on its side for so much more. The other side keeps its time.
    """

    strategy: str
    d: tuple[float, float] = (1, inf)
    entries: tuple[float, float] = (1, inf)
    open_after: float = 0.5
    times: float = 12.0
    others: float = 4.0

    def covers(self, problem: Problem) -> bool:
        """Return whether the share is about a problem."""
        rows, columns = problem.pattern.shape
        facts = ((problem.d, self.d), (rows * columns, self.entries))
        return all(least <= fact <= most for fact, (least, most) in facts)

    def weigh(self, record: StrategyRecord, seconds: float, first: float) -> float:
        """Return the seconds that a turn counts for, where the shortest turn is next.

        Parameters
        ----------
        record : StrategyRecord
            The strategy whose turn it is.
        seconds : float
            The length of the turn.
        first : float
            The length of the first turn of the strategy.

        Examples
        --------
        >>> from samapprox.solvers.engine.portfolio import choose
        >>> share = Share("topological", times=6.0, others=3.0)
        >>> records = choose(["topological", "chirotope", "gradient"])
        >>> [share.weigh(record, 2.0, first=0.5) for record in records]
        [0.75, 5.0, 2.0]
        >>> share.weigh(records[0], 2.0, first=2.0)
        2.0
        """
        is_favoured = record.name == self.strategy
        as_they_are = max(self.open_after, first) if is_favoured else self.open_after
        if seconds <= as_they_are or record.side is not Status.NO:
            return seconds
        factor = 1 / self.times if is_favoured else self.others
        return as_they_are + (seconds - as_they_are) * factor


SHARES = (
    # Nearly all heads, masks and judgement sets whose refutation for d >= 4 is known have a
    # topological one. It looks at larger patterns only in part.
    Share("topological", d=(4, 30), entries=(1, 4_000_000)),
    # For d = 3, orientations refute as many. But here topological soon refutes the pattern or has
    # nothing left to try, so that a larger share costs the others little. Which turn refutes
    # depends on the order of the elements that it draws, so the share begins with the first turns.
    Share("topological", (3, 3), (1, 4_000_000), open_after=0.03, times=4.0, others=1.0),
)
"""The shares; the first one that covers a problem counts."""


def find_share(problem: Problem) -> Share | None:
    r"""Return the share that counts for a problem, or None if all strategies get as much time.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> [getattr(find_share(Problem(pattern, d)), "times", None) for d in (2, 3, 5)]
    [None, 4.0, 12.0]
    """
    return next((share for share in SHARES if share.covers(problem)), None)
