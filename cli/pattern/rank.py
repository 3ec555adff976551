"""`samapprox rank`."""

from __future__ import annotations

from typing import Any

import click

from samapprox import InputError, MatrixRank
from samapprox import rank as find_rank
from samapprox.cli import options
from samapprox.cli.pattern.bounds import Output, bounds_options, search_until_interrupted
from samapprox.cli.terminal import echo_answer
from samapprox.cli.values import Checked
from samapprox.problem import require_dimension
from samapprox.proofs.questions import RANK_KINDS, RankKind

_RANK = Checked(click.INT, lambda rank: require_dimension("the rank", rank))


@click.command()
@options.matrix
@click.option(
    "--kind",
    type=click.Choice(RANK_KINDS),
    default="sign",
    show_default=True,
    help="Which rank: the signs of a matrix B (sign), of B minus one threshold (global), or of B "
    "minus a threshold for each row (row).",
)
@click.option(
    "--rank",
    "at_most",
    type=_RANK,
    help="Only decide whether the rank is at most this number: YES, NO or UNKNOWN.",
)
@options.strategies
@options.time_limit("Stop improving the bounds after this many seconds.")
@options.seed()
@bounds_options()
@options.as_json
@options.exit_code
def rank(
    source: options.Source,
    kind: RankKind,
    at_most: int | None,
    output: Output,
    exit_code: bool,
    **limits: Any,
) -> int:
    """Find the least rank of a real matrix with the signs of MATRIX, with both certificates.

    MATRIX holds + and -, 1 and -1, or 1 and 0, and * for don't care, in a file (npz, npy, csv or
    txt, mtx) or - for standard input. The answer is exact if the bounds meet within the time limit,
    otherwise a proven interval.
    """
    output.keep_apart([source.path])
    if exit_code and at_most is None:
        raise InputError("--exit-code needs --rank: without it the answer is a number")
    matrix = source.read_signs()
    found, interrupt = search_until_interrupted(
        find_rank, matrix, kind=kind, at_most=at_most, **limits
    )
    output.write(
        lambda: found.to_json(source=source.path, at_most=at_most),
        lambda err: echo_answer("\n".join(_describe(found, at_most)), err=err),
        lambda: found.yes_certificate,
        lambda: found.no_certificate,
        interrupt=interrupt,
    )
    return options.EXIT_CODES[found.at_most(at_most)] if exit_code and at_most is not None else 0


def _describe(found: MatrixRank, at_most: int | None) -> list[str]:
    """Describe the bounds and their proofs; of an answer, only the proof that gives it."""
    if at_most is None:
        return str(found).splitlines()
    sides = {"YES": [found.yes], "NO": [found.no], "UNKNOWN": [found.no, found.yes]}
    shown = sides[found.at_most(at_most).value]
    lines = [line for side in shown if side is not None for line in side.explain()]
    return [found.answer(at_most), *lines]
