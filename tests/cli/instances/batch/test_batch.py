"""`samapprox batch`: what it expects, what it writes, and its exit status."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.batch.batches import batch, listed
from helpers.paths import ROOT
from helpers.schemas import schema

from samapprox import Fact, Instance, Pattern, data
from samapprox.batch import Outcome, Question, spool
from samapprox.batch import run as run_batch
from samapprox.batch.summary import counted_rows
from samapprox.batch.workers.pool import Pool
from samapprox.cli.instances.batch_progress import Follower, follow_run

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def test_the_shipped_patterns_are_as_their_manifest_says() -> None:
    manifest = str(data.path("limit/limit.npz").parent.parent / "manifest.json")
    result = batch(manifest, "-d", "1", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["failures"] == []
    assert document["instances"] == sum(document["verdicts"].values()) > 50
    schema("batch").validate(document)
    again = batch(manifest, "-d", "1")
    assert again.exit_code == 0
    assert f"({document['instances']} from earlier runs)" in again.stdout


def test_errors_of_instances_are_failures() -> None:
    listed()
    Path("set/bad\x07.npz").write_bytes(b"PK\x03\x04")
    Path("set/<|>.txt").write_text("1 2\n")
    result = batch("set", "--junit", "j.xml", "--summary", "s.md", "--quiet")
    assert result.exit_code == 1
    cases = ElementTree.parse("j.xml").getroot().findall(".//testcase")
    assert sum(len(case.findall("error")) for case in cases) == 2
    assert "&lt;\\|&gt;.txt" in Path("s.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_damaged_file_is_reported_once(quiet: list[str]) -> None:
    Path("damaged.npz").write_bytes(b"no archive")
    result = batch("damaged.npz", *quiet)
    assert result.exit_code == 1
    assert result.output.count("damaged.npz") == 1
    assert result.stderr.startswith("samapprox: error: damaged.npz: ")
    assert "1 instance: 1 ERROR; 1 failure; in" in result.stdout


def test_failures_for_machines_are_printed_for_people_too() -> None:
    Path("damaged.npz").write_bytes(b"no archive")
    result = batch("damaged.npz", "--log-json")
    assert result.stdout.count("error: damaged.npz: ") == 1
    document = json.loads(batch("damaged.npz", "--json").stdout)
    assert [failure["kind"] for failure in document["failures"]] == ["error"]


def test_more_failures_than_are_printed() -> None:
    for at in range(21):
        listed(Fact(1, None, "YES", "a lie"), name=f"set/{at}.npz")
    assert batch("set").exit_code == 1
    assert batch("set").stdout.splitlines()[-1] == ".. 1 more failure; --json prints all"


def test_summaries_are_appended_where_github_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    listed()
    Path("s.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "s.md")
    assert batch("set").exit_code == 0
    text = Path("s.md").read_text(encoding="utf-8")
    assert text.startswith("before\n### samapprox: 1 instance, no failure")


def test_lines_of_json() -> None:
    listed(Fact(1, None, "YES", "a lie"))
    events = [json.loads(line) for line in batch("set", "--log-json").stderr.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds == ["result", "failure", "progress"]
    assert events[0]["verdict"] == "NO"
    assert (events[-1]["done"], events[-1]["total"]) == (1, 1)


def test_exports_and_quiet() -> None:
    listed()
    result = batch("set", "--export", "r.csv", "--export", "r.jsonl", "--quiet")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert json.loads(Path("r.jsonl").read_text())["verdict"] == "NO"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such file, folder or family"),
        (["set", "--results", "text.txt"], "cannot be used as a result file"),
        (["set", "--results", "no/such/place.sqlite"], "there is no such folder"),
        (["set", "--expect", "none.sqlite"], "no such file"),
        (["set", "--expect", "none.json"], "No such file"),
        (["set", "--expect", "text.txt"], "cannot be used as a result file"),
        (["set", "--slower", "2"], "name one with --expect"),
        (["set", "--task", "dim", "-d", "2"], "dim does not take d (-d); it takes similarity"),
        (["set", "--task", "rank", "-d", "2"], "rank does not take d (-d); it takes kind (--kind)"),
        (["set", "--task", "rank", "--entries"], "rank does not take unit (--entries)"),
        (["set", "--task", "margin", "--kind", "sign"], "kind (--kind); it takes d (-d)"),
        (["set", "--task", "margin", "--similarity", "l2"], "and is about dot products;"),
        (["set", "--task", "fit", "--d-hid", "3", "-d", "2"], "does not take d_hid (--d-hid)"),
        (["set", "--task", "fit"], "the task fit needs a dimension (d, -d)"),
        (["set", "--similarity", "l2", "--d-hid", "1"], "exclude each other"),
        (["set", "--task", "verify"], "needs certificates, a folder or a result file (--cert"),
        (["set", "--task", "verify", "--certificates", "none"], "no such file"),
        (["set", "-d", "0"], "d must be a whole number"),
        (["set", "--time-limit", "nan"], "above 0"),
        (["set", "--memory-limit", "1M"], "at least 100 MB"),
        (["set", "--export", "r.xls"], "exported as"),
        (["set", "--junit", "no/such/place.xml"], "no such folder"),
        (["set", "--scheduler", "x", "--cluster"], "not both"),
        (["set", "--seed", "9" * 20], "fit into 64 bits"),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], said: str) -> None:
    listed()
    Path("text.txt").write_text("no database\n" * 100)
    result = batch(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert not Path("results.sqlite").exists() or "MB" in said or "both" in said
    assert Path("text.txt").read_text().startswith("no database")


def test_the_pre_commit_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is run, in a linked work tree, where ``.git`` is a file."""
    yaml = pytest.importorskip("yaml", reason="comes with samapprox[distributed]")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    person = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    for arguments in (
        ["init", "-q", "origin"],
        ["-C", "origin", *person, "commit", "-q", "--allow-empty", "-m", "first"],
        ["-C", "origin", "worktree", "add", "-q", "../linked"],
    ):
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    monkeypatch.chdir("linked")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    listed(Fact(1, None, "NO", "Radon"))
    listed(Fact(1, None, "YES", "a lie"), name="set/lie.npz")

    def hooked(*files: str) -> subprocess.CompletedProcess[str]:
        command = [*shlex.split(hook["entry"]), "-d", "1", *files]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert hooked("set/triangle.npz").returncode == 0
    result = hooked("set/triangle.npz", "set/lie.npz")
    assert result.returncode == 1
    assert "contradiction: set/lie.npz" in result.stderr
    assert sorted(path.name for path in Path().iterdir()) == [".git", "set"]


