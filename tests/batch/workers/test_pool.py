"""The pool: limits hold whatever an instance does, and nothing else is lost by it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.batch.hostile_sources import Bug, Compiling, Deadly, Forever, Greedy, Harmless
from helpers.paths import ROOT
from helpers.programs.processes import workers

from samapprox import InputError, SamapproxError, data, load
from samapprox.batch import Outcome, Question
from samapprox.batch.results.outcome import unpacked_certificate, unpacked_trail
from samapprox.batch.sets.entry import Entry, File, Matrix, Source
from samapprox.batch.workers.groups import Group
from samapprox.batch.workers.pool import Pool
from samapprox.support.limits import Clock


@pytest.fixture(autouse=True)
def _workers_find_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))


class Groups:
    def __init__(self, groups: Iterable[Group]) -> None:
        self.left = list(groups)

    def take(self) -> Group | None:
        return self.left.pop(0) if self.left else None

    def expand(self, entry: Entry) -> None:
        raise AssertionError(f"{entry.name} holds no stacks")


def entry(name: str, source: Source) -> Entry:
    return Entry(name, "", source)


def results(question: Question, *groups: Group, jobs: int = 1) -> dict[str, Outcome]:
    with Pool(question, jobs, lambda _so_far: None) as pool:
        found = [outcome for some in pool.run(Groups(groups)) for outcome in some]
    assert not workers()
    names = [one.name for one in found]
    assert len(set(names)) == len(names)
    expected = {entry.name for group in groups for entry in group.entries}
    assert set(names) == expected
    return {one.name: one for one in found}


def around(source: Source, together: bool, place: str = "") -> Group:
    """A hostile one among harmless ones."""
    inner = [entry(f"{place}before {at}", Harmless()) for at in range(3)]
    inner += [entry(f"{place}culprit", source)]
    inner += [entry(f"{place}after {at}", Harmless()) for at in range(3)]
    return Group(inner, together)


class Hurrying(Clock):
    """The clock of a worker, a thousand times as fast from the moment at which a file is made."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        file.unlink(missing_ok=True)

    def now(self) -> float:
        since = time.time() - self._file.stat().st_mtime if self._file.exists() else 0.0
        return super().now() + 1000 * max(0.0, since)


@pytest.fixture
def forever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Forever:
    """An instance that exceeds 100 s in a tenth of a second; others have all their time."""
    begun = tmp_path / "begun"
    monkeypatch.setattr("samapprox.batch.workers.pool.Clock", partial(Hurrying, begun))
    return Forever(begun)


@pytest.mark.parametrize("together", [False, True])
def test_who_never_returns_is_ended(together: bool, forever: Forever) -> None:
    question = Question("decide", d=1, time_limit=100.0)
    found = results(question, around(forever, together), jobs=2)
    culprit = found.pop("culprit")
    assert culprit.verdict == "UNKNOWN"
    assert culprit.error == "stopped: exceeded the time limit of 100 s"
    assert culprit.seconds >= 100.0
    assert [step.outcome for _, step in unpacked_trail(culprit.trail)] == [culprit.error]
    assert {one.verdict for one in found.values()} == {"YES"}


