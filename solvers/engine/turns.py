"""Turns of the strategies that try one problem, in order of cost, and how they divide the time.

Turns of doubling length give each strategy about as much time as any other. That is right as long
as nothing is known. A table says where one strategy is likelier to succeed than the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from samapprox.errors import CertificateError
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, proves_yes
from samapprox.results import Status
from samapprox.results.verdict import Attempt
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search
from samapprox.support.limits import search_clock
from samapprox.support.packages import is_missing_package

if TYPE_CHECKING:
    from samapprox.support.progress import OnProgress

Accept = Callable[[Proof], bool | str]
"""Takes a strategy's proof and checks it: whether it settles the problem, or why it is refused."""

_MOST_AT_ONCE = 0.5  # seconds for a single call of a strategy that is not complete
_FOR_EACH_ONE = 1.5e-6  # seconds more for each one of a sparse pattern
_MANY_ONES = 500_000  # ones of a dense pattern, from which on a single call has at most
_SHARE_AT_ONCE = 0.1  # of the time that is left, so that searches have the rest
_NO_TIME = 0.001  # seconds; a turn that took less found its time too short to begin


@dataclass(frozen=True, slots=True)
class Share:
    """The problems of which one strategy gets more time than the others for the same answer.

    Attributes
    ----------
    strategy : str
        Its name. The share is void once the strategy has nothing left to try.
    answer : Status
        What it finds, YES or NO.
    d : tuple of float
        The least and the largest dimension.
    entries : tuple of float
        The same for the number of rows times that of columns.
    open_after : float
        Turns of at most so many seconds count in full: quick turns find most answers, so the share
        begins where these leave the question open. The first turn of the strategy counts in full,
        too, since it is long where other strategies should come first.
    times : float
        The seconds beyond that are divided by this number for the strategy itself.
    others : float
        They are multiplied by this number for other strategies that find this answer alone.
        Strategies that find the other answer, or both, keep their time.
    """

    strategy: str
    answer: Status
    d: tuple[float, float] = (1, inf)
    entries: tuple[float, float] = (1, inf)
    open_after: float = 0.1
    times: float = 4.0
    others: float = 4.0

    def covers(self, problem: Problem) -> bool:
        """Return whether the share is about a problem."""
        facts = ((problem.d, self.d), (problem.pattern.size, self.entries))
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
        >>> share = Share("topological", Status.NO, open_after=0.5, times=6.0, others=3.0)
        >>> records = choose(["topological", "chirotope", "gradient"])
        >>> [share.weigh(record, 2.0, first=0.5) for record in records]
        [0.75, 5.0, 2.0]
        >>> share.weigh(records[0], 2.0, first=2.0)
        2.0
        """
        is_favoured = record.name == self.strategy
        as_they_are = max(self.open_after, first) if is_favoured else self.open_after
        if seconds <= as_they_are or record.finds != (self.answer,):
            return seconds
        factor = 1 / self.times if is_favoured else self.others
        return as_they_are + (seconds - as_they_are) * factor


SHARES = (
    # Nearly all heads, masks and judgement sets whose refutation for d >= 4 is known have a
    # topological one. It looks at larger patterns only in part.
    Share("topological", Status.NO, (4, 30), (1, 4_000_000)),
    # For d = 3, orientations refute as many. But here topological soon refutes the pattern or has
    # nothing left to try, so that a larger share costs the others little. Which turn refutes
    # depends on the order of the elements that it draws, so the share begins with the first turns.
    Share("topological", Status.NO, (3, 3), (1, 4_000_000), 0.03, times=4.0, others=1.0),
    # Of 103 heads, masks, planted and random patterns, `projections` embeds 98 within a second in
    # their least known dimension. `gradient`, `hinge` and `annealing` embed 73 to 80, nearly all of
    # them in turns that count as for all. In larger patterns, `hinge` takes Newton steps.
    Share("projections", Status.YES, (3, inf), (1, 20_000), times=2.0),
)
"""The shares; the first one that covers a problem counts."""


def find_shares(problem: Problem) -> dict[Status, Share]:
    r"""Return the share that counts for each answer to a problem, if there is one.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> found = [find_shares(Problem(pattern, d)) for d in (2, 3, 5)]
    >>> [one[Status.NO].open_after if one else None for one in found]
    [None, 0.03, 0.1]
    """
    covering = [share for share in SHARES if share.covers(problem)]
    return {share.answer: share for share in reversed(covering)}


class Turns:
    r"""The strategies that try one problem: single calls first, then turns of doubling length.

    Single calls come in the given order; of the strategies that take turns, the one with the
    shortest turn is next, as a `Share` counts the seconds. A strategy's module is imported when its
    turn comes.

    Parameters
    ----------
    problem : Problem
        The problem that all strategies try.
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.engine.portfolio.choose`.
    search : Search
        The limits of all turns together.
    accept : callable
        Takes every proof that a strategy finds; see `Accept`. If it raises, the strategy is out.
    trail : mapping of str to Attempt, optional
        In and out: the seconds and the last outcome of each strategy. Other problems may share it.
    progress : callable, optional
        Called before and after each turn.

    Notes
    -----
    A strategy that raises an exception, or whose proof is refused, is out; the trail says why
    (see `samapprox.solvers.engine.turns.describe_fault`), and the others go on.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.solvers.engine.portfolio import choose
    >>> identity = Problem(Pattern.from_text("100\n010\n001"), 2)
    >>> found = []
    >>> turns = Turns(identity, choose(["rank"]), Search(), lambda proof: not found.append(proof))
    >>> turns.take()
    >>> turns.over, turns.trail["rank"].outcome, found[0].dimension
    (True, 'YES', 2)
    """

    def __init__(
        self,
        problem: Problem,
        strategies: Sequence[StrategyRecord],
        search: Search,
        accept: Accept,
        trail: MutableMapping[str, Attempt] | None = None,
        progress: OnProgress | None = None,
    ) -> None:
        self.problem = problem
        self.trail: MutableMapping[str, Attempt] = {} if trail is None else trail
        self.taken = 0
        """The number of turns so far of strategies that apply and may have several."""
        self.settled = False
        """Whether a proof settled the problem; there are no turns after it."""
        self._search = search
        self._accept = accept
        self._progress = progress
        self._once = [record for record in strategies if not record.in_turns]
        self._records = {record.name: record for record in strategies if record.in_turns}

    @property
    def has_single_calls(self) -> bool:
        """Whether the next turn is the single call of a strategy."""
        return bool(self._once)

    @property
    def over(self) -> bool:
        """Whether the problem is settled, or there is no time, or nothing left to try."""
        return self.settled or self._search.out_of_time or not (self._once or self._lengths)

    @property
    def next_seconds(self) -> float:
        """The length of the next turn in seconds; 0 for a single call."""
        return 0.0 if self._once else self._lengths[self.next_name]

    @property
    def next_weight(self) -> float:
        """The seconds that the next turn counts for beside other turns; 0 for a single call."""
        return 0.0 if self._once else self._weigh(self.next_name)

    @property
    def next_name(self) -> str:
        """The name of the strategy whose turn is next."""
        if self._once:
            return self._once[0].name
        return min(self._lengths, key=lambda name: (self._weigh(name), name))

    def _weigh(self, name: str) -> float:
        """Return the seconds that the next turn of a strategy counts for."""
        seconds, record = self._lengths[name], self._records[name]
        share = self._shares.get(record.side)
        if share is None or share.strategy not in self._lengths:
            return seconds
        return share.weigh(record, seconds, self._first_lengths[name])

    @cached_property
    def _shares(self) -> dict[Status, Share]:
        return find_shares(self.problem)

    def take(self) -> None:
        """Let the next strategy try."""
        if self._once:
            record = self._once.pop(0)
            search = self._search if record.complete else self._search.slice(self._at_once, 0)
            self._attempt(record, search)
            return
        name = self.next_name
        seconds = self._lengths.pop(name)
        has_all = seconds >= self._search.remaining
        started = search_clock.now()
        again = self._attempt(self._records[name], self._search.slice(seconds, self.taken))
        self.taken += again
        if has_all and search_clock.now() - started < _NO_TIME:
            again = False  # it needs more than all that is left
        if again and name not in self._search.exhausted:
            self._lengths[name] = 2 * seconds

    @property
    def _at_once(self) -> float:
        """Seconds for a single call; many dense ones leave more of the time to the searches."""
        pattern = self.problem.pattern
        if pattern.ones.is_sparse:
            return _MOST_AT_ONCE + _FOR_EACH_ONE * pattern.count
        if pattern.count < _MANY_ONES:
            return _MOST_AT_ONCE
        return min(_MOST_AT_ONCE, _SHARE_AT_ONCE * self._search.remaining)

    @cached_property
    def _first_lengths(self) -> dict[str, float]:
        """The seconds of the first turn of each strategy that has one."""
        lengths = {}
        for name, record in self._records.items():
            try:
                lengths[name] = record.first_seconds(self.problem)
            except Exception as error:
                self.trail[name] = Attempt(name, 0.0, describe_fault(error))
        return lengths

    @cached_property
    def _lengths(self) -> dict[str, float]:
        """The seconds of the next turn of each strategy that has one."""
        return dict(self._first_lengths)

    def _attempt(self, record: StrategyRecord, search: Search) -> bool:
        """Let a strategy try; whether it is worth another turn."""
        name = record.name
        self._report(name)
        spent = self.trail[name].seconds if name in self.trail else 0.0
        started = search_clock.now() - spent
        outcome, again, ended = "interrupted", False, None
        try:
            reason = record.applies(self.problem)
            again = reason is None
            found = record.load().find_proof(self.problem, search) if reason is None else reason
            ended = search_clock.now()  # the check has a time of its own
            outcome = join_lines(found) if isinstance(found, str) else self._hand_over(found)
        except Exception as error:
            outcome, again = describe_fault(error), False
        finally:
            seconds = (ended or search_clock.now()) - started
            self.trail[name] = Attempt(name, seconds, outcome)
        self._report(name, outcome)
        return again

    def _report(self, name: str, outcome: str | None = None) -> None:
        """Report that a strategy begins, or its outcome."""
        if self._progress is not None:
            from samapprox.support.progress import Progress  # on the line, most commands are silent

            self._progress(Progress(name, outcome=outcome))

    def _hand_over(self, proof: Proof) -> str:
        """Have a proof accepted; its answer in words, or why it is refused.

        Raises
        ------
        TypeError
            It is no proof.
        CertificateError
            It fails the check.
        """
        if not isinstance(proof, Proof):
            raise TypeError(f"it must return a proof or a reason, not {type(proof).__name__}")
        accepted = self._accept(proof)
        if isinstance(accepted, str):
            return accepted
        self.settled = accepted
        answer = "YES" if proves_yes(proof) else "NO"
        return answer if accepted else f"{answer} for d = {proof.dimension}"


def describe_fault(error: Exception) -> str:
    """Describe the exception of a strategy, or of the exact check of its proof, as its outcome.

    Raises
    ------
    Exception
        The error itself where the environment variable SAMAPPROX_TRACEBACK is set, as in tests;
        a lack of memory is no mistake and never raised. Also where a package is not installed:
        the answer would depend on what is.
    KeyboardInterrupt
        The error is what a library made of an interrupt: its initialization failed, say.

    Examples
    --------
    >>> describe_fault(MemoryError())
    'not enough memory'
    """
    if _is_interrupt(error):
        raise KeyboardInterrupt from error
    if isinstance(error, MemoryError):
        return "not enough memory"
    if is_missing_package(error) or os.environ.get("SAMAPPROX_TRACEBACK"):
        raise error
    words = _describe(error)
    if isinstance(error, CertificateError):
        return f"please report it: {words}"
    return f"failed, please report it: {type(error).__name__}: {words}"


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an interrupt caused an error, or arrived while another one was handled."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _describe(error: Exception) -> str:
    """Return the message of an exception in one line, whatever class raised it."""
    try:
        return join_lines(str(error))
    except Exception:
        return "(its message cannot be read)"


def join_lines(text: str) -> str:
    r"""Join the lines of a text into one.

    Examples
    --------
    >>> join_lines("a proof\nfails ")
    'a proof fails'
    """
    return " ".join(text.split())
