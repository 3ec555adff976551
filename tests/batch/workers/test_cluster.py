"""Dask hands out the same work: the same results, and none lost with a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samapprox import InputError
from samapprox.batch import Outcome, Question, Store, run
from samapprox.batch.workers.cluster import local_cluster

distributed = pytest.importorskip("distributed", reason="the extra samapprox[distributed]")

# Dask's own loops and sockets, when a worker dies under them, are not ours to tidy up.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

SETS = ["random:rows=4,columns=4,count=30", "shattered:n=4"]


def answers(results: Path, number: int) -> list[tuple[object, ...]]:
    with Store(results) as store:
        return [(o.name, o.sha256, o.verdict, o.lower, o.upper) for o in store.outcomes(number)]


class Assassin:
    """Kills one of the cluster's two workers once a third of the results are there."""

    def __init__(self, cluster: object) -> None:
        self.cluster = cluster
        self.killed = False
        self.names: list[str] = []

    def so_far(self, outcome: Outcome) -> None: ...

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        self.names += [outcome.name for outcome in outcomes]
        if not self.killed and done > total / 3:
            self.killed = True
            with distributed.Client(self.cluster, set_as_default=False) as client:
                pids = list(client.run(os.getpid).values())
            assert len(pids) == 2
            os.kill(pids[0], signal.SIGKILL)


def test_the_same_results_though_a_worker_is_killed(tmp_path: Path) -> None:
    question = Question("dim")  # exact answers: no bound depends on which strategy finds it first
    local = run(SETS, question, tmp_path / "local.sqlite", jobs=2)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        assassin = Assassin(cluster)
        done = run(
            SETS,
            question,
            tmp_path / "dask.sqlite",
            scheduler=cluster.scheduler_address,
            listener=assassin,
        )
    assert assassin.killed
    assert len(assassin.names) == len(set(assassin.names)) == 31
    assert done.names == local.names
    found = answers(tmp_path / "dask.sqlite", 1)
    assert {row[2] for row in found} == {"EXACT"}
    assert found == answers(tmp_path / "local.sqlite", 1)


def test_a_cluster_of_its_own(tmp_path: Path) -> None:
    sets = ["line:rows=4,columns=4,count=30"]
    done = run(sets, Question("decide", d=1), tmp_path / "r.sqlite", jobs=1, cluster=True)
    assert {row[2] for row in answers(tmp_path / "r.sqlite", done.question)} == {"YES"}
    assert len(done.names) == 30


def test_files_with_stacks_are_taken_apart(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "a.txt").write_text("10\n01\n")
    np.savez(folder / "s.npz", S=np.ones((3, 2, 2), dtype=np.uint8))
    done = run([str(folder)], Question("dim"), tmp_path / "r.sqlite", jobs=1, cluster=True)
    assert [(row[0], row[2]) for row in answers(tmp_path / "r.sqlite", done.question)] == [
        ("a.txt", "EXACT"),
        *((f"s.npz:S[{at}]", "EXACT") for at in range(3)),
    ]


@pytest.mark.parametrize(
    ("sets", "limit"),
    [
        (["random:rows=6,columns=6,count=100000"], "0.001"),
        # The first is answered at once; then the worker is in the midst of a long search.
        (["line:rows=4,columns=4", "random:rows=40,columns=40,count=4"], "100"),
    ],
    ids=["between instances", "within a search"],
)
def test_an_interrupt_at_a_terminal_ends_quietly(
    tmp_path: Path, sets: list[str], limit: str
) -> None:
    command = [sys.executable, "-c", "from samapprox.cli.main import main; main()", "batch"]
    command += [*sets, "--task", "dim", "--time-limit", limit]
    command += ["--results", str(tmp_path / "r.sqlite"), "--cluster", "--jobs", "1", "--log-json"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stderr is not None
    while b'"result"' not in (line := process.stderr.readline()):
        assert line, "it ended by itself"
    os.killpg(process.pid, signal.SIGINT)  # a terminal tells the workers, too
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    left = [line for line in told.decode().splitlines() if line and not line.startswith("{")]
    assert len(left) == 2
    assert left[0].endswith("run the same command again to continue")
    assert left[1] == "samapprox: interrupted"


def test_an_interrupt_does_not_wait_for_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask gives a worker 4 seconds to end by itself, in which it goes on with its search."""
    seconds: list[float] = []
    kill = distributed.Nanny.kill

    async def note(nanny: Any, timeout: float = 5, reason: str = "") -> None:
        seconds.append(timeout)
        await kill(nanny, timeout=timeout, reason=reason)

    monkeypatch.setattr(distributed.Nanny, "kill", note)
    with pytest.raises(KeyboardInterrupt), local_cluster(2):
        raise KeyboardInterrupt
    assert len(seconds) == 2
    assert max(seconds) < 1


def test_limits_hold_on_the_cluster(tmp_path: Path) -> None:
    question = Question("dim", time_limit=0.001)
    sets = ["random:rows=40,columns=40"]
    done = run(sets, question, tmp_path / "r.sqlite", jobs=1, cluster=True)
    assert [row[2] for row in answers(tmp_path / "r.sqlite", done.question)] == ["INTERVAL"]


def test_nobody_at_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("samapprox.batch.workers.cluster._CONNECT", 1.0)
    for address in ("tcp://127.0.0.1:9", "127.0.0.1:9", "no address", "", "tcp://x:99999"):
        with pytest.raises(InputError, match="no Dask scheduler answers"):
            run(SETS, Question("dim"), tmp_path / "r.sqlite", scheduler=address)
    assert "Traceback" not in capfd.readouterr().err


def test_without_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'samapprox\[distributed\]'"):
        run(SETS, Question("dim"), tmp_path / "r.sqlite", cluster=True)
