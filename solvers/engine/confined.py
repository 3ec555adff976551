"""A decision in a separate process with hard limits on memory and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from samapprox.errors import interrupts_hold
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.results.verdict import Attempt, Verdict
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import describe_fault
from samapprox.support.child import Child, channel
from samapprox.support.limits import LOOK, Change, Clock, Limits, search_clock
from samapprox.support.progress import OnProgress, Progress


def run_confined(
    problem: Problem,
    strategies: Sequence[StrategyRecord],
    time_limit: float,
    seed: int,
    memory_limit: int,
    progress: OnProgress | None = None,
) -> Verdict:
    """Run a decision in a process that is stopped when it exceeds its limits.

    The process has two seconds more than the time limit, without compilation; the memory limit
    is in bytes of resident memory. Its proof is checked here once more. The last entry of the trail
    says so if the process was stopped, or if its proof does not hold. An interrupt holds the trail
    so far.
    """
    limits = Limits(time_limit, memory_limit)
    worker = _Worker(problem, (strategies, time_limit, seed), progress)
    try:
        with interrupts_hold(lambda: worker.stopped("interrupted")):
            return worker.watch(limits)
    finally:
        worker.end()


class _Worker:
    """The process, and what it said so far."""

    def __init__(
        self,
        problem: Problem,
        task: tuple[Sequence[StrategyRecord], float, int],
        progress: OnProgress | None,
    ) -> None:
        self._problem = problem
        self._progress = progress
        self._clock = Clock()
        self._started = self._clock.now()
        self._running: str | None = None
        self._attempts: dict[str, Attempt] = {}
        self._found: Verdict | None = None
        self._child = Child("samapprox.solvers.engine.confined")
        self._child.send_aside((problem, *task))

    def watch(self, limits: Limits) -> Verdict:
        """Wait for the verdict of the process within the limits."""
        while self._found is None:
            try:
                heard = self._child.connection.poll(LOOK)
                message = self._child.connection.recv() if heard else None
            except (EOFError, OSError):  # it ended, perhaps within a message
                return self.stopped(f"its process ended with status {self._child.end()}")
            if message is not None:
                self._hear(message)
            excess = limits.excess(self._child, self._clock.now() - self._started)
            if excess is not None:
                return self.stopped(excess.reason)
        return self._found

    def _hear(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("progress", name, outcome, seconds):
                self._running = name if outcome is None else None
                if outcome is not None:
                    self._attempts[name] = Attempt(name, seconds, outcome)
                if self._progress is not None:
                    self._progress(Progress(name, outcome=outcome))
            case ("clock", change):
                self._clock.follow(change)
            case ("found", proof, trail, *bounds):
                self._found = _check(self._problem, proof, trail, bounds)
            case ("error", error):
                raise error

    def stopped(self, why: str) -> Verdict:
        """Return UNKNOWN with the trail so far; its last entry gives the reason of the stop."""
        name = self._running or "process"
        spent = sum(attempt.seconds for attempt in self._attempts.values())
        before = self._attempts.pop(name, Attempt(name, 0.0, ""))
        seconds = max(before.seconds, self._clock.now() - self._started - spent)
        trail = (*self._attempts.values(), Attempt(name, seconds, why))
        return Verdict(self._problem, None, trail)

    def end(self) -> None:
        """Stop the process."""
        self._child.end()


def _check(
    problem: Problem,
    proof: Proof | None,
    trail: tuple[Attempt, ...],
    bounds: Sequence[Proof | None] = (None, None),
) -> Verdict:
    """Return the verdict of the process, checked here; UNKNOWN if a proof does not hold."""
    try:
        below, above = (
            None
            if bound is None
            else Verdict(replace(problem, d=bound.dimension, d_hid=None), bound)
            for bound in bounds
        )
        return Verdict(problem, proof, trail, below, above)
    except Exception as error:
        fault = describe_fault(error)
        found = ("YES", "NO")
        steps = (replace(step, outcome=fault) if step.outcome in found else step for step in trail)
        return Verdict(problem, None, tuple(steps))


def serve() -> None:
    """Run the received decision and report its progress: the child's side."""
    tasks, results = channel()
    seconds: dict[str, float] = {}
    begun = 0.0

    def progress(moment: Progress) -> None:
        nonlocal begun
        now, name, outcome = search_clock.now(), moment.what, moment.outcome
        if outcome is None:
            begun = now
        else:
            seconds[name] = seconds.get(name, 0.0) + now - begun
        results.send(("progress", name, outcome, seconds.get(name, 0.0)))

    def report(change: Change) -> None:
        results.send(("clock", change))

    search_clock.report = report
    problem, strategies, time_limit, seed = tasks.recv()
    try:
        search = Search.within(time_limit, seed)
        verdict = decide_problem(problem, strategies, search, progress)
        bounds = (
            None if bound is None else bound.proof for bound in (verdict.below, verdict.above)
        )
        results.send(("found", verdict.proof, verdict.trail, *bounds))
    except Exception as error:
        results.send(("error", error))
