"""Measure which strategies find embeddings and how fast, alone and in two versions of the package.

    python benchmarks dimensions.schedule alone [--half even] [--strategies NAME ..]
    python benchmarks dimensions.schedule beside FOLDER [--half odd]

The patterns are those of benchmarks/dimensions/hard_list, each with a dimension d in which an
embedding is known. Turns are tuned on the half with even numbers and reported on the other one.
Alone, each strategy is asked about d. Beside, FOLDER is another checkout: both versions decide d,
whose answer is YES, and d - 1, whose answer is mostly NO. Times are seconds of the processor; PAR-2
counts an open question as twice the limit. Each line is also printed as it is measured.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from shared.paths import ROOT

from dimensions.frozen import Answer, Version, lay_out
from dimensions.hard_list.patterns import Case, read_cases

MODULE = "dimensions.hard_list.answers"
SEARCHES = ("gradient", "projections", "hinge", "annealing", "best-order", "candidates", "padded")
"""The strategies for YES that take turns."""

HALVES = {"even": (0, 2), "odd": (1, 2), "all": (0, 1)}
"""Start and step of the case numbers."""

Table = dict[tuple[str, str], list[float]]
"""Row and column of a table, and the scores of the questions there."""


def score(answer: Answer, seconds: float) -> float:
    """Return the seconds of an answer, or twice the limit if the question stays open."""
    return answer.seconds if answer.lower == answer.upper else 2 * seconds


def run_alone(
    numbers: Sequence[int], cases: Sequence[Case], strategies: Sequence[str], seconds: float
) -> Table:
    """Ask each strategy for an embedding in the known dimension."""
    version = Version(lay_out(ROOT), MODULE)
    table: Table = defaultdict(list)
    for n in numbers:
        case = cases[n]
        found = {
            name: score(version.ask(f"{n} {case.d} {seconds:g} {name}"), seconds)
            for name in strategies
        }
        words = (f"{name} {taken:.3f}" for name, taken in found.items())
        print(f"{n} {case.name}, d = {case.d}:", *words, flush=True)
        for name, taken in found.items():
            table[case.group, name].append(taken)
            table[f"d = {min(case.d, 5)}", name].append(taken)
    version.close()
    return table


def run_beside(
    numbers: Sequence[int], cases: Sequence[Case], folder: Path, seconds: float
) -> Table:
    """Let both versions decide d and d - 1."""
    versions = {
        name: Version(lay_out(checkout), MODULE)
        for name, checkout in (("before", folder), ("now", ROOT))
    }
    table: Table = defaultdict(list)
    for n in numbers:
        case = cases[n]
        for d, row in ((case.d, "d"), (case.d - 1, "d - 1")):
            found = {name: one.ask(f"{n} {d} {seconds:g}") for name, one in versions.items()}
            before, now = found.values()
            assert not before.contradicts(now), case.name
            taken = {name: score(answer, seconds) for name, answer in found.items()}
            print(f"{n} {case.name}, d = {d}: {taken['before']:.3f} {taken['now']:.3f}", flush=True)
            for name in versions:
                table[row, name].append(taken[name])
                table[f"{row}: {case.group}", name].append(taken[name])
    for one in versions.values():
        one.close()
    return table


def print_table(table: Table, seconds: float) -> None:
    """Print for each row and column: questions that are settled, their median time, and PAR-2."""
    rows, columns = (sorted({key[axis] for key in table}) for axis in (0, 1))
    print("\nSettled, median seconds of these, PAR-2\n")
    print(f"| | questions | {' | '.join(columns)} |\n|{'---|' * (2 + len(columns))}")
    for row in rows:
        cells = [str(len(table[row, columns[0]]))]
        for column in columns:
            scores = table[row, column]
            settled = [taken for taken in scores if taken < 2 * seconds]
            middle = f"{median(settled):.3f}" if settled else "-"
            cells.append(f"{len(settled)}, {middle}, {sum(scores) / len(scores):.2f}")
        print(f"| {row} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("alone", "beside"))
    parser.add_argument("folder", type=Path, nargs="?", help="another checkout, for beside")
    parser.add_argument("--half", choices=HALVES, default="odd")
    parser.add_argument("--strategies", nargs="+", metavar="NAME", default=SEARCHES)
    parser.add_argument("--seconds", type=float, default=10.0, help="limit of each question")
    parser.add_argument("--group", help="only cases of this source, such as head or planted")
    options = parser.parse_args()
    cases = read_cases()
    start, step = HALVES[options.half]
    numbers = range(start, len(cases), step)
    chosen = [n for n in numbers if options.group in (None, cases[n].group)]
    if options.what == "alone":
        table = run_alone(chosen, cases, options.strategies, options.seconds)
    elif options.folder is None:
        parser.error("give the folder of the other checkout")
    else:
        table = run_beside(chosen, cases, options.folder, options.seconds)
    print_table(table, options.seconds)


if __name__ == "__main__":
    main()
