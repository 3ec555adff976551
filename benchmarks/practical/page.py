"""The tables of docs/studies/practice.md."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from shared.markers import put_between_markers
from shared.paths import DOCS

from practical.lines import Key, Line, read_lines
from practical.measures import FORMATS
from practical.subjects import PARTS

__all__ = ["PAGE", "TABLES", "join_similarities", "make_table", "marker", "write_page"]

PAGE = DOCS / "studies" / "practice.md"
TABLES = (*PARTS, "ceilings")

Lines = dict[Key, Line]
Interval = tuple[float, float]


def marker(table: str) -> str:
    """The line of the page that a table follows."""
    return f"<!-- table of benchmarks/practical/practice.py: {table} -->"


def write_page(page: Path = PAGE) -> None:
    """Replace all tables of the page by what the lines state."""
    for table in TABLES:
        put_between_markers(page, marker(table), make_table(table))


def make_table(table: str, lines: Lines | None = None) -> str:
    """Return a table in Markdown, and two sentences that count what it shows."""
    lines = read_lines() if lines is None else lines
    if table == "ceilings":
        return _ceilings(lines)
    lines = {key: line for key, line in lines.items() if _is_current(line, lines)}
    names = list(dict.fromkeys(line.name for line in lines.values() if line.part == table))
    head = ["pattern", "shape", "d", "s", "e", "margin", *FORMATS, "rows wrong at d - 1"]
    rows = [head, ["---"] * len(head), *(_cells(name, lines) for name in names)]
    text = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"{text}\n{_summary(names, lines)}\n"


def _is_current(line: Line, lines: Lines) -> bool:
    """Whether wrong rows are those one dimension below the present lower bound on d."""
    known = lines.get((line.name, "d", 0))
    return line.quantity != "wrong" or (known is not None and line.d == known.lower - 1)


def _cells(name: str, lines: Lines) -> list[str]:
    own = {line.quantity: line for line in lines.values() if line.name == name}
    any_line = next(iter(own.values()))
    joined = join_similarities(name, lines)
    return [
        name,
        f"{any_line.rows:,} x {any_line.columns:,}",
        *(_interval(joined.get(quantity)) for quantity in ("d", "s", "e")),
        _margin(own.get("margin")),
        *(_found(own.get(format_name)) for format_name in FORMATS),
        "see above" if any_line.part == "limit" else _wrong(own.get("wrong")),
    ]


def join_similarities(name: str, lines: Lines) -> dict[str, Interval]:
    """Narrow the bounds on d, s and e of a pattern by e <= d <= s <= e + 1.

    Examples
    --------
    >>> join_similarities("none", {})
    {}
    """
    found = {
        quantity: lines[name, quantity, 0]
        for quantity in ("d", "s", "e")
        if (name, quantity, 0) in lines
    }
    lower = {quantity: line.lower for quantity, line in found.items()}
    upper = {quantity: line.upper for quantity, line in found.items()}
    return {
        quantity: (
            max(lower[other] + _GREATER[quantity, other] for other in found),
            min(upper[other] - _GREATER[other, quantity] for other in found),
        )
        for quantity in found
    }


_GREATER = {
    **{(one, one): 0 for one in "des"},
    **dict.fromkeys([("d", "e"), ("s", "d"), ("s", "e")], 0),
    **dict.fromkeys([("d", "s"), ("e", "d"), ("e", "s")], -1),
}
"""(x, y) -> by how much x exceeds y at least, from e <= d <= s <= e + 1."""


def _interval(bounds: Interval | None) -> str:
    if bounds is None:
        return "-"
    lower, upper = bounds
    return f"{lower:g}" if lower == upper else f"{lower:g}..{upper:g}"


def _margin(line: Line | None) -> str:
    if line is None:
        return "-"
    if line.lower == math.inf:
        return "unbounded"
    if line.upper == math.inf:
        return f"> {line.lower:.4f}"
    low, high = math.floor(line.lower * 10**4) / 10**4, math.ceil(line.upper * 10**4) / 10**4
    return f"{low:.4f}..{high:.4f}"


def _found(line: Line | None) -> str:
    if line is None:
        return "-"
    return "none" if line.upper == math.inf else f"{line.upper:g}"


def _wrong(line: Line | None) -> str:
    """Bounds on the wrong rows; one at least is wrong, since d is a proven lower bound."""
    if line is None:
        return "-"
    return f"{_interval((max(1, line.lower), line.upper))} of {line.rows:,}"


def _ceilings(lines: Lines) -> str:
    rows = [["d", "right, found", "right, proven ceiling", "ceiling on the share"], ["---"] * 4]
    for line in sorted(_of(lines, "limit", "wrong"), key=lambda line: line.d):
        right = line.rows - line.lower
        rows.append(
            [str(line.d), f"{line.rows - line.upper:g}", f"{right:g}", f"{right / line.rows:.1%}"]
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _of(lines: Lines, part: str, quantity: str) -> Iterable[Line]:
    return [line for line in lines.values() if (line.part, line.quantity) == (part, quantity)]


def _summary(names: list[str], lines: Lines) -> str:
    """How many bounds meet, and in how many patterns a format needs no further dimension."""
    joined = {name: join_similarities(name, lines) for name in names}
    counts = []
    for quantity in ("d", "s", "e"):
        known = [bounds[quantity] for bounds in joined.values() if quantity in bounds]
        exact = sum(lower == upper for lower, upper in known)
        counts.append(f"{quantity} {exact} of {len(known)}")
    if wrong := [
        line for line in lines.values() if line.name in names and line.quantity == "wrong"
    ]:
        exact = sum(max(1, line.lower) == line.upper for line in wrong)
        counts.append(f"wrong rows {exact} of {len(wrong)}")
    kept = []
    for name in FORMATS:
        found = [line for line in lines.values() if line.name in names and line.quantity == name]
        same = sum(line.upper <= joined[line.name]["d"][1] for line in found)
        kept.append(f"{name} {same} of {len(found)}")
    return (
        f"Exact: {', '.join(counts)}.\n\nPatterns for which a format was found to need no more "
        f"than the least known d: {', '.join(kept)}."
    )
