"""Tables of measurements as csv files that grow line by line, so that a run can be resumed."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

__all__ = ["Table"]

Line = TypeVar("Line")

_READERS = {"str": str, "int": int, "float": float}


class Table(Generic[Line]):
    """The lines of a csv file, each of them a dataclass of texts and numbers."""

    def __init__(self, path: Path, kind: type[Line]) -> None:
        self.path = path
        self._kind: Any = kind

    def read(self) -> list[Line]:
        """Read all lines; none if there is no file."""
        if not self.path.exists():
            return []
        readers = [_READERS[str(field.type)] for field in fields(self._kind)]
        with self.path.open(newline="") as stream:
            lines = list(csv.reader(stream))[1:]
        return [
            self._kind(*(reader(x) for reader, x in zip(readers, line, strict=True)))
            for line in lines
        ]

    def append(self, lines: Iterable[Line]) -> None:
        """Write lines at the end."""
        begins = not self.path.exists()
        with self.path.open("a", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            if begins:
                table.writerow([field.name for field in fields(self._kind)])
            for line in lines:
                values: tuple[Any, ...] = astuple(line)  # type: ignore[call-overload]
                table.writerow([f"{x:.4g}" if isinstance(x, float) else x for x in values])
