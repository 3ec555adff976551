"""One problem's decision, turn by turn: whose turn it is, and what came of those before."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, proves_yes
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.simplify import Simplified, simplify
from samapprox.solvers.portfolio import ANYTIME, COMPLETE, WHOLE, load_anytime, load_strategy
from samapprox.solvers.scope import too_large
from samapprox.solvers.search import Search
from samapprox.verdict import Attempt

__all__ = ["Decision", "Progress"]

Progress = Callable[[str, str | None], None]
"""Told a strategy's name and None when it begins, and its outcome when it ends."""

_MOST_AT_ONCE = 0.5  # seconds for a strategy that is no complete one and gets a single turn
_MOST_ENTRIES = 50_000_000  # of a pattern that is unpacked to be simplified


def _silent(_strategy: str, _outcome: str | None) -> None:
    """No progress is shown."""


class Decision:
    r"""Strategies that take turns at a problem: single ones first, then whose turn is shortest.

    Parameters
    ----------
    problem : Problem
    names : sequence of str
        Strategies of `samapprox.solvers.portfolio.METHODS`.
    search : Search
        The limits of all turns together.
    progress : callable, optional

    Attributes
    ----------
    proof : Proof or None
        Once there is one, there are no more turns.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> decision = Decision(Problem(Pattern.from_text("100\n010\n001"), 2), ["rank"], Search())
    >>> decision.turn()
    >>> decision.over, decision.trail[0].outcome
    (True, 'YES')
    """

    def __init__(
        self,
        problem: Problem,
        names: Sequence[str],
        search: Search,
        progress: Progress | None = None,
    ) -> None:
        self.problem = problem
        self.proof: Proof | None = None
        self._search = search
        self._progress = progress or _silent
        self._simplified: Simplified | None = None
        self._violations: list[NDArray[np.int64]] = []
        self._attempts: dict[str, Attempt] = {}
        self._once = [name for name in names if name not in ANYTIME]
        self._turns = [
            (load_anytime(name).first_turn(problem), name) for name in names if name in ANYTIME
        ]
        heapify(self._turns)
        self._number = 0

    @property
    def over(self) -> bool:
        """Whether there is a proof, or nothing left to try, or no time."""
        nothing_left = not self._once and not self._turns
        return self.proof is not None or nothing_left or self._search.out_of_time

    @property
    def next_seconds(self) -> float:
        """How long the next turn may take; 0 for what is tried once."""
        return 0.0 if self._once else self._turns[0][0]

    @property
    def next_name(self) -> str:
        """Whose turn is next."""
        return self._once[0] if self._once else self._turns[0][1]

    @property
    def turns(self) -> int:
        """How many turns there were of strategies that may have several."""
        return self._number

    @property
    def trail(self) -> tuple[Attempt, ...]:
        """One entry a strategy, its turns added up."""
        return tuple(self._attempts.values())

    def turn(self) -> None:
        """Let the next strategy try."""
        if self._once:
            name = self._once.pop(0)
            part = self._search if name in COMPLETE else self._search.slice(_MOST_AT_ONCE, 0)
            self._attempt(name, part)
            return
        seconds, name = heappop(self._turns)
        again = self._attempt(name, self._search.slice(seconds, self._number))
        if again and name not in self._search.exhausted:
            heappush(self._turns, (2 * seconds, name))
        self._number += 1

    def _attempt(self, name: str, search: Search) -> bool:
        """Let a strategy try; whether it is worth another turn."""
        self._progress(name, None)
        started = time.perf_counter()
        found: Proof | str = "interrupted"
        again = False
        try:
            again, found = self._found(name, search)
        except MemoryError:
            found = "not enough memory"
        finally:
            outcome = found if isinstance(found, str) else "YES" if proves_yes(found) else "NO"
            before = self._attempts[name].seconds if name in self._attempts else 0.0
            seconds = before + time.perf_counter() - started
            self._attempts[name] = Attempt(name, seconds, outcome)
        self._progress(name, outcome)
        if not isinstance(found, str):
            self.proof = found
        return again

    def _found(self, name: str, search: Search) -> tuple[bool, Proof | str]:
        """Whether a strategy applies, and what it finds."""
        strategy = load_strategy(name)
        reason = strategy.applies(self.problem)
        if reason is not None:
            return False, reason
        if name in WHOLE:
            own = replace(search, violations=self._violations)  # places in the whole pattern
            return True, strategy.find_proof(self.problem, own)
        return True, self._on_simplified(name, search)

    def _on_simplified(self, name: str, search: Search) -> Proof | str:
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
        found = load_strategy(name).find_proof(Problem(smaller, problem.d), search)
        if isinstance(found, str):
            return found
        if problem.coupled and proves_yes(found):
            return "its embedding has queries and keys of their own"
        return found.lift(self._simplified)
