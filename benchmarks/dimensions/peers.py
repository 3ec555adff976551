"""Other people's solvers on the same questions: who decides what, how fast, and who is wrong.

    pip install -e '.[peers]'
    python benchmarks dimensions.peers [--seconds 60] [--sample N] [--peer NAME ..] [--report]

Each question is put to each peer in a process of its own, which is killed when it overruns.
Answers are appended to a csv; what stands there is not asked again, so a run may be interrupted and
resumed. Then a table, and a cactus plot in docs/.
"""

from __future__ import annotations

import argparse
import csv
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from json import JSONDecodeError, loads
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from shared.paths import DOCS, MEASURED, command_of

from dimensions.peer_questions import Question, questions, sample
from dimensions.peer_solvers import PEERS, Answer
from samapprox import Instance, save
from samapprox.pictures import save_picture

GRACE = 5.0  # seconds for starting, loading and the tiny first question
MEMORY = 6 << 30  # bytes of address space

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")  # Okabe and Ito
MARKS = "osD^vX"


@dataclass(frozen=True)
class Run:
    """One line of the csv."""

    peer: str
    question: str
    kind: str
    rows: int
    columns: int
    limit: float
    known: str
    answer: str
    proven: bool
    seconds: float
    note: str


# ---------------------------------------------------------------- asking


def put(question: Question, peer: str, limit: float) -> Run:
    """The question to a process that is killed, with all that it started, when it overruns."""
    problem = question.problem
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pattern.npz"
        save(Instance(problem.pattern), path)
        command = command_of("dimensions.peer_solvers", peer, str(path))
        said = _ended([*command, str(problem.d), str(limit)], limit + GRACE)
    rows, columns = problem.pattern.shape
    return Run(
        peer, question.name, question.kind, rows, columns, limit, question.known or "", **said
    )


def _ended(command: Sequence[str], seconds: float) -> dict[str, Any]:
    """Return the output of a process, or UNKNOWN and the reason."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_confine,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        out, errors = process.communicate(timeout=seconds)
        return dict(loads(out.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return asdict(Answer("UNKNOWN", False, seconds, "killed"))
    except (JSONDecodeError, IndexError):
        last = (errors.strip().splitlines() or [f"status {process.returncode}"])[-1]
        return asdict(Answer("UNKNOWN", False, seconds, f"failed: {last[:100]}"))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _confine() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def read(path: Path) -> list[Run]:
    """The runs of a csv; none where there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as stream:
        return [_run(line) for line in csv.DictReader(stream)]


def _run(line: dict[str, Any]) -> Run:
    """A line of the csv, its texts as what they stand for."""
    numbers = {name: float(line[name]) for name in ("limit", "seconds")}
    sizes = {name: int(line[name]) for name in ("rows", "columns")}
    return Run(**{**line, **numbers, **sizes, "proven": line["proven"] == "True"})


def append(path: Path, run: Run) -> None:
    with path.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Run)], lineterminator="\n")
        if not stream.tell():
            writer.writeheader()
        writer.writerow(asdict(run))


# ---------------------------------------------------------------- counting


def truth(runs: Sequence[Run]) -> dict[str, str]:
    """Question -> the answer that a fact or a checked proof gives it."""
    proven = {run.question: run.known for run in runs if run.known}
    for run in runs:
        if run.proven:
            assert proven.setdefault(run.question, run.answer) == run.answer, run
    return proven


def solved(runs: Sequence[Run], peer: str) -> list[Run]:
    """Return a peer's answers in time that no proof contradicts."""
    proven = truth(runs)
    return [
        run
        for run in runs
        if run.peer == peer
        and run.answer != "UNKNOWN"
        and run.seconds <= run.limit
        and run.answer == proven.get(run.question, run.answer)
    ]


