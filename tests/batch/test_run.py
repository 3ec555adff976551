"""Whole runs: the answers of the library, once each, whatever happens in between."""

from __future__ import annotations

import os
import platform
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.programs.processes import workers

from samapprox import InputError, Pattern, decide, save, weak_dimension
from samapprox.batch import Outcome, Question, Store, run
from samapprox.batch.results.outcome import OnOutcome
from samapprox.batch.sets.entry import Entry, Generated
from samapprox.batch.workers.groups import Group, answers
from samapprox.batch.workers.pool import Pool
from samapprox.data import path as data_path
from samapprox.reductions.families import generate

LINE = Question("decide", d=1)

in_process = pytest.mark.usefixtures("_in_process")
"""Of runs in the test; a runner that is started or killed has processes in any case."""


def table(results: Path, number: int) -> list[tuple[object, ...]]:
    """All that is reproducible of the results; checks their certificates."""
    with Store(results) as store:
        ids = store.query("SELECT id FROM result WHERE question = ?", (number,)).fetchall()
        for (row,) in ids:
            evidence = store.evidence(row)
            for certificate in (evidence.yes, evidence.no):
                assert certificate is None or evidence.pattern is not None
                assert certificate is None or certificate.verify(evidence.pattern)
        return [
            (o.name, o.sha256, o.rows, o.columns, o.ones, o.verdict, o.lower, o.upper, o.error)
            for o in store.outcomes(number)
        ]


