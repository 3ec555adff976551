"""Benchmarks that print one table: what is measured, the measurement, the goal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module

from shared.parts import parse_parts

__all__ = ["Row", "print_parts"]

Row = tuple[str, str, str]
"""A quantity, its measurement, and the goal."""


def print_parts(
    doc: str | None, parts: Mapping[str, str], arguments: Sequence[str] | None = None
) -> None:
    """Print the rows of the parts that the command line names, or of all.

    Parameters
    ----------
    doc : str or None
        The benchmark's docstring, for its help.
    parts : mapping of str to str
        Part -> ``module:function``, a function that returns or yields rows.
    arguments : sequence of str, optional
        The command line; by default, that of the program.
    """
    named = parse_parts(doc, parts, arguments) or list(parts)
    print("| what | measured | goal |\n|---|---|---|", flush=True)
    for part in named:
        module, _, function = parts[part].partition(":")
        rows: Callable[[], Iterable[Row]] = getattr(import_module(module), function)
        for row in rows():
            print(f"| {' | '.join(row)} |", flush=True)
