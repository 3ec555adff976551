"""Processes of our own: forked where that is safe, else started anew; the same to whoever asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")

SERVING = """
import os, sys, time
from samapprox.solvers.child import channel

def serve():
    tasks, results = channel()
    while True:
        task = tasks.recv()
        print("noise")
        if task == "files":
            results.send(sorted(int(name) for name in os.listdir("/proc/self/fd")))
        elif task == "crash":
            raise ZeroDivisionError
        elif task == "leave":
            sys.exit(7)
        elif task == "sleep":
            results.send(os.getpid())
            time.sleep(100)
        else:
            results.send(task)
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A small script with a child; what it prints."""
    (folder / "serving.py").write_text(SERVING)
    begin = (
        "import os, signal, sys, threading\nfrom samapprox.solvers.child import Child, _Forked\n"
    )
    return subprocess.run(
        [sys.executable, "-c", begin + textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.parametrize("anew", [False, True])
def test_a_child_answers_until_it_is_ended(tmp_path: Path, anew: bool) -> None:
    done = run(
        tmp_path,
        f"""
        sys.stdout.write("said once;")
        child = Child("serving", anew={anew})
        assert isinstance(child._process, _Forked) is not {anew}
        child.send("a")
        child.send_aside("b")
        assert [child.connection.recv(), child.connection.recv()] == ["a", "b"]
        assert child.resident() > 1 << 20
        print(child.end(), child.resident())
        """,
    )
    assert done.stdout == f"said once;{-signal.SIGKILL} 0\n", done.stderr
    assert done.stderr == "noise\nnoise\n"


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize(("task", "status"), [("crash", 1), ("leave", 7)])
def test_the_end_of_a_child_is_seen(tmp_path: Path, anew: bool, task: str, status: int) -> None:
    done = run(
        tmp_path,
        f"""
        children = [Child("serving", anew={anew}) for _ in range(3)]
        children[0].send({task!r})
        try:
            children[0].connection.recv()
        except EOFError:
            print("gone", children[0].end())
        for child in children[1:]:
            child.send("here")
            print(child.connection.recv())
            child.end()
        """,
    )
    seen = (status, -signal.SIGKILL) if anew else (status,)  # it may be on its way out still
    assert done.stdout in [f"gone {one}\nhere\nhere\n" for one in seen], done.stderr
    assert ("ZeroDivisionError" in done.stderr) == (task == "crash")


def test_a_forked_child_keeps_no_files_of_its_parent(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        files = [open(os.devnull) for _ in range(20)]
        before = Child("serving")
        child = Child("serving")
        assert isinstance(child._process, _Forked)
        child.send("files")
        print(len(child.connection.recv()))
        """,
    )
    assert int(done.stdout) < 10, done.stderr


@pytest.mark.parametrize(
    "before",
    [
        "thread = threading.Thread(target=threading.Event().wait, daemon=True); thread.start()",
        "heap = bytearray(b'1') * (100 << 20)",
        "os.close(0)",
    ],
)
def test_who_has_threads_or_much_memory_does_not_fork(tmp_path: Path, before: str) -> None:
    done = run(
        tmp_path,
        f"""
        {before}
        child = Child("serving")
        assert not isinstance(child._process, _Forked)
        child.send(1)
        print(child.connection.recv())
        child.end()
        """,
    )
    assert done.stdout == "1\n", done.stderr


@pytest.mark.parametrize("anew", [False, True])
def test_children_end_with_their_parent(tmp_path: Path, anew: bool) -> None:
    done = run(
        tmp_path,
        f"""
        child = Child("serving", anew={anew})
        child.send("sleep")
        print(child.connection.recv(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    assert done.returncode == -signal.SIGKILL
    gone, _ = psutil.wait_procs(_running(int(done.stdout)), timeout=20)
    assert not _running(int(done.stdout)), gone


def _running(pid: int) -> list[psutil.Process]:
    try:
        return [psutil.Process(pid)]
    except psutil.NoSuchProcess:
        return []
