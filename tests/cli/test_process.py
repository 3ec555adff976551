"""The installed command in a process of its own: streams, pipes, interrupts, imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from helpers.commands import run

from samapprox import Certificate, data, load, save
from samapprox.reductions.families import generate
from samapprox.version import __version__

SAMAPPROX = Path(sys.executable).with_name("samapprox")
YES = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
NO = str(data.path("minilm/s00_L0_H08_top1_n8.npz"))


def real(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([SAMAPPROX, *arguments], input=stdin, capture_output=True, check=False)


def test_the_installed_command(tmp_path: Path) -> None:
    assert real("--version").stdout.decode() == f"samapprox, version {__version__}\n"
    certificate = str(tmp_path / "c.json")
    for source, other, answer, status in ((YES, NO, b"YES", 10), (NO, YES, b"NO", 20)):
        done = real("decide", source, "--certificate", certificate, "--exit-code")
        assert done.stdout.startswith(answer)
        assert done.returncode == status
        assert real("verify", source, certificate).returncode == 0
        assert real("verify", other, certificate).returncode == 1
    broken = real("decide", "-", stdin=b"1,0\n0,2\n")
    assert (broken.returncode, broken.stdout) == (2, b"")
    assert broken.stderr == (
        b"samapprox: error: standard input: line 2, column 1: '2' is not 0, 1 or *; write one "
        b"line per query, with one character or separated cell per key\n"
    )
    assert real("decide").returncode == 2
    assert real("fly").returncode == 2


def test_odd_names_on_odd_terminals(tmp_path: Path) -> None:
    lines = '{"\\u732b": ["a"]}\n{"\\ud800": ["b"]}\n{"$x_": ["c$\\\\frac$"]}\n'
    (tmp_path / "p.jsonl").write_text(lines)
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [SAMAPPROX, "decide", str(tmp_path / "p.jsonl")]
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert rb"\u732b" in done.stdout
    picture = str(tmp_path / "p.png")
    assert run("plot", str(tmp_path / "p.jsonl"), "-d", "1", "--output", picture).exit_code == 0


@pytest.mark.parametrize(
    ("argument", "message"), [("fly", "No such command 'fly'."), ("--fly", "No such option")]
)
def test_a_wrong_command_line_is_one_line(argument: str, message: str) -> None:
    done = subprocess.run([SAMAPPROX, argument], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"samapprox: error: {message}")
    assert done.stderr.endswith(" See `samapprox --help`.\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    command = f"'{SAMAPPROX}' decide '{YES}' > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr == b"samapprox: error: standard output: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [("-d 0", 2), ("-d x", 2), ("--certificate no/such/file", 2), ("-d 9 --exit-code", 10)],
)
@pytest.mark.parametrize("stream", ["/dev/full", "&-"])
def test_the_exit_status_needs_no_standard_error(arguments: str, status: int, stream: str) -> None:
    command = f"'{SAMAPPROX}' decide '{YES}' {arguments} 2>{stream}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == status
    assert done.stderr == b""


def test_certificates_go_through_pipes_and_links(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    run("decide", YES, "--certificate", str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert Certificate.load(tmp_path / "real.json").answer == "YES"
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    run("decide", YES, "--certificate", str(tmp_path / "pipe"))
    assert json.loads(reader.communicate()[0])["answer"] == "YES"
    assert (tmp_path / "pipe").is_fifo()


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    save(load(NO), tmp_path / "p.npz")
    command = f"'{SAMAPPROX}' generate random --rows 3000 --columns 3000 | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def test_a_pipe_that_is_closed_between_two_lines_is_no_error() -> None:
    command = f"'{SAMAPPROX}' cot generate lis --size 99 --count 99 --json | head -n 1 > /dev/null"
    script = f"{command}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


OPEN_CALLS_AT_IMPORT = """
import inspect, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(len(inspect.stack(context=0)), file=sys.stderr)

sys.meta_path.insert(0, Finder())
from samapprox.cli.main import main
main()
"""


def test_numpy_is_imported_while_few_calls_are_open() -> None:
    command = [sys.executable, "-c", OPEN_CALLS_AT_IMPORT, "decide", NO]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 0 < int(done.stderr) <= 10


LOST_INTERRUPT = """
import ctypes, time
from samapprox.cli import main

def run(**_options):
    @ctypes.CFUNCTYPE(None)
    def callback():
        raise KeyboardInterrupt
    callback()
    time.sleep(20)

main.cli.main = run
main.main()
"""


INTERRUPTED_MAKING = """
import zipfile
from samapprox.cli import main

class Interrupts:
    @property
    def name(self):  # the file is asked for it before all its own parts are there
        raise KeyboardInterrupt

def run(**_options):
    zipfile.ZipFile(Interrupts())

