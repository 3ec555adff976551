"""Benchmarks that print one table: what is measured, the measurement, the goal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module

from shared.parts import parse_parts

__all__ = ["Row", "print_parts"]

Row = tuple[str, str, str]
"""A quantity, its measurement, and the goal."""


def print_parts(doc: str | None, parts: Mapping[str, str]) -> None:
    """Print the rows of the parts that the command line names, or of all.

    Parameters
    ----------
    doc : str or None
        The benchmark's docstring, for its help.
    parts : mapping of str to str
        Part -> ``module:function``, a function that returns or yields rows.
    """
    named = parse_parts(doc, parts) or list(parts)
    print("| what | measured | goal |\n|---|---|---|", flush=True)
    for part in named:
        module, _, function = parts[part].partition(":")
        rows: Callable[[], Iterable[Row]] = getattr(import_module(module), function)
        for row in rows():
            print(f"| {' | '.join(row)} |", flush=True)