def stack(path: Path, count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    patterns = (rng.random((count, 4, 5)) < 0.4).astype(np.uint8)
    patterns[..., 0] = 1
    np.savez(path, S=patterns)
    return patterns


def test_the_answers_of_the_library(tmp_path: Path) -> None:
    patterns = stack(tmp_path / "s.npz", 300)
    done = run([str(tmp_path / "s.npz")], LINE, tmp_path / "r.sqlite", jobs=2)
    assert len(done.names) == 300
    verdicts = {row[0]: row[5] for row in table(tmp_path / "r.sqlite", done.question)}
    assert verdicts == {
        f"s.npz:S[{at}]": decide(pattern).status.value for at, pattern in enumerate(patterns)
    }


def test_least_dimensions(tmp_path: Path) -> None:
    sets = ["random:rows=5,columns=5,count=12", "shattered:n=4"]
    done = run(sets, Question("dim"), tmp_path / "r.sqlite", jobs=2)
    for name, *_, lower, upper, _ in table(tmp_path / "r.sqlite", done.question):
        seed = str(name).partition("seed=")[2]
        instance = generate("random", rows=5, columns=5, seed=int(seed)) if seed else None
        pattern = generate("shattered", n=4).pattern if instance is None else instance.pattern
        found = weak_dimension(pattern)
        assert (lower, upper) == (found.lower, found.upper)


@in_process
def test_don_t_cares_and_causal_views(tmp_path: Path) -> None:
    """They are no work for the batch kernel; order and answers stay."""
    for at, text in enumerate(["1*0\n011\n*01", "100\n010\n001", "1\n1\n1"]):
        save(Pattern.from_text(text), tmp_path / f"{at}.txt")
    results = tmp_path / "r.sqlite"
    done = run([str(tmp_path)], LINE, results, jobs=1)
    assert [row[5] for row in table(results, done.question)] == ["YES", "NO", "YES"]
    done = run([str(tmp_path)], Question("decide", d=1, causal=True), results, jobs=1)
    rows = table(results, done.question)
    assert [row[5] for row in rows] == ["YES", "YES", "ERROR"]
    assert "as many queries as keys" in str(rows[2][-1])


def test_damaged_files_are_errors_and_the_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for at in range(3):
        save(generate("line", rows=3, columns=4, seed=at).pattern, folder / f"good{at}.npz")
    (folder / "empty.npz").write_bytes(b"")
    (folder / "cut.npz").write_bytes((folder / "good0.npz").read_bytes()[:100])
    (folder / "zero.csv").write_text("1,0\n0,0\n")
    (folder / "gone.txt").symlink_to(tmp_path / "nowhere")
    stack(folder / "stack.npz", 3)
    results = tmp_path / "r.sqlite"
    done = run([str(folder)], LINE, results, jobs=2)
    rows = {row[0]: row for row in table(results, done.question)}
    bad = {"empty.npz", "cut.npz", "zero.csv", "gone.txt"}
    good = {*(f"good{at}.npz" for at in range(3)), *(f"stack.npz:S[{at}]" for at in range(3))}
    assert set(rows) == bad | good == done.names
    assert {name for name, row in rows.items() if row[5] == "ERROR"} == bad
    assert "row 1 has no 1" in str(rows["zero.csv"][-1])
    with Store(results) as store:
        assert {outcome.host for outcome in store.outcomes(done.question)} == {platform.node()}
    # What could not be used is tried again, the rest is not.
    (folder / "zero.csv").write_text("1,0\n0,1\n")
    again = run([str(folder)], LINE, results, jobs=2)
    assert again.skipped == len(good)
    assert {row[0] for row in table(results, done.question) if row[5] == "ERROR"} == bad - {
        "zero.csv"
    }


class Log:
    def __init__(self) -> None:
        self.names: list[str] = []

    def so_far(self, outcome: Outcome) -> None: ...

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        self.names += [outcome.name for outcome in outcomes]
        assert 0 < done <= total


@in_process
def test_only_what_is_new_is_answered(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    sets = tmp_path / "set"
    sets.mkdir()
    for at in range(3):
        save(generate("line", rows=3, columns=4, seed=at).pattern, sets / f"{at}.npz")
    stack(tmp_path / "s.npz", 20)
    sources = [str(sets), str(tmp_path / "s.npz")]
    assert run(sources, LINE, results, jobs=1).skipped == 0
    assert run(sources, LINE, results, jobs=1).skipped == 23
    log = Log()
    save(generate("line", rows=4, columns=4).pattern, sets / "1.npz")  # it changed
    assert run(sources, LINE, results, jobs=1, listener=log).skipped == 22
    assert log.names == [f"{sets}/1.npz"]
    for question in (Question("decide", d=2), Question("decide", d=1, seed=1)):
        assert run(sources[:1], question, results, jobs=1).skipped == 0
    assert run(sources, LINE, results, jobs=1, resume=False).skipped == 0
    with Store(results) as store:
        assert store.query("SELECT count(*) FROM result").fetchone() == (23 + 3 + 3,)


@in_process
def test_verify(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    sources = ["line:rows=3,columns=3,count=2", "shattered:n=3"]
    run(sources, Question("dim"), results, jobs=1)
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    with Store(results) as store:
        for row, name in store.query("SELECT id, name FROM result").fetchall():
            evidence = store.evidence(row)
            for side, certificate in (("yes", evidence.yes), ("no", evidence.no)):
                if certificate is not None:
                    certificate.save(certificates / f"{name}.{side}.json")
    expected = [("VALID", 1, 1), ("VALID", 1, 1), ("VALID", 2, 2)]
    for place in (results, certificates):
        question = Question("verify", certificates=str(place))
        done = run(sources, question, tmp_path / "v.sqlite", jobs=1)
        rows = table(tmp_path / "v.sqlite", done.question)
        assert [row[5:8] for row in rows] == expected
    wrong = certificates / "line:columns=3,rows=3,seed=0.yes.json"
    wrong.write_bytes((certificates / "shattered:n=3.no.json").read_bytes())
    (certificates / "line:columns=3,rows=3,seed=1.yes.json").unlink()
    (certificates / "shattered:n=3.no.json").write_text("{}")
    question = Question("verify", certificates=str(certificates))
    done = run(sources, question, tmp_path / "v.sqlite", jobs=1, resume=False)
    rows = table(tmp_path / "v.sqlite", done.question)
    assert [row[5] for row in rows] == ["INVALID", "NONE", "ERROR"]
    assert "another pattern" in str(rows[0][-1])


def test_an_error_while_saving_leaves_no_process_behind(tmp_path: Path) -> None:
    class Full(Log):
        def finished(self, *_progress: object) -> None:
            raise InputError("disk full")

    with pytest.raises(InputError, match="disk full"):
        run(["random:rows=6,columns=6,count=500"], LINE, tmp_path / "r.sqlite", listener=Full())
    assert not workers()


@pytest.mark.parametrize(("jobs", "processes"), [(1, 1), (3, 3), (None, 4)])
def test_there_are_as_many_processes_as_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int | None, processes: int
) -> None:
    started: list[int] = []

    class Counted(Pool):
        def __init__(self, question: Question, jobs: int, progress: OnOutcome) -> None:
            super().__init__(question, 1, progress)
            started.append(jobs)

    module = import_module("samapprox.batch.runner")
    monkeypatch.setattr(module, "cores", lambda: 4)
    monkeypatch.setattr(module, "Pool", Counted)
    run(["line:rows=3,columns=3"], LINE, tmp_path / "r.sqlite", jobs=jobs)
    assert started == [processes]


def test_a_process_searches_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("a second thread")

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", forbid)
    with pytest.raises(AssertionError, match="a second thread"):  # as a search alone does
        weak_dimension(random_entries())
    entries = [Entry("random", "", Generated("random", {"rows": 12, "columns": 12, "seed": 1}))]
    (found,) = answers(Group(entries), Question("dim", time_limit=1), lambda _so_far: None, print)
    assert [one.verdict for one in found] in (["EXACT"], ["INTERVAL"])


def random_entries() -> np.ndarray:
    return generate("random", rows=12, columns=12, seed=1).pattern.to_array()


def test_a_memory_limit_that_is_too_small_leaves_no_file(tmp_path: Path) -> None:
    question = Question("decide", d=1, memory_limit=(100 << 20) - 1)
    with pytest.raises(InputError, match="at least 100 MB"):
        run(["line"], question, tmp_path / "r.sqlite")
    assert not (tmp_path / "r.sqlite").exists()


def test_what_makes_no_sense(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    with pytest.raises(InputError, match="not both"):
        run(["line"], LINE, results, scheduler="tcp://x:1", cluster=True)
    with pytest.raises(InputError, match="jobs must be"):
        run(["line"], LINE, results, jobs=0)
    with pytest.raises(InputError, match="no such file"):
        run(["line"], Question("verify", certificates=str(tmp_path / "none")), results)
    for wrong in (
        lambda: Question("magic"),  # type: ignore[arg-type]
        lambda: Question("decide"),
        lambda: Question("dim", d=1),
        lambda: Question("dim", d_hid=1),
        lambda: Question("verify"),
        lambda: Question("dim", time_limit=0),
        lambda: Question("decide", d=0),
    ):
        with pytest.raises(InputError):
            wrong()


SOURCES = ["random:rows=8,columns=4,count=60", str(data_path("minilm/s00_L0_H08_top1_n8.npz"))]


def killed_and_resumed(
    results: Path,
    kills: int,
    seed: int,
    sources: Sequence[str],
    options: Sequence[str] = (),
    most: int = 30,
) -> None:
    """Start the runner, kill it after at most so many results, and so on; then let it finish."""
    rng = random.Random(seed)
    command = [sys.executable, "-c", "from samapprox.cli.main import main; main()", "batch"]
    command += [*sources, "--results", str(results), "--jobs", "2", *(options or ("-d", "2"))]
    for _ in range(kills):
        process = subprocess.Popen(
            [*command, "--log-json"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with process, process.stderr as log:
            left = rng.randint(0, most)
            while left > 0 and (line := log.readline()):
                left -= b'"result"' in line
            time.sleep(rng.uniform(0.0, 0.2))
            os.kill(process.pid, signal.SIGKILL)
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def undisturbed(tmp_path: Path, sources: Sequence[str]) -> list[tuple[object, ...]]:
    done = run(sources, Question("decide", d=2), tmp_path / "undisturbed.sqlite", jobs=2)
    return table(tmp_path / "undisturbed.sqlite", done.question)


@in_process
def test_killing_the_runner_loses_nothing(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path / "r.sqlite", 2, 1, SOURCES)
    assert table(tmp_path / "r.sqlite", 1) == undisturbed(tmp_path, SOURCES)


@in_process
@pytest.mark.parametrize(
    ("question", "options"),
    [
        (Question("fit", d=1), ["-d", "1"]),
        (Question("margin"), []),
        (Question("margin", d=1), ["-d", "1"]),
        (Question("rank", kind="row"), ["--kind", "row"]),
    ],
    ids=str,
)
def test_killing_the_runner_loses_no_bounds(
    tmp_path: Path, question: Question, options: list[str]
) -> None:
    sources = ["random:rows=5,columns=5,count=4"]
    options = ["--task", question.task, "--jobs", "1", *options]
    killed_and_resumed(tmp_path / "r.sqlite", 1, 3, sources, options, most=3)
    done = run(sources, question, tmp_path / "undisturbed.sqlite", jobs=2)
    again = run(sources, question, tmp_path / "r.sqlite", jobs=2)
    assert again.skipped == len(done.names) == 4
    expected = table(tmp_path / "undisturbed.sqlite", done.question)
    assert table(tmp_path / "r.sqlite", again.question) == expected


@pytest.mark.slow
@in_process
def test_killing_the_runner_a_hundred_times_loses_nothing(tmp_path: Path) -> None:
    sources = ["random:rows=6,columns=6,count=6000"]
    expected = undisturbed(tmp_path, sources)
    killed_and_resumed(tmp_path / "r.sqlite", 100, 2, sources)
    assert table(tmp_path / "r.sqlite", 1) == expected


def test_an_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    command = [sys.executable, "-c", "from samapprox.cli.main import main; main()", "batch"]
    command += ["random:rows=6,columns=6,count=100000", "--results", str(results), "-d", "2"]
    process = subprocess.Popen(
        [*command, "--log-json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    while b'"result"' not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"run the same command again to continue" in told
    assert len(table(results, 1)) > 0
