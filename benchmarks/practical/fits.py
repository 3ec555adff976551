"""The least number of wrong rows: random patterns, and heads in one dimension less than they need.

The random patterns are 14 x 14, for d = 1 and d = 2; the heads have at most 45 tokens, and their
least dimensions are in dimensions.csv. All bounds have passed the exact checker.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from shared.paths import MEASURED
from shared.rows import Row

from samapprox import BestFit, Pattern, data, fit, load

__all__ = ["Question", "fits", "list_heads", "list_random"]

SIZE = 14
PATTERNS, TOKENS = 10, 45
SECONDS, SHARE = 60.0, 0.9
TABLE = MEASURED / "dimensions.csv"


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


def fits(seconds: float = SECONDS) -> Iterator[Row]:
    """Bound the fewest wrong rows, and count for how many patterns the optimum is proven."""
    exact: dict[str, list[bool]] = {}
    for question in (*list_random(PATTERNS), *list_heads(TOKENS)):
        found = fit(question.pattern, question.d, time_limit=seconds)
        exact.setdefault(question.part, []).append(found.exact)
        yield (
            f"{question.part}, {question.name}, d = {question.d}",
            f"{_write(found)} of {found.total} rows wrong, {found.seconds:.1f} s",
            "-",
        )
    for part, answers in exact.items():
        share = sum(answers) / len(answers)
        goal = f"{SHARE:.0%} in {SECONDS:g} s"
        yield f"optimum proven, {part}", f"{sum(answers)} of {len(answers)} ({share:.0%})", goal


def _write(found: BestFit) -> str:
    return str(found.upper) if found.exact else f"{found.lower}..{found.upper}"