def test_the_workflow() -> None:
    yaml = pytest.importorskip("yaml", reason="comes with samapprox[distributed]")
    listed(Fact(1, None, "YES", "a lie"))
    workflow = yaml.safe_load((ROOT / "docs" / "ci" / "nightly.yml").read_text())
    (decide,) = [
        step["run"]
        for step in workflow["jobs"]["batch"]["steps"]
        if "samapprox batch" in step.get("run", "")
    ]
    Path("patterns").symlink_to("set")
    arguments = decide.split("set -- ")[1].splitlines()[0].split()
    assert batch(*arguments).exit_code == 1
    assert Path("junit.xml").exists()
    again = ["--expect", "now.sqlite", "--slower", "3", "--results", "then.sqlite"]
    assert decide.split('"$@" ')[1].split(";")[0].split()[::2] == ["--expect", "--slower"]
    assert batch(*arguments, *again).exit_code == 1


def test_an_error_has_no_bounds_to_tell() -> None:
    listed()
    Path("set/bad.npz").write_text("no archive")
    assert batch("set", "--junit", "j.xml").exit_code == 1
    cases = ElementTree.parse("j.xml").getroot().findall(".//testcase")
    assert [case.findtext("system-out") for case in cases] == ["ERROR", "NO 2..2"]


class Screen:
    """A terminal of 80 columns. `text`: what it has shown, as far as that was read."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self.text = ""

    def wait_for(self, pattern: str) -> None:
        """Read until it has shown a match: the line is drawn when its thread has the processor."""
        for _ in range(400):  # lines, of which one comes every twentieth of a second
            if re.search(pattern, self.text):
                return
            assert select.select([self._leader], [], [], 60.0)[0], self.text
            self.text += os.read(self._leader, 1 << 16).decode()
        raise AssertionError(self.text)


@contextmanager
def followed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Follower, Screen]]:
    """A listener of a run at a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    monkeypatch.setattr("samapprox.cli.terminal._DELAY", 0.05)
    monkeypatch.setattr("samapprox.cli.terminal._EVERY", 0.05)
    try:
        with os.fdopen(follower, "w") as terminal:
            monkeypatch.setattr(sys, "stderr", terminal)
            with follow_run(log_json=False, quiet=False) as listener:
                yield listener, Screen(leader)
    finally:
        os.close(leader)


LONG = "a-folder-with-a-long-name/below/text-with-a-long-name_1.npz"
OPEN = Outcome(LONG, "", verdict="INTERVAL", lower=12, upper=345)


def test_the_bar_has_room_for_bounds_in_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    with followed(monkeypatch) as (listener, screen):
        listener.finished([OPEN], 1, 20000)
        listener.so_far(OPEN)
        screen.wait_for(r"0 failures \| 12\.\.345 ")


