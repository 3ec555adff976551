"""The least number of wrong rows: random patterns, and heads in one dimension less than they need.

    python -m practice.fits [--seconds S] [--patterns N] [--tokens N]        (in benchmarks/)

S seconds for each pattern and dimension; N random 14 x 14 patterns for d = 1 and d = 2; shipped
heads of at most so many tokens, with the least dimensions of dimensions.csv. All bounds have passed
the exact checker.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from samapprox import BestFit, Pattern, data, fit, load

__all__ = ["Question", "list_heads", "list_random"]

SIZE = 14
TABLE = Path(__file__).resolve().parents[1] / "dimensions.csv"


@dataclass(frozen=True)
class Question:
    """A pattern and a dimension that is too small for it."""

    part: str
    name: str
    pattern: Pattern
    d: int


def list_random(count: int) -> Iterator[Question]:
    """Yield random patterns with as many ones as zeros, for d = 1 and d = 2."""
    for d in (1, 2):
        for seed in range(count):
            entries = np.random.RandomState(seed).rand(SIZE, SIZE) < 0.5
            entries[~entries.any(axis=1), 0] = True
            yield Question(f"random, d = {d}", f"seed {seed}", Pattern.from_array(entries), d)


def list_heads(tokens: int) -> Iterator[Question]:
    """Yield the shipped heads that need d >= 2, one dimension below their proven lower bound."""
    with TABLE.open(newline="") as stream:
        for line in csv.DictReader(stream):
            d = int(line["lower"]) - 1
            if line["part"] == "minilm" and int(line["rows"]) <= tokens and d >= 1:
                pattern = load(data.path(f"minilm/{line['name']}.npz"))
                yield Question("heads, d - 1", line["name"], pattern, d)


def _write(found: BestFit) -> str:
    return str(found.upper) if found.exact else f"{found.lower}..{found.upper}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--patterns", type=int, default=10)
    parser.add_argument("--tokens", type=int, default=45)
    options = parser.parse_args()
    exact: dict[str, list[bool]] = {}
    print("| part | pattern | d | rows | wrong | s |\n|---|---|---|---|---|---|", flush=True)
    for question in (*list_random(options.patterns), *list_heads(options.tokens)):
        found = fit(question.pattern, question.d, time_limit=options.seconds)
        exact.setdefault(question.part, []).append(found.exact)
        cells = question.part, question.name, question.d, found.total, _write(found)
        print(f"| {' | '.join(map(str, cells))} | {found.seconds:.1f} |", flush=True)
    for part, answers in exact.items():
        print(f"\n{part}: {sum(answers)} of {len(answers)} exact")
