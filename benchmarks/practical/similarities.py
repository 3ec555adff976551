"""Dimensions for cosines and distances from benchmarks/measured/practice.csv, beside the goal."""

from __future__ import annotations

from collections.abc import Iterator

from shared.rows import Row

from practical.lines import read_lines
from practical.page import join_similarities

__all__ = ["similarities"]

PARTS = ("minilm", "masks")
SHARE = 0.7
SECONDS = 60.0


def similarities() -> Iterator[Row]:
    """Count the patterns of known d whose s and e are exact, and the widest other intervals."""
    lines = {key: line for key, line in read_lines().items() if line.part in PARTS}
    names = dict.fromkeys(line.name for line in lines.values())
    joined = [join_similarities(name, lines) for name in names]
    known = [bounds for bounds in joined if "d" in bounds and bounds["d"][0] == bounds["d"][1]]
    for quantity in ("s", "e"):
        widths = [
            upper - lower
            for lower, upper in (bounds[quantity] for bounds in known if quantity in bounds)
        ]
        limit = max(line.limit for line in lines.values() if line.quantity == quantity)
        exact = widths.count(0)
        yield (
            f"{quantity}, of {len(widths)} heads and masks of known d",
            f"{exact} exact ({exact / len(widths):.0%}), the others of width <= {max(widths):g}, "
            f"{limit:g} s each",
            f"{SHARE:.0%}, width <= 1, {SECONDS:g} s each",
        )
