"""Command lines that name the parts of a benchmark to run."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Collection, Sequence

__all__ = ["parse_parts"]


def parse_parts(
    doc: str | None, parts: Collection[str], arguments: Sequence[str] | None = None
) -> list[str]:
    """The parts that the command line names, perhaps none; others end the program."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    named: list[str] = parser.parse_args(arguments).parts
    for part in named:
        if part not in parts:
            parser.error(f"there is no part {part!r}; there are: {', '.join(parts)}")
    return named
