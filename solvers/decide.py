"""Deciding one problem: strategies in order of cost, until one finds a proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.checker import Proof, proves_yes
from samapprox.embedding import Embedding, SelfAttention
from samapprox.errors import InputError
from samapprox.obstruction import SharedChirotope, SignClash
from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem
from samapprox.simplify import Simplified, simplify
from samapprox.solvers.portfolio import (
    ANYTIME,
    COMPLETE,
    WHOLE,
    choose,
    load_anytime,
    load_strategy,
)
from samapprox.solvers.search import Search
from samapprox.verdict import Attempt, Interrupted, Verdict

__all__ = ["Progress", "decide"]

Progress = Callable[[str, str | None], None]
"""Told a strategy's name and None when it begins, and its outcome when it ends."""

_MOST_AT_ONCE = 0.5  # seconds for a strategy that is no complete one and gets a single turn
_MOST_ENTRIES = 50_000_000  # of a pattern that is unpacked to be simplified


def decide(
    entries: ArrayLike | Pattern,
    d: int = 1,
    d_hid: int | None = None,
    *,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Can attention with query/key dimension d show this pattern? With a proof, already checked.

    Parameters
    ----------
    entries : Pattern, array_like or scipy sparse matrix, shape (m, n)
        Rows are queries, columns are keys.
    d : int
        Query/key dimension.
    d_hid : int, optional
        Hidden dimension of X; below 2d, queries and keys share X (square patterns only).
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds after which the answer is UNKNOWN; the line test for d = 1 does not look at it.
    seed : int
        Same seed, same random choices.
    only, without : sequence of str
        Strategies of `samapprox.solvers.portfolio.METHODS` to use alone, or to leave out.
    memory_limit : int, optional
        Bytes after which the answer is UNKNOWN. The search then runs in a process of its own, which
        is also ended half a second after the time limit, whatever it is at.
    progress : callable, optional
        Called with a strategy's name and None when it begins, and its outcome when it ends.

    Returns
    -------
    Verdict
        YES with an embedding, NO with an obstruction, or UNKNOWN; the trail says what was tried.

    Raises
    ------
    InputError
        The pattern or the question is unusable.
    CertificateError
        A strategy's proof failed the checker (a bug here).
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the trail so far.

    Notes
    -----
    For d = 1 and fully specified patterns the cost is linear in the input and the answer never
    UNKNOWN. For d >= 2 the question is NP-hard, and as hard as the existential theory of the reals.

    References
    ----------
    Likhosherstov et al. (2023), Definition 0.1 and Theorem 0.3.

    Examples
    --------
    >>> verdict = decide([[1, 0, 0], [1, 1, 0], [0, 1, 1]], d=1)
    >>> verdict.status.value
    'YES'
    >>> verdict.proof.keys.ravel()
    array([2, 1, 0])
    >>> decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=2).status.value
    'YES'
    """
    if not time_limit > 0:
        raise InputError(f"the time limit must be above 0 seconds, not {time_limit}")
    problem = Problem(as_pattern(entries, causal=causal), d, d_hid)
    names = choose(only, without)
    if memory_limit is not None:
        from samapprox.solvers.confined import find_proof

        found = find_proof(problem, time_limit, seed, names, memory_limit, progress)
        return Verdict(problem, *found)
    decision = _Decision(problem, progress or _silent)
    try:
        _run(decision, names, time_limit, seed)
    except KeyboardInterrupt:
        raise Interrupted(Verdict(problem, None, decision.trail)) from None
    return Verdict(problem, decision.proof, decision.trail)


def _silent(_strategy: str, _outcome: str | None) -> None:
    """No progress is shown."""


def _run(decision: _Decision, names: Sequence[str], time_limit: float, seed: int) -> None:
    """Let strategies try until one settles it or time is up."""
    deadline = time.monotonic() + time_limit
    search = Search(deadline, deadline, seed)
    for name in names:
        if name not in ANYTIME and not decision.settled and not search.out_of_time:
            part = search if name in COMPLETE else search.slice(_MOST_AT_ONCE, 0)
            decision.attempt(name, part)
    problem = decision.problem
    turns = [(load_anytime(name).first_turn(problem), name) for name in names if name in ANYTIME]
    heapify(turns)
    turn = 0
    while turns and not decision.settled and not search.out_of_time:
        seconds, name = heappop(turns)
        if decision.attempt(name, search.slice(seconds, turn)) and name not in search.exhausted:
            heappush(turns, (2 * seconds, name))
        turn += 1


class _Decision:
    """A problem, its simplified form, and what the strategies made of them so far."""

    def __init__(self, problem: Problem, progress: Progress) -> None:
        self.problem = problem
        self._progress = progress
        self.proof: Proof | None = None
        self._simplified: Simplified | None = None
        self._violations: list[NDArray[np.int64]] = []
        self._attempts: dict[str, Attempt] = {}

    @property
    def settled(self) -> bool:
        """Whether there is a proof."""
        return self.proof is not None

    @property
    def trail(self) -> tuple[Attempt, ...]:
        """One entry a strategy, its turns added up."""
        return tuple(self._attempts.values())

    def attempt(self, name: str, search: Search) -> bool:
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
        rows, columns = problem.pattern.shape
        if rows * columns > _MOST_ENTRIES:
            return f"{rows} x {columns} is too large for it"
        if self._simplified is None:
            self._simplified = simplify(problem.pattern)
        smaller = self._simplified.pattern
        if smaller is None and problem.coupled:
            return "no row has a 0, so there is nothing to refute"
        if smaller is None:
            nothing = np.zeros((0, problem.d), dtype=np.int64)
            key = np.zeros((1, problem.d), dtype=np.int64)
            return self._simplified.lift_embedding(Embedding(nothing, key, []))
        found = load_strategy(name).find_proof(Problem(smaller, problem.d), search)
        if isinstance(found, str | SelfAttention | SharedChirotope | SignClash):
            return found
        if isinstance(found, Embedding):
            if problem.coupled:
                return "its embedding has queries and keys of their own"
            return self._simplified.lift_embedding(found)
        return self._simplified.lift_obstruction(found)
