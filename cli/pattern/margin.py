"""`samapprox margin`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import click

from samapprox import MarginBounds
from samapprox import margin as bound_margin
from samapprox.cli import options
from samapprox.cli.pattern.bounds import (
    Output,
    bounds_options,
    picture_of,
    search_until_interrupted,
)
from samapprox.cli.terminal import echo, echo_answer, print_table
from samapprox.cli.values import ParamType
from samapprox.errors import InputError
from samapprox.instance import Grading
from samapprox.problem import require_dimension
from samapprox.results import name_interval
from samapprox.results.margins import DimensionMargin

_TINY = Fraction(1, 10_000)
"""Smaller margins are written in powers of ten."""


class Dimensions(ParamType[tuple[int, ...]]):
    """Dimensions as a number K, for 1 to K, or as a range A..B."""

    name = "dimensions"

    def convert(
        self, value: object, _param: click.Parameter | None, _ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the dimensions in ascending order."""
        match = re.fullmatch(r"(?:(\d{1,18})\.\.)?(\d{1,18})", str(value).strip())
        if match is None:
            raise InputError(f"--dimensions must be a number or a range such as 1..8, not {value}")
        first, last = int(match[1] or 1), int(match[2])
        for number in (first, last):
            require_dimension("--dimensions", number)
        if first > last:
            raise InputError(f"--dimensions: the range {first}..{last} is empty; swap its ends")
        return tuple(range(first, last + 1))


@click.command()
@options.pattern
@options.causal
@click.option(
    "-d", "dimension", type=int, metavar="D", help="Also bound the margin in dimension D alone."
)
@click.option(
    "--dimensions",
    type=Dimensions(),
    metavar="A..B",
    help="Also bound the margin in each of these dimensions; K stands for 1..K.",
)
@click.option(
    "--bits",
    is_flag=True,
    help="For each of these dimensions, also search embeddings in few bits and in the number "
    "formats of models.",
)
@options.time_limit("Stop improving the bounds after this many seconds.")
@options.seed()
@bounds_options(yes="lower bound's certificate", no="upper bound's certificate")
@picture_of("Draw the margins and bits against d")
@options.as_json
def margin(
    source: options.Source,
    dimension: int | None,
    dimensions: tuple[int, ...] | None,
    bits: bool,
    output: Output,
    **limits: Any,
) -> None:
    """Bound the margin between the ones and the zeros of PATTERN for unit queries and keys.

    The margin is the least distance of a logit from its row's threshold; queries and keys have norm
    at most 1. Bounds on margins are proven, in any dimension and in single ones. Bits and formats
    are only found: fewer bits may be possible.
    """
    output.keep_apart([source.path])
    if dimension is not None:
        if dimensions is not None:
            raise InputError("-d D is short for --dimensions D..D: give one of them")
        require_dimension("-d", dimension)
        dimensions = (dimension,)
    if dimensions is None and (bits or output.picture is not None):
        raise InputError("--bits and --output need --dimensions, such as --dimensions 1..8")
    instance = source.read()
    found, interrupt = search_until_interrupted(
        bound_margin,
        instance.pattern,
        text="searching for unit queries and keys",
        shows_limit=False,
        dimensions=dimensions or (),
        bits=bits,
        **limits,
    )
    grading = Grading.of_origin(instance.origin)
    output.write(
        lambda: found.to_json(**source.origin, grading=grading),
        lambda err: _print(found, bits=bits, err=err),
        lambda: found.yes,
        lambda: found.no,
        missing="there is no such bound",
        draw=found.draw if found.dimensions else None,
        interrupt=interrupt,
    )


def _print(found: MarginBounds, *, bits: bool, err: bool) -> None:
    echo_answer(str(found), err=err)
    if found.dimensions:
        header, rows = _tabulate(found, bits=bits)
        print_table(header, rows, err=err)
    if found.formats:
        named = ", ".join(f"{name} {_interval(*bounds)}" for name, bounds in found.formats.items())
        echo(f"Least d in each format: {named}.", err=err)


def _interval(lower: int, upper: int | None) -> str:
    return f"at least {lower}" if upper is None else name_interval(lower, upper)


def _tabulate(found: MarginBounds, *, bits: bool) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table of dimensions."""
    formats = sorted({name for each in found.dimensions for name in each.formats}, key=_order)
    header = ["d", "margin found", "at most", *(["bits found", *formats] if bits else [])]
    return header, [_cells(each, formats, bits=bits) for each in found.dimensions]


def _cells(each: DimensionMargin, formats: list[str], *, bits: bool) -> list[str]:
    cells = [str(each.d), _margin(each), "" if each.no is not None else _decimal(each.upper)]
    if bits:
        cells.append("" if each.bits is None else str(each.bits))
        cells += ["right" if each.formats.get(name) else "" for name in formats]
    return cells


def _margin(each: DimensionMargin) -> str:
    """Write the margin that was found; a tiny one with two digits."""
    if each.no is not None:
        return "impossible"
    if not each.found:
        return "none"
    if each.yes is None:
        return "above 0"
    return _decimal(each.lower) if each.lower >= _TINY else f"{float(each.lower):.1e}"


def _decimal(value: Fraction | None) -> str:
    return "" if value is None else f"{float(value):.6f}"


def _order(name: str) -> int:
    from samapprox.precision import EMBEDDING_FORMATS

    return EMBEDDING_FORMATS.index(name)
