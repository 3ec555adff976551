"""Patterns of real sizes: bounds within a time limit, wall time, memory, checked certificates.

    python benchmarks dimensions.scale [--only NAME ..] [--judgements FOLDER] [--work FOLDER]
                                       [--csv FILE]

Every run is `samapprox dim` or `decide` in a fresh process with the time limit that its goal names;
both certificates of the last run of a row are checked by `samapprox verify`. A row's name, or what
it begins with (`heads`, `masks-65536`), chooses rows. FOLDER of judgements holds TREC files such as
core17.qrels.gz; rows about missing files are left out, by name. Prints the table of RESULTS.md.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path

from shared.child import Child, run

from dimensions.goals import Goal, Measured
from dimensions.scale_instances import (
    few_ones,
    halfspaces,
    head,
    judged,
    mask,
    random_dense,
    scattered,
)
from samapprox import Pattern, save

__all__ = ["ROWS", "Goal", "Measured", "Row", "main", "measure", "table"]

PATIENCE = 240.0
"""Seconds after its limit at which a run is killed."""


@dataclass(frozen=True, slots=True)
class Row:
    """An instance, a command, and a run for each of its goals.

    Attributes
    ----------
    name : str
    make : callable or None
        Gives the instance; None for a file of the judgement folder.
    goals : tuple of Goal
        With ascending time limits.
    command : tuple of str
        Of the command line, without the file.
    options : tuple of str
        That `verify` needs too: --causal.
    file : str
        In the judgement folder.
    cold : bool
        Whether machine code is compiled anew.
    """

    name: str
    make: Callable[[], Pattern] | None
    goals: tuple[Goal, ...]
    command: tuple[str, ...] = ("dim",)
    options: tuple[str, ...] = ()
    file: str = ""
    cold: bool = False

    def is_named(self, only: Sequence[str]) -> bool:
        """Whether one of the names is the row's or begins it; any row where there is no name."""
        return not only or any(self.name == one or self.name.startswith(f"{one}-") for one in only)


def _rows() -> Iterator[Row]:
    yield from _judgements()
    yield Row("components", partial(judged, 7_000, 10**6), (FIRST, Goal(5, width=0)))
    yield Row(
        "sparse-50000",
        partial(scattered, 10**6, 50_000, 4),
        (FIRST, Goal(60, at_most=8, gigabytes=4)),
    )
    yield Row("sparse-10m", partial(scattered, 10**6, 10**6, 10, 10), (Goal(15, bounded=True),))
    yield from _heads()
    yield from _masks()
    yield from _planted()
    yield from _limits()


FIRST = Goal(2, bounded=True)


def _judgements() -> Iterator[Row]:
    for name, least, seconds in (
        ("core17", 3, 2),
        ("robust05", 3, 2),
        ("adhoc.51-100", 4, 10),
        ("cacm", 4, 10),
    ):
        exact = Goal(seconds, exactly=least)
        yield Row(f"judgements-{name}", None, (FIRST, exact), file=f"{name}.qrels.gz")
    goals = (FIRST, Goal(5, at_most=8), Goal(60, width=4))
    yield Row("judgements-covid", None, goals, file="covid-complete.qrels.gz")


def _heads() -> Iterator[Row]:
    for n, top, first, most, width in ((512, 4, 2, 8, 1), (1024, 4, 2, 8, 2), (2048, 8, 5, 16, 4)):
        goals = (FIRST, Goal(first, at_most=most), Goal(60, width=width))
        yield Row(f"heads-{n}-{top}", partial(head, n, top), goals)
    for n, top, width in ((256, 4, 0), (512, 4, 0), (512, 16, 4), (1024, 4, 1), (2048, 8, 3)):
        causal = (FIRST, Goal(60, width=width))
        yield Row(f"heads-causal-{n}-{top}", partial(head, n, top), causal, options=("--causal",))


def _masks() -> Iterator[Row]:
    for n, graph, goal in (
        (4096, "window:w=5", Goal(10, width=0)),
        (4096, "fixed", Goal(10, width=0)),
        (128, "star", Goal(10, exactly=3)),
        (1024, "star", Goal(20, exactly=3)),
        (4096, "star", Goal(20, exactly=3)),
        (4096, "bigbird:w=3,g=2,r=3", Goal(60, width=5)),
        (4096, "strided", Goal(60, at_most=24)),
        (65536, "window:w=5", Goal(30, width=0)),
        (65536, "star", Goal(60, exactly=3)),
    ):
        name = f"masks-{n}-{graph.partition(':')[0]}"
        yield Row(name, partial(mask, graph, n), (FIRST, goal))


def _planted() -> Iterator[Row]:
    for n, d, seconds in ((2000, 2, 3), (2000, 8, 3), (10_000, 8, 60)):
        command = ("decide", "-d", str(d))
        goals = (Goal(seconds, answer="YES"),)
        yield Row(f"planted-{n}-{d}", partial(halfspaces, n, d), goals, command)


