"""Processes of our own: forked if that is safe, else started anew; callers see no difference."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")

SERVING = """
import os, sys, time
from samapprox.support.child import channel

class Late:
    def __del__(self):
        time.sleep(0.3)

def serve():
    tasks, results = channel()
    late = Late()  # goes after the pipes
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


COLLECTING = """
import gc
from samapprox.support.child import channel

def serve():
    _, results = channel()
    gc.collect()
    results.send("collected")
"""

LATE = """
import os, time
from pathlib import Path
from samapprox.support.child import channel

def serve():
    while os.getppid() == int(os.environ["OUTLIVED"]):
        time.sleep(0.01)
    channel()
    Path(__file__).with_suffix(".served").touch()
"""

PARENT_OF_ONE = """
import os, subprocess, sys
from samapprox.support.child import channel

def serve():
    _, results = channel()
    script = "x = b'a' * (150 << 20); print(flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdout.readline()
    results.send((os.getpid(), 150 << 20))
    child.wait()
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A small script with a child; what it prints."""
    (folder / "serving.py").write_text(SERVING)
    (folder / "collecting.py").write_text(COLLECTING)
    (folder / "late.py").write_text(LATE)
    (folder / "parent.py").write_text(PARENT_OF_ONE)
    begin = (
        "import os, signal, sys, threading; from pathlib import Path\n"
        "from samapprox import InputError\n"
        "from samapprox.support.child import Child\n"
        "from samapprox.support.child import Forked\n"
    )
    return subprocess.run(
        [sys.executable, "-c", begin + textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_memory_of_its_children_counts(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import psutil
        child = Child("parent")
        pid, size = child.connection.recv()
        resident = psutil.Process(pid).memory_info().rss
        assert size > 100 << 20
        assert child.resident() > resident + size
        print(child.end() and child.resident())
        """,
    )
    assert done.stdout == "0\n", done.stderr


@pytest.mark.parametrize("anew", [False, True])
def test_a_child_answers_until_it_is_ended(tmp_path: Path, anew: bool) -> None:
    done = run(
        tmp_path,
        f"""
        sys.stdout.write("said once;")
        child = Child("serving", anew={anew})
        assert isinstance(child._process, Forked) is not {anew}
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


@pytest.mark.parametrize(
    "stream",
    [
        "None",
        "open(os.devnull, 'w'); sys.stdout.close()",
        "types.SimpleNamespace(write=print)",
        "open('/dev/full', 'w'); sys.stdout.write('kept')",
        "io.TextIOWrapper(tempfile.TemporaryFile(buffering=0), write_through=True)",
        "io.StringIO()",
    ],
)
def test_standard_output_of_the_parent_may_be_anything(tmp_path: Path, stream: str) -> None:
    done = run(
        tmp_path,
        f"""
        import io, tempfile, types
        sys.stdout = {stream}
        child = Child("serving")
        assert isinstance(child._process, Forked)
        child.send("here")
        sys.__stdout__.write(child.connection.recv())
        sys.__stdout__.flush()
        child.end()
        os._exit(0)
        """,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "here", "noise\n")


def test_what_waits_in_a_stream_is_told_once(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        sys.stdout = open(1, "w", closefd=False)
        sys.stdout.write("said once;")
        child = Child("serving")
        child.send("here")
        print(child.connection.recv())
        """,
    )
    assert done.stdout == "said once;here\n", done.stderr


def test_a_child_is_ended_the_moment_it_was_forked(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        os.register_at_fork(after_in_child=lambda: signal.sigtimedwait((), 1))
        print(Child("serving").end())
        """,
    )
    assert done.stdout == f"{-signal.SIGKILL}\n"


def test_an_interrupt_at_the_fork_is_for_the_parent(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("handled"))
        for number in signal.SIGINT, signal.SIGTERM:
            os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), number))
            try:
                child = Child("serving")
                child.send("here")
                print(child.connection.recv())
            finally:
                print("cleaned up", flush=True)
        os.kill(child._process.pid, signal.SIGTERM)
        print(child._process.wait())
        """,
    )
    assert done.stdout == "here\ncleaned up\n" * 2 + f"{-signal.SIGTERM}\n", done.stderr


def test_what_the_parent_drops_is_not_cleaned_up_by_the_copy(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import gc, weakref
        class Owner: pass
        owner = Owner()
        owner.itself = owner
        weakref.finalize(owner, print, "cleaned up", file=sys.stderr)
        gc.disable()
        del owner
        os.register_at_fork(after_in_child=gc.enable)
        child = Child("collecting")
        print(child.connection.recv(), flush=True)
        os._exit(0)
        """,
    )
    assert (done.stdout, done.stderr) == ("collected\n", "")


def test_an_end_that_somebody_else_was_told(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        child = Child("serving")
        child.send("here")
        print(child.connection.recv(), child.end(), child.resident())
        """,
    )
    assert done.stdout == "here 0 0\n", done.stderr


def test_no_pipe_is_left_where_none_can_be_made(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import resource
        def files():
            return len(os.listdir("/proc/self/fd"))
        before = files()
        resource.setrlimit(resource.RLIMIT_NOFILE, (before + 3, before + 3))
        try:
            Child("serving")
        except InputError as error:
            print(error)
        print(files() - before)
        """,
    )
    told, left = done.stdout.splitlines()
    assert told.startswith("no process can be started: Too many open files; "), done.stderr
    assert left == "0"


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (0, 1, 2)])
def test_standard_streams_may_be_closed(
    tmp_path: Path, anew: bool, closed: tuple[int, ...]
) -> None:
    done = run(
        tmp_path,
        f"""
        told = os.dup(1)
        for stream in {closed}:
            os.close(stream)
        child = Child("serving", anew={anew})
        child.send("here")
        os.write(told, child.connection.recv().encode())
        child.end()
        os._exit(0)
        """,
    )
    assert done.stdout == "here"


def test_a_forked_child_keeps_no_files_of_its_parent(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        files = [open(os.devnull) for _ in range(20)]
        before = Child("serving")
        child = Child("serving")
        assert isinstance(child._process, Forked)
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
        "import samapprox.support.child as forked; forked.Path = lambda _: Path('/nowhere')",
    ],
)
def test_who_has_threads_or_much_memory_does_not_fork(tmp_path: Path, before: str) -> None:
    done = run(
        tmp_path,
        f"""
        {before}
        child = Child("serving")
        assert not isinstance(child._process, Forked)
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
    assert _ends(int(done.stdout))


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("lives", [True, False])
def test_a_parent_that_ends_before_the_child_begins(
    tmp_path: Path, anew: bool, lives: bool
) -> None:
    """A child that learned of its parent's end by a signal alone would work for nobody."""
    end = "child._process.wait()" if lives else "os.kill(os.getpid(), signal.SIGKILL)"
    done = run(
        tmp_path,
        f"""
        os.environ["OUTLIVED"] = "0" if {lives} else str(os.getpid())
        child = Child("late", anew={anew})
        print(child._process.pid, flush=True)
        {end}
        """,
    )
    assert _ends(int(done.stdout))
    assert (tmp_path / "late.served").exists() == lives


def _ends(pid: int) -> bool:
    """Wait for the end of a process; what its new parent leaves of it, a zombie, has ended."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False