def test_who_compiles_for_longer_than_the_limit_is_not_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether all entries of a group are answered together or one by one."""
    monkeypatch.setattr("samapprox.support.limits._GRACE", 0.0)
    question = Question("decide", d=1, time_limit=1.5)
    groups = [
        around(Compiling(seconds=2.0), together, f"{together} ") for together in (False, True)
    ]
    found = results(question, *groups, jobs=2)
    assert {(one.verdict, one.error) for one in found.values()} == {("YES", None)}
    assert max(one.seconds for one in found.values()) < 1.5


def test_who_compiles_forever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samapprox.batch.workers.pool.Clock", partial(Clock, most_paused=0.1))
    monkeypatch.setattr("samapprox.support.limits._GRACE", 0.5)
    question = Question("decide", d=1, time_limit=1.0)
    found = results(question, around(Compiling(seconds=1000.0), together=False))
    assert found.pop("culprit").error == "stopped: exceeded the time limit of 1 s"
    assert {one.verdict for one in found.values()} == {"YES"}


def test_who_takes_all_memory_is_ended() -> None:
    question = Question("dim", memory_limit=400 << 20)
    found = results(question, around(Greedy(), together=False))
    assert found.pop("culprit").error == "stopped: exceeded the memory limit of 400 MB"
    assert {one.verdict for one in found.values()} == {"EXACT"}


def test_who_kills_its_process_twice_is_to_blame() -> None:
    found = results(Question("decide", d=1), around(Deadly(), together=True), jobs=2)
    culprit = found.pop("culprit")
    assert culprit.verdict == "ERROR"
    assert culprit.error == "its process ended with status -9, twice"
    assert {one.verdict for one in found.values()} == {"YES"}


def test_who_dies_once_gets_another_chance(tmp_path: Path) -> None:
    groups = [around(Deadly(tmp_path / "once"), False)]
    assert {one.verdict for one in results(Question("decide", d=2), *groups).values()} == {"YES"}


def test_our_own_bugs_are_errors_of_one_instance() -> None:
    found = results(Question("decide", d=1), around(Bug(), together=True))
    culprit = found.pop("culprit")
    assert culprit.verdict == "ERROR"
    assert "ZeroDivisionError: one of ours" in str(culprit.error)
    assert {one.verdict for one in found.values()} == {"YES"}


LONG = data.path("minilm/s34_L2_H06_unif_n110.npz")


class Jumping(Clock):
    """A clock of which a test moves the hands."""

    ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead


@pytest.fixture
def stop_once(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Stop a search as soon as its bounds suffice, and let its time pass at once.

    A search that takes a second here may take a minute on a busy machine. So no time says when to
    stop it, and a stopped process is deaf to all but SIGKILL, as native code that never returns is.
    """
    clocks = [Jumping()]
    monkeypatch.setattr("samapprox.batch.workers.pool.Clock", lambda: clocks[0])

    def answer(question: Question, suffices: Callable[[Outcome], bool]) -> Outcome:
        def stop(so_far: Outcome) -> None:
            if suffices(so_far):
                for process in workers():
                    process.suspend()
                clocks[0].ahead = question.time_limit + 1

        with Pool(question, 1, stop) as pool:
            ((found,),) = pool.run(Groups([Group([entry("long", File(str(LONG)))])]))
        assert not workers()
        assert found.error == f"stopped: exceeded the time limit of {question.time_limit:g} s"
        assert found.verdict == "INTERVAL"
        return found

    return answer


def test_what_was_proven_before_the_end_is_kept(stop_once: Callable[..., Outcome]) -> None:
    told: list[Outcome] = []

    def is_narrow(so_far: Outcome) -> bool:
        told.append(so_far)
        return bool(so_far.yes and so_far.no)

    found = stop_once(Question("dim", time_limit=100.0), is_narrow)
    assert found.rows == 110
    assert (found.lower, found.upper) == (told[-1].lower, told[-1].upper)
    for packed in (found.yes, found.no):
        certificate = unpacked_certificate(packed)
        assert certificate is not None
        assert certificate.verify(load(LONG))


@pytest.mark.parametrize("unit", ["rows", "entries"])
def test_wrong_items_found_before_the_end_are_kept(
    unit: str, stop_once: Callable[..., Outcome]
) -> None:
    pattern = load(LONG)
    all_wrong = pattern.shape[0] if unit == "rows" else pattern.count
    question = Question("fit", d=3, unit=unit, time_limit=100.0)  # type: ignore[arg-type]
    found = stop_once(question, lambda so_far: (so_far.upper or all_wrong) < all_wrong)
    assert found.upper is not None
    assert found.upper < all_wrong
    for packed, bound in ((found.yes, found.upper), (found.no, found.lower)):
        certificate = unpacked_certificate(packed)
        assert (certificate is None) == (bound == 0)
        assert certificate is None or certificate.verify(pattern)


@pytest.mark.parametrize("d", [None, 5])
def test_margins_found_before_the_end_are_kept(
    d: int | None, stop_once: Callable[..., Outcome]
) -> None:
    """In any dimension, margins above 1/sqrt(n) show that the search has improved the first."""
    least = 0.0 if d else 1 / 110**0.5
    question = Question("margin", d=d, time_limit=100.0)
    found = stop_once(
        question, lambda so_far: so_far.no is not None and (d or so_far.lower > least)
    )
    assert found.lower is not None
    assert found.upper is not None
    assert 0 <= found.lower < found.upper < 1
    yes, no = (unpacked_certificate(packed) for packed in (found.yes, found.no))
    pattern = load(LONG)
    assert no is not None
    assert no.verify(pattern)
    if d is None:
        assert found.lower > least
        assert yes is not None
        assert yes.verify(pattern)
    else:  # a margin of any dimension is none of this one
        assert (found.lower, yes) == (0, None)


def test_ranks_found_before_the_end_are_kept(stop_once: Callable[..., Outcome]) -> None:
    question = Question("rank", kind="row", time_limit=100.0)
    found = stop_once(
        question, lambda so_far: so_far.yes and so_far.no and 1 < so_far.lower < so_far.upper < 109
    )
    assert found.lower is not None
    assert found.upper is not None
    assert 1 < found.lower < found.upper < 109
    for packed in (found.yes, found.no):
        certificate = unpacked_certificate(packed)
        assert certificate is not None
        assert certificate.verify(load(LONG))