def _limits() -> Iterator[Row]:
    instances: tuple[tuple[str, Callable[[], Pattern], int], ...] = (
        ("random-3000", partial(random_dense, 3_000, 3_000), 2_999),
        ("few-ones-1500", partial(few_ones, 1_500, 20), 40),
        ("random-10000", partial(random_dense, 10_000, 5_000), 64),
    )
    for name, make, d in instances:
        for command in (("decide", "-d", str(d)), ("dim",)):
            for cold in (False, True):
                state = "cold" if cold else "warm"
                known = Goal(3, answer="YES") if name == "few-ones-1500" and d == 40 else Goal(3)
                goal = known if command[0] == "decide" else Goal(3)
                full = f"limit-{name}-{command[0]}-{state}"
                yield Row(full, make, (goal,), command, cold=cold)


ROWS: tuple[Row, ...] = tuple(_rows())
"""All rows, in the order of the table."""


def instance(row: Row, work: Path, judgements: Path | None) -> Path | None:
    """The row's file, written where it is not there yet; None where its judgements are missing."""
    if row.make is None:
        path = None if judgements is None else judgements / row.file
        return path if path is not None and path.exists() else None
    name = row.name.partition("-decide")[0].partition("-dim")[0].replace("causal-", "")
    path = work / f"{name}.npz"
    if not path.exists():
        save(row.make(), path)
    return path


def measure(row: Row, path: Path, work: Path) -> Iterator[tuple[Goal, Measured, str]]:
    """Each goal with what its run found and what it missed (empty where met).

    Certificates of the last run are checked: one that fails is a miss.
    """
    for goal in row.goals:
        kept = {side: work / f"{row.name}.{side}.json" for side in ("yes", "no")}
        last = goal is row.goals[-1]
        found = Measured.of(_run(row, goal, path, kept if last else {}))
        missed = goal.missed_by(found)
        if last and missed is None:
            missed = _unverified(row, path, kept.values())
        yield goal, found, missed or ""


def _run(row: Row, goal: Goal, path: Path, kept: dict[str, Path]) -> Child:
    """The command of a row; `kept` names the files of certificates."""
    for old in kept.values():
        old.unlink(missing_ok=True)
    if row.command[0] == "dim":
        files = [text for side, file in kept.items() for text in (f"--{side}", str(file))]
    else:
        files = ["--certificate", str(kept["yes"])] if kept else []
    limit = ["--time-limit", f"{goal.limit:g}", "--json"]
    command, *given = row.command
    arguments = [command, str(path), *given, *row.options, *limit, *files]
    most = goal.limit + PATIENCE
    if not row.cold:
        return run(arguments, most_seconds=most)
    with tempfile.TemporaryDirectory() as cache:
        return run(arguments, most_seconds=most, environment={"NUMBA_CACHE_DIR": cache})


def _unverified(row: Row, path: Path, certificates: Iterable[Path]) -> str | None:
    """Return the certificate that fails the exact check, if any."""
    for certificate in certificates:
        if certificate.exists():
            arguments = ["verify", str(path), str(certificate), *row.options]
            if run(arguments, most_seconds=PATIENCE).status != 0:
                return f"{certificate.name} is not verified"
    return None


def table(rows: Iterable[Row], work: Path, judgements: Path | None) -> list[dict[str, object]]:
    """Run rows, print a line for each run, and return the lines of the CSV file."""
    print("| row | goal | found | s | GB | |\n|---|---|---|---|---|---|", flush=True)
    lines: list[dict[str, object]] = []
    absent = []
    for row in rows:
        path = instance(row, work, judgements)
        if path is None:
            absent.append(row.name)
            continue
        for goal, found, missed in measure(row, path, work):
            outcome = f"MISSED ({missed})" if missed else "met"
            cost = f"{found.seconds:.1f} | {found.gigabytes:.2f}"
            print(f"| {row.name} | {goal.words} | {found.words} | {cost} | {outcome} |", flush=True)
            lines.append({"row": row.name, "goal": goal.words, **asdict(found), "missed": missed})
    if absent:
        print(f"\nLeft out, no judgement file: {', '.join(absent)}", flush=True)
    return lines


COLUMNS = ("row", "goal", *(one.name for one in fields(Measured)), "missed")


def write(lines: Iterable[dict[str, object]], path: Path) -> None:
    """The CSV file, with the lines of rows that did not run kept as they were."""
    lines = list(lines)
    ran = {str(line["row"]) for line in lines}
    if path.exists():
        with path.open(newline="") as stream:
            lines += [line for line in csv.DictReader(stream) if line["row"] not in ran]
    order = {row.name: at for at, row in enumerate(ROWS)}
    lines.sort(key=lambda line: order.get(str(line["row"]), len(order)))
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rows that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="rows to run")
    parser.add_argument("--judgements", type=Path, metavar="FOLDER", help="TREC files")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="keeps instances and proofs")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="where to keep the figures")
    parser.add_argument("--list", action="store_true", help="print the rows' names and end")
    given = parser.parse_args(arguments)
    for one in given.only:
        if not any(row.is_named([one]) for row in ROWS):
            parser.error(f"there is no row {one!r}; --list prints the names")
    rows = [row for row in ROWS if row.is_named(given.only)]
    if given.list:
        print("\n".join(row.name for row in rows))
        return
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        lines = table(rows, work, given.judgements)
    if given.csv is not None:
        write(lines, given.csv)
    sys.exit(any(line["missed"] for line in lines))


if __name__ == "__main__":
    main()
