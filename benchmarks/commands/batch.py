"""Batch: overhead over a plain loop, two processes against one, limits, kills, a million results.

    python benchmarks commands.batch [overhead|scaling|limits|kills|million] ..

prints one Markdown table for each; without arguments all, in a quarter of an hour. Times are
wall-clock medians of interleaved runs; next to them stands the processor time of all processes,
which other programs on the machine disturb less.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import numpy as np
from shared.parts import parse_parts
from shared.paths import ROOT, command_of

from samapprox import decide, load, save
from samapprox.batch import Outcome, Question, Store, run
from samapprox.batch.sets.entry import Entry, Source
from samapprox.batch.workers.groups import Group
from samapprox.batch.workers.pool import Pool
from samapprox.pattern import Pattern
from samapprox.support.child import Child

LINE = Question("decide", d=1)
COMMAND = [sys.executable, "-c", "from samapprox.cli.main import main; main()", "batch"]
REPEATS = 7


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of all processors."""
    before, start = _cpu(), time.perf_counter()
    work()
    return time.perf_counter() - start, _cpu() - before


def _cpu(*whose: int) -> float:
    uses = map(resource.getrusage, whose or (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def medians(works: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Wall-clock and processor seconds of each, runs interleaved."""
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(REPEATS):
        for name, work in works.items():
            runs[name].append(timed(work))
    return {
        name: (statistics.median(w for w, _ in times), statistics.median(c for _, c in times))
        for name, times in runs.items()
    }


def patterns(count: int) -> np.ndarray:
    """Random ones of 8 x 8, half of them sorted into staircases (YES)."""
    rng = np.random.default_rng(1)
    stack = rng.random((count, 8, 8)) < 0.5
    stack[..., 0] = True
    lengths = rng.integers(1, 9, size=(count // 2, 8, 1))
    stack[: count // 2] = np.arange(8) < lengths
    return stack.astype(np.uint8)


def save_each(stack: np.ndarray, folder: Path) -> None:
    """Every pattern in a file of its own."""
    folder.mkdir()
    for at, pattern in enumerate(stack):
        save(Pattern.from_array(pattern), folder / f"{at:05}.npz")


def batch(source: Path, jobs: int) -> None:
    """One run into a new file."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        run([str(source)], LINE, Path(folder) / "r.sqlite", jobs=jobs)


def overhead(folder: Path) -> None:
    """Against a loop over the library that keeps nothing."""
    stack = patterns(10_000)
    np.savez(folder / "stack.npz", S=stack)
    files = folder / "files"
    save_each(stack, files)

    def loop_over_stack() -> None:
        for pattern in np.load(folder / "stack.npz")["S"]:
            decide(pattern)

    def loop_over_files() -> None:
        for file in sorted(files.iterdir()):
            decide(load(file))

    print("| 10,000 patterns of 8 x 8, d = 1 | loop | batch, 1 process | ratio | processor time |")
    print("|---|---:|---:|---:|---:|")
    for name, loop, source in (
        ("one .npz stack", loop_over_stack, folder / "stack.npz"),
        ("a folder of .npz files", loop_over_files, files),
    ):
        times = medians({"loop": loop, "batch": partial(batch, source, 1)})
        (wall, cpu), (own_wall, own_cpu) = times["loop"], times["batch"]
        print(
            f"| {name} | {wall:.2f} s | {own_wall:.2f} s | {own_wall / wall:.2f} | "
            f"{own_cpu / cpu:.2f} |"
        )


def on_quiet_cores(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock; and those that two cores need if nobody else uses them.

    These are the processor seconds of the busiest process, the runner or a worker, or half of all.
    """
    ended: list[float] = []
    end = Child.end

    def timed_end(child: Child) -> int:
        before = _cpu(resource.RUSAGE_CHILDREN)
        status = end(child)
        ended.append(_cpu(resource.RUSAGE_CHILDREN) - before)
        return status

    before = _cpu(resource.RUSAGE_SELF)
    with patch.object(Child, "end", timed_end):
        wall, _ = timed(work)
    each = [*ended, _cpu(resource.RUSAGE_SELF) - before]
    return wall, max(max(each), sum(each) / 2)


def once(source: str, task: str, jobs: str) -> None:
    """One run; prints its seconds. In a process of its own, as small as the command is."""
    question = LINE if task == LINE.task else Question("dim")
    with tempfile.TemporaryDirectory() as folder:
        one_run = partial(run, [source], question, Path(folder) / "r.sqlite", jobs=int(jobs))
        print(*on_quiet_cores(one_run))


def scaling(folder: Path) -> None:
    """Two processes against one."""
    print("| set | 1 process | 2 processes | ratio | on quiet cores: 1 | 2 | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    np.savez(folder / "small.npz", S=patterns(10_000))
    np.savez(folder / "large.npz", S=patterns(100_000))
    save_each(patterns(10_000), folder / "files")
    works = {
        "10,000 of 8 x 8, d = 1, a folder": (str(folder / "files"), LINE.task),
        "10,000 of 8 x 8, d = 1, a stack": (str(folder / "small.npz"), LINE.task),
        "100,000 of 8 x 8, d = 1, a stack": (str(folder / "large.npz"), LINE.task),
        "200 least dimensions of 8 x 8": ("random:rows=8,columns=8,count=200", "dim"),
    }
    for name, work in works.items():
        runs: dict[int, list[tuple[float, ...]]] = {1: [], 2: []}
        for _ in range(REPEATS):
            for jobs, times in runs.items():
                command = command_of("commands.batch", once.__name__, *work, str(jobs))
                told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                times.append(tuple(map(float, told.split())))
        (wall, quiet), (own_wall, own_quiet) = (
            [statistics.median(part) for part in zip(*times, strict=True)]
            for times in runs.values()
        )
        print(
            f"| {name} | {wall:.2f} s | {own_wall:.2f} s | {wall / own_wall:.2f} | "
            f"{quiet:.2f} s | {own_quiet:.2f} s | {quiet / own_quiet:.2f} |"
        )


def limits(_folder: Path) -> None:
    """Measure the time from a worker's limit to its end."""
    sys.path.insert(0, str(ROOT / "tests"))
    os.environ["PYTHONPATH"] = sys.path[0]
    hostile = import_module("helpers.batch.hostile_sources")

    class One:
        def __init__(self, source: Source) -> None:
            self.left = [Group((Entry("a", "", source),))]

        def take(self) -> Group | None:
            return self.left.pop() if self.left else None

        def expand(self, entry: Entry) -> None:
            raise AssertionError(f"{entry.name} holds no stacks")

    print("| runaway worker | limit | ended |")
    print("|---|---:|---:|")
    for name, source, limit, question in (
        ("never returns", hostile.Forever(), "1 s", Question("dim", time_limit=1.0)),
        ("allocates without end", hostile.Greedy(), "1 GiB", Question("dim", memory_limit=1 << 30)),
    ):
        with Pool(question, 1, lambda _so_far: None) as pool:
            (outcome,) = next(pool.run(One(source)))
        print(f"| {name} | {limit} | after {outcome.seconds:.2f} s: {outcome.error} |")


KILLS = [
    (["random:rows=6,columns=6,count=6000", "-d", "2"], 100, (0.2, 1.4)),
    (["orthogonal-planted:n=200,count=10000", "--task", "orthogonal"], 35, (0.5, 2.5)),
]
"""The question of a run, the number of kills, and the least and most seconds before each."""


def kills(folder: Path) -> None:
    """The runner killed at random moments, then resumed: the undisturbed table, once each."""
    rng = random.Random(3)
    print("| set | kills | runs that were done before | instances | same table |")
    print("|---|---:|---:|---:|---|")
    for number, (asked, times, moments) in enumerate(KILLS):
        command = [*COMMAND, *asked, "--jobs", "2", "--quiet", "--results"]
        killed, undisturbed = (folder / f"{name}{number}.sqlite" for name in ("killed", "whole"))
        done = 0
        for _ in range(times):
            process = subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL)
            time.sleep(rng.uniform(*moments))
            done += process.poll() is not None
            process.send_signal(signal.SIGKILL)
            process.wait()
        tables = []
        for path in (killed, undisturbed):
            subprocess.run([*command, str(path)], check=True, stdout=subprocess.DEVNULL)
            with Store(path) as store:
                found = store.outcomes(1)
                tables.append([(o.name, o.sha256, o.verdict, o.error, o.answer) for o in found])
        print(f"| {asked[0]} | {times} | {done} | {len(tables[0])} | {tables[0] == tables[1]} |")


def million(folder: Path) -> None:
    """A file with a million results: how soon a resumed run is at work."""
    stack = np.ones((1_000_001, 2, 2), dtype=np.uint8)
    np.savez(folder / "s.npz", S=stack)
    status = (folder / "s.npz").stat()
    when = f"{status.st_size}-{status.st_mtime_ns}"
    one = Outcome(
        name="",
        stamp=when,
        sha256="0" * 64,
        rows=2,
        columns=2,
        ones=4,
        verdict="YES",
        lower=1,
        upper=1,
        seconds=0.1,
        memory=1,
        host="host",
    )
    with Store(folder / "r.sqlite", write=True) as store:
        number = store.question(LINE)
        for first in range(0, 1_000_000, 100_000):
            numbers = range(first, first + 100_000)
            store.save(number, (one._replace(name=f"s.npz:S[{at}]") for at in numbers))
    times = []
    for _ in range(REPEATS):
        with Store(folder / "r.sqlite", write=True) as store:
            times.append(timed(partial(store.finished, number)))
    done = []

    def resumed() -> None:
        done.append(run([str(folder / "s.npz")], LINE, folder / "r.sqlite", jobs=1))

    whole = timed(resumed)
    wall, cpu = (statistics.median(part) for part in zip(*times, strict=True))
    print("| a million results | seconds | processor seconds |")
    print("|---|---:|---:|")
    print(f"| resume: what is finished | {wall:.2f} | {cpu:.2f} |")
    print(
        f"| resume: {done[0].skipped} skipped, one answered, with the start of its process "
        f"| {whole[0]:.2f} | {whole[1]:.2f} |"
    )


PARTS = {one.__name__: one for one in (overhead, scaling, limits, kills, million)}

if __name__ == "__main__":
    if sys.argv[1:2] == [once.__name__]:
        once(*sys.argv[2:])
        sys.exit()
    for part in parse_parts(__doc__, PARTS) or PARTS:
        with tempfile.TemporaryDirectory() as temporary:
            PARTS[part](Path(temporary))
        print()
