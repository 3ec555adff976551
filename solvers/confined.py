"""A decision in a process of its own, whose memory and time have hard limits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.decision import Progress
from samapprox.support.child import Child, channel
from samapprox.verdict import Attempt, Interrupted, Verdict

__all__ = ["find_proof", "serve"]

_LEAST_MEMORY = 100 << 20  # the interpreter with its libraries takes as much
_LOOK = 0.02  # seconds between two looks at the process
_GRACE = 0.5  # seconds after the time limit
_MEGABYTE = 1 << 20


def find_proof(
    problem: Problem,
    time_limit: float,
    seed: int,
    names: Sequence[str],
    memory_limit: int,
    progress: Progress | None = None,
) -> tuple[Proof | None, tuple[Attempt, ...]]:
    """A proof and the trail, from a process that is ended when it takes too much.

    Parameters
    ----------
    problem : Problem
    time_limit : float
        Seconds; half a second later the process is ended.
    seed : int
    names : sequence of str
        Strategies.
    memory_limit : int
        Bytes of resident memory.
    progress : callable, optional

    Returns
    -------
    proof : Proof or None
    trail : tuple of Attempt
        Its last entry says so if the process was ended.

    Raises
    ------
    InputError
        The limit is below 100 MB, which the libraries alone take.
    """
    if memory_limit < _LEAST_MEMORY:
        raise InputError(
            f"the memory limit must be at least {_LEAST_MEMORY // _MEGABYTE} MB, "
            f"not {memory_limit / _MEGABYTE:.3g} MB"
        )
    options = {"time_limit": time_limit, "seed": seed, "only": list(names)}
    worker = _Worker(problem, options, progress)
    deadline = time.monotonic() + time_limit + _GRACE
    try:
        return worker.watched(deadline, memory_limit)
    except KeyboardInterrupt:
        raise Interrupted(Verdict(problem, None, worker.ended("interrupted"))) from None
    finally:
        worker.end()


class _Worker:
    """The process, and what it said so far."""

    def __init__(
        self, problem: Problem, options: dict[str, Any], progress: Progress | None
    ) -> None:
        self._progress = progress
        self._started = time.perf_counter()
        self._running: str | None = None
        self._attempts: dict[str, Attempt] = {}
        self._found: tuple[Proof | None, tuple[Attempt, ...]] | None = None
        self._child = Child("samapprox.solvers.confined")
        self._child.send_aside((problem, options))

    def watched(
        self, deadline: float, memory_limit: int
    ) -> tuple[Proof | None, tuple[Attempt, ...]]:
        """What it finds, if it finds it within the limits."""
        while self._found is None:
            try:
                heard = self._child.connection.poll(_LOOK)
                message = self._child.connection.recv() if heard else None
            except (EOFError, OSError):  # it ended, perhaps within a message
                return None, self.ended(f"its process ended with status {self._child.end()}")
            if message is not None:
                self._hear(message)
            if self._child.resident() > memory_limit:
                limit = f"{memory_limit / _MEGABYTE:.0f} MB"
                return None, self.ended(f"ended: over the memory limit of {limit}")
            if time.monotonic() > deadline:
                return None, self.ended("ended: over the time limit")
        return self._found

    def _hear(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("progress", name, outcome, seconds):
                self._running = name if outcome is None else None
                if outcome is not None:
                    self._attempts[name] = Attempt(name, seconds, outcome)
                if self._progress is not None:
                    self._progress(name, outcome)
            case ("found", proof, trail):
                self._found = proof, trail
            case ("error", error):
                raise error

    def ended(self, why: str) -> tuple[Attempt, ...]:
        """The trail so far, the running strategy's part told as such."""
        name = self._running or "process"
        spent = sum(attempt.seconds for attempt in self._attempts.values())
        before = self._attempts.pop(name, Attempt(name, 0.0, ""))
        seconds = max(before.seconds, time.perf_counter() - self._started - spent)
        return (*self._attempts.values(), Attempt(name, seconds, why))

    def end(self) -> None:
        """Stop the process, whatever it is at."""
        self._child.end()


def serve() -> None:
    """Decide what comes, and tell how it goes: the worker's side."""
    from samapprox.solvers.decide import decide

    tasks, results = channel()
    seconds: dict[str, float] = {}
    begun = 0.0

    def progress(name: str, outcome: str | None) -> None:
        nonlocal begun
        now = time.perf_counter()
        if outcome is None:
            begun = now
        else:
            seconds[name] = seconds.get(name, 0.0) + now - begun
        results.send(("progress", name, outcome, seconds.get(name, 0.0)))

    problem, options = tasks.recv()
    try:
        verdict = decide(problem.pattern, problem.d, problem.d_hid, progress=progress, **options)
        results.send(("found", verdict.proof, verdict.trail))
    except Exception as error:
        results.send(("error", error))