@pytest.mark.parametrize("deadly", [False, True])
def test_what_a_worker_was_given_ahead_is_done_by_others(deadly: bool, forever: Forever) -> None:
    """Also if it never fits into the pipe of one who does not read it any more."""
    source = Deadly() if deadly else forever
    large = Matrix(np.ones((1000, 1000), dtype=np.uint8), None, (), {})
    groups = [Group([entry("stuck", source)], together=True)]
    groups += [Group([entry(f"after {at}", large)], together=True) for at in range(2)]
    ahead: list[int] = []
    work = Groups(groups)
    with Pool(Question("decide", d=1, time_limit=100.0), 1, lambda _so_far: None) as pool:
        found = {}
        for some in pool.run(work):
            ahead.append(len(work.left))
            found.update({one.name: one.verdict for one in some})
    assert ahead[0] < 2  # the second was handed over before the first one was over
    assert found.pop("stuck") in ("UNKNOWN", "ERROR")
    assert found == {"after 0": "YES", "after 1": "YES"}
    assert not workers()


def test_killing_workers_at_random_loses_nothing() -> None:
    """From outside, at whatever moment; the others and all results stay."""
    groups = [
        Group([entry(f"{group}.{at}", Harmless()) for at in range(40)], together=group % 2 == 0)
        for group in range(6)
    ]
    found: list[str] = []
    with Pool(Question("decide", d=2), 2, lambda _so_far: None) as pool:
        for count, some in enumerate(pool.run(Groups(groups))):
            found += [one.name for one in some]
            assert {one.verdict for one in some} == {"YES"}
            children = sorted(workers(), key=lambda child: child.pid)
            if count % 50 == 5 and children:  # the newest may be starting still: now and then
                os.kill(children[-1 if count % 150 == 5 else 0].pid, signal.SIGKILL)
    assert sorted(found) == sorted(one.name for group in groups for one in group.entries)


def test_an_interrupt_ends_all_processes() -> None:
    def interrupt(so_far: Outcome) -> None:
        if so_far.lower is not None:  # the first one only says that the processes have started
            raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        Pool(Question("decide", d=2), 2, interrupt) as pool,
    ):
        list(pool.run(Groups([Group([entry("a", Harmless())])])))
    assert not workers()


def test_workers_end_with_their_parent() -> None:
    with Pool(Question("decide", d=1, time_limit=1000.0), 1, lambda _so_far: None) as pool:
        running = pool.run(
            Groups([Group([entry("a", Harmless())]), Group([entry("b", Forever())])])
        )
        next(running)
        (child,) = workers()
        pool.close()
        assert not child.is_running()


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samapprox.support.child.may_fork", lambda *_pipe: False)
    monkeypatch.setattr("sys.executable", "/bin/false")
    with (
        pytest.raises(SamapproxError, match="do not start"),
        Pool(Question("decide", d=1), 1, lambda _so_far: None) as pool,
    ):
        list(pool.run(Groups([Group([entry("a", Harmless())])])))


def test_workers_that_hang_at_their_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = tmp_path / "python"
    hanging.write_text("#!/bin/sh\nexec sleep 100\n")
    hanging.chmod(0o755)
    monkeypatch.setattr("samapprox.support.child.may_fork", lambda *_pipe: False)
    monkeypatch.setattr("sys.executable", str(hanging))
    monkeypatch.setattr("samapprox.batch.workers.pool._PATIENCE", 0.1)
    with (
        pytest.raises(SamapproxError, match="do not start"),
        Pool(Question("decide", d=1), 2, lambda _so_far: None) as pool,
    ):
        list(pool.run(Groups([Group([entry(name, Harmless())]) for name in "abc"])))
    assert not workers()


@pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")
def test_copies_that_do_not_start_are_replaced(tmp_path: Path) -> None:
    """However many of them; in a process of its own, since the tests are too large to fork."""
    script = """
import os
from samapprox.batch import Question, run
os.register_at_fork(after_in_child=lambda: os._exit(1))
done = run(["line:rows=4,columns=4,count=30"], Question("decide", d=2), "r.sqlite", jobs=3)
print(len(done.names))
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.stdout == "30\n", done.stderr


def test_a_memory_limit_that_nobody_could_keep() -> None:
    with pytest.raises(InputError, match="at least 100 MB, not 1 MB"):
        Pool(Question("decide", d=1, memory_limit=1 << 20), 1, lambda _so_far: None)
