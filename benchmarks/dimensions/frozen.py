"""Answers to 5,000 frozen questions: beside the recorded ones, or beside another checkout.

    python benchmarks dimensions.frozen                    compare with the recorded answers
    python benchmarks dimensions.frozen --beside FOLDER    compare with another checkout, in turn
    python benchmarks dimensions.frozen --record           record the answers

The record is benchmarks/dimensions/frozen_list/frozen.csv. An answer is lost where the bounds are
wider than before, contradicted where they no longer overlap. Every question is asked with a limit
of 2 seconds of processor time, so that a busy machine changes few answers. Questions whose answers
differ are asked again of both versions. The compiled kernels of a checkout are kept for the next
run.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

from shared.paths import BENCHMARKS, ROOT

from dimensions.frozen_list.patterns import DIGEST, Case, digest, draw_cases

RECORD = BENCHMARKS / "dimensions" / "frozen_list" / "frozen.csv"
PACKAGES = ("attention", "batch", "cli", "data", "reductions", "solvers")
TOLERANCE = 0.02
"""Of bounds on margins, which searches reach within about one percent."""

AGAIN = 3
"""How often a question whose answers differ is asked again; the best answer counts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Bounds and the processor time that they took; `refused` where the question has no meaning."""

    lower: float = 0.0
    upper: float = 0.0
    seconds: float = 0.0
    refused: str = ""

    def is_wider(self, other: Answer) -> bool:
        """Return whether the bounds are wider than those of the other answer."""
        share = 1 + TOLERANCE
        return self.lower * share < other.lower or self.upper > other.upper * share

    def contradicts(self, other: Answer) -> bool:
        """Return whether both cannot be true."""
        apart = self.lower > other.upper + 1e-9 or other.lower > self.upper + 1e-9
        return apart or bool(self.refused) != bool(other.refused)


class Version:
    """A process that answers for one version of the package.

    The module reads questions from standard input and prints an answer as JSON for each.
    """

    def __init__(self, layout: Path, module: str = "dimensions.frozen_list.answers") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{layout}{os.pathsep}{BENCHMARKS}"},
        )

    def ask(self, question: int | str) -> Answer:
        """Return the answer to a question: the number of a case, or a line of words."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{question}\n")
        self._process.stdin.flush()
        return Answer(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait()


def lay_out(checkout: Path) -> Path:
    """Link the folders of a checkout as the package is installed; return where.

    The place is always the same, since numba looks for compiled kernels by the path of the source.
    """
    name = hashlib.sha256(os.fsencode(checkout.resolve())).hexdigest()[:12]
    top = Path(tempfile.gettempdir()) / f"samapprox-frozen-{name}"
    package = top / "samapprox"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for path in (checkout / "core").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path.resolve())
    for name in PACKAGES:
        (package / name).symlink_to((checkout / name).resolve())
    return top


def answer_all(
    checkouts: Sequence[Path], numbers: Sequence[int], jobs: int
) -> dict[int, tuple[Answer, ...]]:
    """Ask all versions in turn, several cases at a time."""
    layouts = [lay_out(checkout) for checkout in checkouts]

    def work(share: Sequence[int]) -> dict[int, tuple[Answer, ...]]:
        versions = [Version(layout) for layout in layouts]
        try:
            return {n: tuple(version.ask(n) for version in versions) for n in share}
        finally:
            for version in versions:
                version.close()

    with ThreadPoolExecutor(jobs) as pool:
        shares = pool.map(work, [numbers[start::jobs] for start in range(jobs)])
        return {n: found for share in shares for n, found in share.items()}


def compare(
    pairs: dict[int, tuple[Answer, ...]], cases: Sequence[Case]
) -> tuple[list[int], list[int], list[int]]:
    """Return the cases that are contradicted, lost and gained by the second of each pair."""
    for n, (old, new) in sorted(pairs.items()):
        if old.contradicts(new) or new.is_wider(old):
            print(f"{cases[n].name} {cases[n].question}: {_words(old)} before, {_words(new)} now")
    return (
        [n for n, (old, new) in pairs.items() if old.contradicts(new)],
        [n for n, (old, new) in pairs.items() if new.is_wider(old)],
        [n for n, (old, new) in pairs.items() if old.is_wider(new)],
    )


def _words(answer: Answer) -> str:
    return answer.refused or f"{answer.lower:g}..{answer.upper:g}"


def _best(tries: Sequence[Answer]) -> Answer:
    """Return the narrowest answer."""
    return min(tries, key=lambda answer: answer.upper - answer.lower)


def read_record(cases: Sequence[Case]) -> dict[int, Answer]:
    """Read the recorded answers."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["case"] for row in rows] == [case.name for case in cases]
    return {
        n: Answer(float(row["lower"]), float(row["upper"]), float(row["seconds"]), row["refused"])
        for n, row in enumerate(rows)
    }


def write_record(answers: dict[int, Answer], cases: Sequence[Case]) -> None:
    """Write the answers of all cases."""
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", "question", "lower", "upper", "seconds", "refused"])
        for n, case in enumerate(cases):
            a = answers[n]
            words = f"{a.lower:g}", f"{a.upper:g}", f"{a.seconds:.4f}", a.refused
            rows.writerow([case.name, case.question, *words])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", type=Path, help="another checkout, asked in turn with this one")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="asked instead of this")
    parser.add_argument("--record", action="store_true", help="write the answers and end")
    parser.add_argument("--first", type=int, help="only so many cases, evenly chosen")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time")
    options = parser.parse_args()
    cases = list(draw_cases())
    if digest() != DIGEST:
        parser.error("the frozen patterns are not those of the record")
    step = max(1, len(cases) // (options.first or len(cases)))
    numbers = list(islice(range(0, len(cases), step), options.first))
    if options.record:
        found = answer_all([options.checkout], range(len(cases)), options.jobs)
        write_record({n: answer for n, (answer,) in found.items()}, cases)
        return 0
    if options.beside is not None:
        checkouts = [options.beside, options.checkout]
        pairs = answer_all(checkouts, numbers, options.jobs)
        doubtful = [n for n in numbers if pairs[n][1].is_wider(pairs[n][0])]
        for _ in range(AGAIN if doubtful else 0):
            again = answer_all(checkouts, doubtful, options.jobs)
            pairs |= {n: tuple(map(_best, zip(pairs[n], again[n], strict=True))) for n in doubtful}
    else:
        recorded = read_record(cases)
        new = answer_all([options.checkout], numbers, options.jobs)
        for _ in range(AGAIN):
            doubtful = [n for n in numbers if new[n][0].is_wider(recorded[n])]
            again = answer_all([options.checkout], doubtful, options.jobs) if doubtful else {}
            new |= {n: (_best((new[n][0], again[n][0])),) for n in doubtful}
        pairs = {n: (recorded[n], new[n][0]) for n in numbers}
    contradicted, lost, gained = compare(pairs, cases)
    ratios = [new.seconds / old.seconds for old, new in pairs.values() if old.seconds > 1e-3]
    before, now = (sum(pair[side].seconds for pair in pairs.values()) for side in (0, 1))
    print(
        f"{len(pairs)} answers: {len(lost)} lost, {len(contradicted)} contradicted, "
        f"{len(gained)} better; median time {median(ratios):.2f} of before, "
        f"in all {now:.0f} s ({before:.0f} s before)"
    )
    return 1 if lost or contradicted else 0


if __name__ == "__main__":
    sys.exit(main())
