"""The least dimensions with cosines and distances, beside those with dot products.

    PYTHONPATH=benchmarks python -m similarities.dimensions [--seconds S] [--part PART] [--csv FILE]

The patterns are those of attention heads and the masks of 32 and 64 tokens in docs/studies/. Known
dimensions d are those of benchmarks/dimensions.csv. Every bound has passed the exact checker, whose
time is included.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np
from records.lines import read_lines
from records.questions import Question, questions

import samapprox
from samapprox import WeakDimension

PARTS = ("minilm", "masks")
FIELDS = ("name", "rows", "columns", "d", "e", "s", "seconds_e", "seconds_s", "proofs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    samapprox.decide(np.eye(3), 2)  # imports
    known = read_lines()
    rows = []
    for question in questions([32, 64]):
        if question.part not in ([options.part] if options.part else PARTS):
            continue
        line = known.get(question.name)
        d = "?" if line is None else interval(line.lower, line.upper)
        rows.append(measure(question, d, options.seconds))
        print(" ".join(map(str, rows[-1].values())), flush=True)
    summarise(rows)
    if options.csv is not None:
        with options.csv.open("w", newline="") as stream:
            table = csv.DictWriter(stream, FIELDS)
            table.writeheader()
            table.writerows(rows)


def measure(question: Question, d: str, seconds: float) -> dict[str, object]:
    """Bound both dimensions of one pattern."""
    found, times = [], []
    for similarity in ("l2", "cosine"):
        start = time.perf_counter()
        found.append(
            samapprox.weak_dimension(question.pattern, similarity=similarity, time_limit=seconds)  # type: ignore[arg-type]
        )
        times.append(round(time.perf_counter() - start, 2))
    bounds = [interval(one.lower, one.upper) for one in found]
    rows, columns = question.pattern.shape
    values = (question.name, rows, columns, d, *bounds, *times, "; ".join(map(proofs, found)))
    return dict(zip(FIELDS, values, strict=True))


def interval(lower: int, upper: int) -> str:
    """Bounds as tables show them: one number where they meet."""
    return str(lower) if lower == upper else f"{lower}..{upper}"


def proofs(found: WeakDimension) -> str:
    """The kinds of both proofs."""
    sides = (found.no, found.yes)
    kinds = [side.proof.KIND for side in sides if side is not None and side.proof is not None]
    return " ".join(kinds)


def summarise(rows: list[dict[str, object]]) -> None:
    """Print how many intervals are exact, and how wide the others are, where d is known."""
    exact = [row for row in rows if str(row["d"]).isdigit()]
    for name in ("e", "s"):
        widths = [width(str(row[name])) for row in exact]
        print(
            f"{name}: of {len(widths)} patterns with known d, {widths.count(0)} exact and "
            f"{widths.count(1)} of width 1; {len(rows)} patterns in all",
            file=sys.stderr,
        )


def width(bounds: str) -> int:
    """The difference of the bounds."""
    lower, _, upper = bounds.partition("..")
    return int(upper or lower) - int(lower)


if __name__ == "__main__":
    main()
