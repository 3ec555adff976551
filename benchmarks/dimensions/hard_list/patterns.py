"""Patterns whose least dimension is mostly 3 or more: heads, masks, planted and random ones.

`dimensions.csv` has a dimension of each pattern, in which an embedding is known: that of planted
ones, else the least one in the tables of this project or found by a second or more of
`projections`. So most embeddings are tight, and a refutation of one dimension less is hard where
one exists.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from practical import heads

from samapprox import Pattern, data, load
from samapprox.attention import binarize_set
from samapprox.attention.weights.rules import parse_rule
from samapprox.reductions.families import generate

__all__ = ["Case", "read_cases"]

TABLE = Path(__file__).with_name("dimensions.csv")
RULES = ("mass90", "unif")
LEAST_D = 4
"""Heads of smaller dimensions are easy."""

GRAPHS = ("random", "bigbird:w=3,g=2,r=3", "bigbird:w=3,g=1,r=2")


@dataclass(frozen=True, slots=True)
class Case:
    """A pattern and a dimension that suffices for it."""

    name: str
    pattern: Pattern
    d: int

    @property
    def group(self) -> str:
        """The source of the pattern: the first word of its name."""
        return self.name.partition(" ")[0]


def read_cases() -> list[Case]:
    """Return all cases; those with even numbers are the half on which turns are tuned."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        dimensions = {row["name"]: int(row["d"]) for row in csv.DictReader(file)}
    cases = [Case(name, made, dimensions[name]) for name, made in draw_patterns()]
    assert len(cases) == len(dimensions)
    return cases


def draw_patterns() -> Iterator[tuple[str, Pattern]]:
    """Yield names and patterns, the same on every machine."""
    yield from _attention_heads()
    for file in data.files("minilm"):
        if file.stem in SHIPPED:
            yield f"minilm {file.stem}", load(file)
    for n, d, seed in [*product((24, 40, 60, 100), (3, 4, 5, 6), (0, 1)), *LARGE]:
        made = generate("halfspaces", rows=n, columns=n, d=d, seed=seed)
        yield f"planted {n} {d} {seed}", made.pattern
    for (n, density), seed in product(RANDOM, (0, 1)):
        made = generate("random", rows=n, columns=n, density=density, seed=seed)
        yield f"random {n} {density} {seed}", made.pattern
    for graph, n, causal in product(GRAPHS, (28, 32, 48, 64, 96, 128), (False, True)):
        made = generate("mask", graph=graph, n=n, causal=causal)
        yield f"mask {graph} {n}{' causal' if causal else ''}", made.pattern
    for (n, k), seed in product(((20, 2), (30, 2), (20, 3), (30, 3), (50, 3)), (0, 1)):
        made = generate("sparse-rows", rows=n, columns=n, k=k, seed=seed)
        yield f"sparse-rows {n} {k} {seed}", made.pattern


SHIPPED = (
    "s12_L0_H08_top5_n34",
    "s14_L0_H08_unif_n39",
    "s20_L4_H04_mass90_n45",
    "s24_L1_H11_top5_n51",
    "s26_L1_H05_unif_n63",
    "s28_L5_H11_mass90_n75",
    "s30_L2_H04_top3_n74",
    "s32_L2_H08_top5_n82",
    "s34_L2_H06_unif_n110",
    "s36_L4_H08_top3_n105",
)
"""Shipped heads with d >= 4."""

LARGE = ((200, 3, 0), (200, 5, 0), (200, 8, 0), (400, 3, 0), (400, 5, 0), (400, 8, 0))
"""Sides, dimensions and seeds of large planted patterns."""

RANDOM = (*product((16, 20, 28, 40), (0.1, 0.25)), *product((16, 20, 28), (0.5,)))
"""Sides and densities of random patterns."""


def _attention_heads() -> Iterator[tuple[str, Pattern]]:
    """Yield every second head of the shipped tensors whose least dimension may be 4 or more."""
    hard = {
        f"{one.text}/L{one.layer}_H{one.head:02d}_{one.rule}.npz"
        for one in heads.read(heads.TABLE)
        if one.upper >= LEAST_D and one.rule in RULES
    }
    folder = data.path("attention/att_s02_n11.npz").parent
    entries = binarize_set(folder, [parse_rule(rule) for rule in RULES])
    chosen = [entry for entry in entries if entry.path in hard][::2]
    for entry in chosen:
        yield f"head {entry.path.removesuffix('.npz')}", entry.instance.pattern