def test_the_bar_does_not_wait_for_the_first_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hard instances take their whole time limit until then."""
    with followed(monkeypatch) as (listener, screen):
        listener.so_far(OPEN)
        screen.wait_for(r"0 finished \| 0 failures \| 12\.\.345 ")


def test_the_time_of_the_bar_begins_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with followed(monkeypatch) as (listener, screen):
        later = time.monotonic() + 100.0
        monkeypatch.setattr("time.monotonic", lambda: later)
        listener.so_far(OPEN)
        screen.wait_for(r"\r10\d s: 0 finished")


def test_there_is_a_bar_before_the_first_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the pool's report that its processes have started."""
    monkeypatch.setattr("samapprox.batch.runner.Pool", Pool)
    patterns = [("slow", Instance(Pattern(np.eye(3))))]
    found: list[str] = []

    class Listener:
        def __init__(self, line: Follower, screen: Screen) -> None:
            self._line = line
            self._screen = screen

        def so_far(self, outcome: Outcome) -> None:
            self._line.so_far(outcome)
            if not found:
                self._screen.wait_for(r"0 finished \| 0 failures \| slow")
            found.append(outcome.verdict)

        def finished(self, outcomes: Sequence[Outcome], _done: int, _total: int) -> None:
            found.extend(one.verdict for one in outcomes)

    with followed(monkeypatch) as (line, screen), spool(patterns) as instances:
        run_batch(instances, Question("dim"), "r.sqlite", jobs=1, listener=Listener(line, screen))
    assert found[0] == "INTERVAL"
    assert found[-1] == "EXACT"


# ---------------------------------------------------------------- which answers there are


@pytest.mark.parametrize(
    ("arguments", "name", "values"),
    [
        (["dim"], "least d", {"1": 1, "2": 2, "3": 1}),
        (["rank", "--kind", "sign"], "rank", {"1": 1, "2": 2, "3": 1}),
        (["fit", "-d", "1"], "wrong", {"0": 1, "1": 1, "2": 1, "8": 1}),
    ],
)
def test_the_answers_are_counted(
    arguments: list[str], name: str, values: dict[str, int], tmp_path: Path
) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for at, text in enumerate(["10\n10", "100\n010\n001", "1100\n0110\n0011\n1001"]):
        (folder / f"{at}.txt").write_text(text)
    subsets = "\n".join("".join(str(row >> bit & 1) for bit in range(4)) for row in range(1, 15))
    (folder / "all.txt").write_text(subsets)
    result = batch("set", "--task", *arguments, "--summary", "s.md", "--time-limit", "20")
    header, *rows = (line.split() for line in result.stdout.splitlines()[1:])
    assert " ".join(header) == f"{name} instances"
    counted = {answer: int(count) for answer, count in rows}
    assert sum(counted.values()) == 4
    assert f"| {name} | instances |" in Path("s.md").read_text(encoding="utf-8")
    document = json.loads(batch("set", "--task", *arguments, "--json").stdout)
    schema("batch").validate(document)
    assert {
        str(each["lower"]): each["instances"]
        for each in document["values"]
        if each["lower"] == each["upper"]
    } == counted
    assert counted == values


def test_tasks_without_a_number_count_verdicts_alone() -> None:
    Path("p.txt").write_text("10\n01")
    assert len(batch("p.txt").stdout.splitlines()) == 1
    assert json.loads(batch("p.txt", "--json").stdout)["values"] == []


def test_many_answers_share_lines() -> None:
    values = Counter({(d, d): d for d in range(1, 36)} | {(d, d + 2): 1 for d in range(15)})
    rows = counted_rows(values)
    assert rows[0] == ("1 to 4", 10)
    assert rows[8] == ("33 to 35", 33 + 34 + 35)
    assert rows[9] == ("0..2", 1)
    assert rows[-1] == ("other intervals", 5)
    assert sum(count for _, count in rows) == values.total()


@pytest.mark.parametrize(
    ("arithmetic", "asked", "least"),
    [("int8", ("dot", "int8"), 2), ("binary", ("binary", None), 3)],
)
def test_dimensions_in_formats_and_of_few_values(
    arithmetic: str, asked: tuple[str, str | None], least: int
) -> None:
    Path("singles.txt").write_text(Pattern(np.eye(5)).to_text())
    options = ("--task", "dim", "--arithmetic", arithmetic, "--time-limit", "5", "--quiet")
    result = batch("singles.txt", *options, "--json", "--junit", "j.xml")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    schema("batch").validate(document)
    question = document["question"]
    assert (question["similarity"], question["arithmetic"]) == asked
    assert document["values"] == [{"lower": least, "upper": least, "instances": 1}]
    assert f"dim {arithmetic}, 5 s" in Path("j.xml").read_text()
    again = batch("singles.txt", *options, "--expect", "results.sqlite", "--results", "b.sqlite")
    assert again.exit_code == 0, again.stderr


def test_a_format_is_for_dimensions_alone() -> None:
    listed()
    result = batch("set", "--task", "fit", "-d", "1", "--arithmetic", "int8")
    assert result.exit_code == 2
    assert "the task fit does not take arithmetic" in result.stderr
