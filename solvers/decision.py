"""One problem's decision, turn by turn: strategies in order of cost, until a proof holds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import CertificateError
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof, proves_yes
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.simplify import Simplified, simplify
from samapprox.solvers.portfolio import StrategyRecord, choose
from samapprox.solvers.scope import too_large
from samapprox.solvers.search import Search
from samapprox.solvers.strategy import Strategy
from samapprox.verdict import Attempt, DecisionInterrupted, Status, Verdict

__all__ = ["Decision", "Progress", "describe_fault"]

Progress = Callable[[str, str | None], None]
"""Takes a strategy's name and None when it begins, and its outcome when it ends."""

_MOST_AT_ONCE = 0.5  # seconds for a single call of a strategy that is not complete
_MOST_ENTRIES = 50_000_000  # of a pattern that is unpacked to be simplified


def _silent(_strategy: str, _outcome: str | None) -> None:
    """No progress is shown."""


def describe_fault(error: Exception) -> str:
    """A strategy's exception as its outcome: the mistake costs that strategy, never the answer.

    Parameters
    ----------
    error : Exception
        Raised by a strategy, or by the exact check of its proof.

    Raises
    ------
    Exception
        The error itself where the environment variable SAMAPPROX_TRACEBACK is set, as in tests;
        a lack of memory is no mistake and never raised.
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
    if os.environ.get("SAMAPPROX_TRACEBACK"):
        raise error
    words = _describe(error)
    if isinstance(error, CertificateError):
        return f"please report it: {words}"
    return f"failed, please report it: {type(error).__name__}: {words}"


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether an interrupt is the cause of an error, or came while another one was handled."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _describe(error: Exception) -> str:
    """The message of an exception in one line, whatever class raised it."""
    try:
        return _join_lines(str(error))
    except Exception:
        return "(its message cannot be read)"


def _join_lines(text: str) -> str:
    """The text as one line, as trails and tables hold it."""
    return " ".join(text.split())


class Decision:
    r"""Strategies that try a problem until a proof passes the exact checker.

    Single calls come first, in the given order; then strategies take turns of doubling length, the
    shortest first. A strategy's module is imported when its turn can come, not before.

    Parameters
    ----------
    problem : Problem
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.portfolio.choose`.
    search : Search
        The limits of all turns together.
    progress : callable, optional
    sharpen : bool
        State each verdict for the best d that its proof decides, rather than for the d of the
        problem (free case only): YES for the dimension of the embedding, NO for the largest
        dimension that the obstruction excludes.

    Notes
    -----
    A strategy that raises an exception, or whose proof fails the checker, is out; the trail says
    why (see `describe_fault`), and the decision goes on with the others.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> identity = Pattern.from_text("100\n010\n001")
    >>> decision = Decision(Problem(identity, 2), choose(["rank"]), Search())
    >>> decision.turn()
    >>> decision.over, decision.trail[0].outcome
    (True, 'YES')
    """

    def __init__(
        self,
        problem: Problem,
        strategies: Sequence[StrategyRecord],
        search: Search,
        progress: Progress | None = None,
        *,
        sharpen: bool = False,
    ) -> None:
        self.problem = problem
        self._settled: Verdict | None = None
        self._search = search
        self._progress = progress or _silent
        self._sharpen = sharpen
        self._simplified: Simplified | None = None
        self._violations: list[NDArray[np.int64]] = []
        self._attempts: dict[str, Attempt] = {}
        self._once = [record for record in strategies if not record.in_turns]
        self._in_turns = [record for record in strategies if record.in_turns]
        self._number = 0

    @property
    def verdict(self) -> Verdict:
        """The answer, with its proof once one has passed the checker; UNKNOWN before."""
        if self._settled is not None:
            return self._settled
        return Verdict(self.problem, None, self.trail)

    @property
    def settled(self) -> bool:
        """Whether there is a proof; there are no turns after it."""
        return self._settled is not None

    @property
    def over(self) -> bool:
        """Whether there is a proof, or no time, or nothing left to try."""
        return self.settled or self._search.out_of_time or not (self._once or self._turns)

    @property
    def next_seconds(self) -> float:
        """How long the next turn may take; 0 for a single call."""
        return 0.0 if self._once else self._turns[0][0]

    @property
    def next_name(self) -> str:
        """The name of the strategy whose turn is next."""
        return self._once[0].name if self._once else self._turns[0][1]

    @property
    def turns(self) -> int:
        """How many turns there were of strategies that may have several."""
        return self._number

    @property
    def trail(self) -> tuple[Attempt, ...]:
        """One entry a strategy, its turns added up."""
        return tuple(self._attempts.values()) if self._settled is None else self._settled.trail

    def run(self) -> Verdict:
        """Take all turns.

        Returns
        -------
        Verdict
            With the refutation of d = 1 as `Verdict.below`, where the line test finds one and the
            proof itself says nothing about smaller d: for UNKNOWN, and for a NO that is about the
            coupling of queries and keys.

        Raises
        ------
        DecisionInterrupted
            Ctrl-C; a KeyboardInterrupt that holds the trail so far.
        """
        try:
            while not self.over:
                self.turn()
            if self._settled is not None:
                return self._settled
            return Verdict(self.problem, None, self.trail, self._below(None))
        except KeyboardInterrupt:
            raise DecisionInterrupted(Verdict(self.problem, None, self.trail)) from None

    def turn(self) -> None:
        """Let the next strategy try."""
        if self._once:
            record = self._once.pop(0)
            whole = record.complete
            self._attempt(record, self._search if whole else self._search.slice(_MOST_AT_ONCE, 0))
            return
        seconds, name, record = heappop(self._turns)
        again = self._attempt(record, self._search.slice(seconds, self._number))
        if again and name not in self._search.exhausted:
            heappush(self._turns, (2 * seconds, name, record))
        self._number += 1

    @cached_property
    def _turns(self) -> list[tuple[float, str, StrategyRecord]]:
        """The heap of turns; it imports the strategies, so it is built after all single calls."""
        turns = []
        for record in self._in_turns:
            try:
                turns.append((record.first_turn(self.problem), record.name, record))
            except Exception as error:
                self._attempts[record.name] = Attempt(record.name, 0.0, describe_fault(error))
        heapify(turns)
        return turns

    def _attempt(self, record: StrategyRecord, search: Search) -> bool:
        """Let a strategy try, and check its proof; whether it is worth another turn."""
        name = record.name
        self._progress(name, None)
        spent = self._attempts[name].seconds if name in self._attempts else 0.0
        started = time.perf_counter() - spent
        outcome, again = "interrupted", False
        try:
            again, found = self._find(record, search)
            if isinstance(found, str):
                outcome = _join_lines(found)
            else:
                self._settle(name, found, time.perf_counter() - started)
                outcome = self.verdict.status.value
        except Exception as error:
            outcome, again = describe_fault(error), False
        finally:
            self._attempts[name] = Attempt(name, time.perf_counter() - started, outcome)
        self._progress(name, outcome)
        return again

    def _settle(self, name: str, proof: Proof, seconds: float) -> None:
        """Take a proof for the answer; `Verdict` refuses one that fails the checker.

        Raises
        ------
        TypeError
            It is no proof: a verdict without one would be UNKNOWN, and end the decision.
        CertificateError
        """
        if not isinstance(proof, Proof):
            raise TypeError(f"it must return a proof or a reason, not {type(proof).__name__}")
        problem, yes = self.problem, proves_yes(proof)
        if self._sharpen:
            d = proof.dimension if yes else max(problem.d, proof.dimension)
            problem = replace(problem, d=d)
        attempt = Attempt(name, seconds, "YES" if yes else "NO")
        trail = {**self._attempts, name: attempt}
        self._settled = Verdict(problem, proof, tuple(trail.values()), self._below(proof))

    def _below(self, proof: Proof | None) -> Verdict | None:
        """NO for d = 1, if the line test finds it and the proof gives no lower bound itself."""
        bounds = proof is not None and not (isinstance(proof, Obstruction) and proof.COUPLED_ONLY)
        if self.problem.d == 1 or bounds:
            return None
        line = Decision(Problem(self.problem.pattern, 1), choose(["line"]), Search()).run()
        return line if line.status is Status.NO else None

    def _find(self, record: StrategyRecord, search: Search) -> tuple[bool, Proof | str]:
        """Whether a strategy applies, and what it finds."""
        strategy = record.load()
        reason = strategy.applies(self.problem)
        if reason is not None:
            return False, reason
        if record.simplified:
            return True, self._on_simplified(strategy, search)
        own = replace(search, violations=self._violations)  # places in the whole pattern
        return True, strategy.find_proof(self.problem, own)

    def _on_simplified(self, strategy: Strategy, search: Search) -> Proof | str:
        """Let a strategy try on the merged pattern, and lift what it finds."""
        problem = self.problem
        if (reason := too_large(problem, _MOST_ENTRIES)) is not None:
            return reason
        if self._simplified is None:
            self._simplified = simplify(problem.pattern)
        smaller = self._simplified.pattern
        if smaller is None and problem.coupled:
            return "no row has a 0, so there is nothing to refute"
        if smaller is None:
            nothing = np.zeros((0, problem.d), dtype=np.int64)
            key = np.zeros((1, problem.d), dtype=np.int64)
            return Embedding(nothing, key, []).lift(self._simplified)
        found = strategy.find_proof(Problem(smaller, problem.d), search)
        if isinstance(found, str):
            return found
        if problem.coupled and proves_yes(found):
            return "its embedding has queries and keys of their own"
        return found.lift(self._simplified)