def table(runs: Sequence[Run]) -> Iterator[str]:
    """Solved, wrong and PAR-2 (mean seconds, twice the limit for what is not solved)."""
    proven = truth(runs)
    yield "| solver | solved | YES | NO | wrong | PAR-2, s |"
    yield "|---|---|---|---|---|---|"
    for peer in PEERS:
        own = [run for run in runs if run.peer == peer]
        if not own:
            continue
        right = solved(runs, peer)
        wrong = sum(
            run.answer not in ("UNKNOWN", proven.get(run.question, run.answer)) for run in own
        )
        lost = [run for run in own if run not in right]
        par = sum(run.seconds for run in right) + sum(2 * run.limit for run in lost)
        yes = sum(run.answer == "YES" for run in right)
        yield (
            f"| {peer} | {len(right)} of {len(own)} | {yes} | {len(right) - yes} | {wrong} "
            f"| {par / len(own):.3g} |"
        )


def by_kind(runs: Sequence[Run]) -> Iterator[str]:
    """Count the questions of each kind that each peer solved."""
    peers = [peer for peer in PEERS if any(run.peer == peer for run in runs)]
    yield f"| questions | {' | '.join(peers)} |"
    yield "|---" * (len(peers) + 1) + "|"
    right = {peer: solved(runs, peer) for peer in peers}
    for kind in dict.fromkeys(run.kind for run in runs):
        count = len({run.question for run in runs if run.kind == kind})
        cells = [str(sum(run.kind == kind for run in right[peer])) for peer in peers]
        yield f"| {kind} ({count}) | {' | '.join(cells)} |"


def cactus(runs: Sequence[Run]) -> Figure:
    """Draw the number of questions that each peer solves within a time per question."""
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.add_subplot()
    limit = max(run.limit for run in runs)
    total = len({run.question for run in runs})
    for peer, colour, mark in zip(PEERS, COLOURS, MARKS, strict=True):
        seconds = sorted(max(run.seconds, 1e-3) for run in solved(runs, peer))
        if any(run.peer == peer for run in runs):
            axes.plot(
                range(1, len(seconds) + 1),
                seconds,
                color=colour,
                marker=mark,
                markersize=4,
                linewidth=1.4,
                label=f"{peer} ({len(seconds)})",
            )
    axes.axhline(limit, color="#999999", linewidth=0.8, linestyle="--")
    axes.annotate(
        f"limit {limit:g} s",
        (0.3, limit),
        xytext=(0, 3),
        textcoords="offset points",
        fontsize=9,
        color="#595959",
    )
    axes.set_yscale("log")
    axes.set_ylim(top=limit * 2)
    axes.set_xlim(0, total + 1)
    axes.set_xlabel(f"questions solved, of {total}")
    axes.set_ylabel("seconds, the slowest of them")
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for each question")
    parser.add_argument("--sample", type=int, help="so many of the questions")
    parser.add_argument("--peer", action="append", choices=PEERS, help="this one (may be repeated)")
    parser.add_argument("--results", type=Path, default=MEASURED / "peers.csv")
    parser.add_argument("--plot", type=Path, default=DOCS / "studies" / "peers.png")
    parser.add_argument("--report", action="store_true", help="ask nothing, count what is there")
    chosen = parser.parse_args()

    asked = questions() if chosen.sample is None else sample(questions(), chosen.sample)
    there = {(r.peer, r.question, r.limit) for r in read(chosen.results)}
    for question in asked if not chosen.report else ():
        for peer in chosen.peer or PEERS:
            if (peer, question.name, chosen.seconds) not in there:
                run = put(question, peer, chosen.seconds)
                append(chosen.results, run)
                print(f"{run.question}: {peer} {run.answer} {run.seconds:.2f} s {run.note}")
    names = {question.name for question in asked}
    runs = [r for r in read(chosen.results) if r.limit == chosen.seconds and r.question in names]
    if not runs:
        sys.exit(f"{chosen.results} has no runs of {chosen.seconds:g} seconds")
    print("\n".join(["", *table(runs), "", *by_kind(runs)]))
    save_picture(cactus(runs), chosen.plot)


if __name__ == "__main__":
    main()
