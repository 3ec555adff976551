"""Lines of benchmarks/measured/practice.csv: bounds on one quantity of one pattern."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from shared.measured import from_line
from shared.paths import MEASURED

__all__ = ["TABLE", "Key", "Line", "join", "read_lines", "write_line"]

TABLE = MEASURED / "practice.csv"

Key = tuple[str, str, int]
"""Name of a pattern, quantity, and the dimension that the quantity is about (0 for none)."""


@dataclass(frozen=True)
class Line:
    """Bounds on one quantity.

    `upper` is infinite if no embedding was found, or if there is no bound on a margin.
    """

    part: str
    name: str
    rows: int
    columns: int
    quantity: str
    d: int
    lower: float
    upper: float
    seconds: float
    limit: float

    @property
    def key(self) -> Key:
        """The name by which a later run finds this line."""
        return self.name, self.quantity, self.d


def read_lines(table: Path = TABLE) -> dict[Key, Line]:
    """Return the lines of a table, none if the file does not exist yet."""
    if not table.exists():
        return {}
    with table.open(newline="") as stream:
        lines = [from_line(Line, row) for row in csv.DictReader(stream)]
    return {line.key: line for line in lines}


def join(old: Line, new: Line) -> Line:
    """Return the new line with the better bounds of both, all of which have been proven."""
    lower, upper = max(old.lower, new.lower), min(old.upper, new.upper)
    return replace(new, lower=lower, upper=upper, limit=max(old.limit, new.limit))


def write_line(line: Line, table: Path = TABLE) -> None:
    """Add a line to a table, or join it with the one that has its key."""
    lines = read_lines(table)
    lines[line.key] = join(lines.get(line.key, line), line)
    whole = table.with_suffix(".part")
    with whole.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Line)], lineterminator="\n")
        writer.writeheader()
        for each in lines.values():
            row = asdict(each)
            numbers = {name: f"{row[name]:.9g}" for name in ("lower", "upper", "seconds", "limit")}
            writer.writerow({**row, **numbers})
    whole.replace(table)