main.cli.main = run
main.main()
"""


def test_what_an_interrupt_leaves_half_made_says_nothing() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_MAKING], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "samapprox: interrupted\n")


def test_an_interrupt_in_a_callback_is_not_lost() -> None:
    """Compiled code is loaded with callbacks from C: Python can only ignore what they raise."""
    begin = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", LOST_INTERRUPT], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 130
    assert ended.stderr == "samapprox: interrupted\n"
    assert time.monotonic() - begin < 15


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("limit", ["", "--memory-limit 1G"])
def test_standard_streams_may_be_closed(closed: str, limit: str) -> None:
    command = f"'{SAMAPPROX}' decide '{NO}' {limit} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (b"NO" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_an_interrupt_keeps_what_is_finished(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    command = [SAMAPPROX, "generate", "random", "--count", "1000000", "--output", str(tmp_path)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # Under nohup, tests ignore SIGHUP, and children would as well.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    while not list(tmp_path.glob("random*.npz")):
        time.sleep(0.01)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == status
    assert stderr.endswith(b"samapprox: interrupted\n")
    assert b"Traceback" not in stderr
    for path in tmp_path.glob("*.npz"):
        assert load(path).shape == (20, 20)


SLOW_NUMPY = "import time; print('importing', flush=True); time.sleep(60)"


@pytest.mark.parametrize("command", [[SAMAPPROX], [sys.executable, "-m", "samapprox"]])
def test_an_interrupt_during_imports_shows_no_traceback(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "numpy.py").write_text(SLOW_NUMPY)
    process = subprocess.Popen(
        [*command, "dim", NO],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"importing\n"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, b"\nsamapprox: interrupted\n")


def test_the_library_leaves_interrupts_alone() -> None:
    code = "import signal, samapprox; print(signal.getsignal(signal.SIGINT).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"default_int_handler\n"


def test_the_proven_bounds_are_printed_when_the_time_of_timeout_is_over(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    save(generate("random", rows=40, columns=40).pattern, path)
    process = subprocess.Popen(
        [SAMAPPROX, "dim", path, "--json", "--time-limit", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    let_work(process, 1.5)
    process.send_signal(signal.SIGTERM)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 143
    assert json.loads(stdout)["upper"] <= 39
    assert b"Traceback" not in stderr


def let_work(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for so much processor time of it and its children: a busy machine only takes longer."""
    own = psutil.Process(process.pid)
    while process.poll() is None:
        if sum(one.cpu_times().user for one in (own, *own.children(recursive=True))) > seconds:
            return
        time.sleep(0.05)


@pytest.mark.parametrize("limit", [[], ["--memory-limit", "2G"]])
def test_an_interrupted_decision_shows_its_trail(tmp_path: Path, limit: list[str]) -> None:
    path = tmp_path / "p.npz"
    save(generate("random", rows=700, columns=700).pattern, path)
    only = ["--only", "line", "--only", "gradient"]  # these two never find it
    command = [SAMAPPROX, "decide", path, "-d", "6", "--time-limit", "600", *only, *limit]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    let_work(process, 1.2)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == b""
    assert stderr.startswith(b"  line: d = 1 is refuted")
    assert b": interrupted\n" in stderr
    assert stderr.endswith(b"\n\nsamapprox: interrupted\n")
    assert b"Traceback" not in stderr


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    save(generate("random", rows=1500, columns=1500).pattern, path)
    done = real("decide", str(path), "-d", "6", "--only", "gradient", "--memory-limit", "100M")
    assert b"(try a larger --memory-limit; --verbose says" in done.stdout, done.stdout


COLD = """
import json, sys
from samapprox.cli.main import cli
heavy = {"numba", "scipy", "ortools", "networkx", "matplotlib", "rich", "safetensors", "pandas"}
for arguments in json.loads(sys.argv[1]):
    cli.main(arguments, standalone_mode=False)
    if found := heavy & {name.partition(".")[0] for name in sys.modules}:
        sys.exit(f"{arguments}: {sorted(found)}")
"""

OWN = """
import sys
from samapprox.cli.main import cli
cli.main(sys.argv[1:], standalone_mode=False)
own = {name for name in sys.modules if name.partition(".")[0] == "samapprox"}
sys.stderr.write(" ".join(sorted(own)))
"""

MOST_MODULES = 69
"""The most modules of this package that `decide` may import for d = 1; each costs start-up time."""


@pytest.mark.parametrize("text", ["10\n11\n", "100\n010\n001\n"])
def test_a_decision_imports_few_modules(text: str, tmp_path: Path) -> None:
    source = tmp_path / "p.csv"
    source.write_text(text)
    command = [sys.executable, "-c", OWN, "decide", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    own = done.stderr.split()
    rooms = {".".join(name.split(".")[:2]) for name in own}
    assert rooms.isdisjoint({f"samapprox.{room}" for room in ("attention", "batch", "reductions")})
    assert len(own) <= MOST_MODULES, own


def test_small_commands_import_nothing_heavy() -> None:
    """Of commands one after another, none imports it if all together do not."""
    sources = [YES, NO, str(data.path("limit/limit.npz"))]
    options = [["decide"], ["decide", "--json"], ["show"]]
    commands = json.dumps([[*command, source] for source in sources for command in options])
    done = subprocess.run([sys.executable, "-c", COLD, commands], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
