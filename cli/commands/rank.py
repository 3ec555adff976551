"""`samapprox rank`."""

from __future__ import annotations

import click

from samapprox import InputError, Interrupted, MatrixRank
from samapprox import rank as find_rank
from samapprox.cli.files import save_certificate, words_to_stderr
from samapprox.cli.options import (
    bounds_options,
    exit_code_option,
    format_option,
    json_option,
    keep_apart,
    read_signs,
    seed_option,
    strategy_options,
    time_limit_option,
)
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json
from samapprox.cli.values import PATTERN_ENDINGS, Checked, complete_files
from samapprox.problem import require_dimension
from samapprox.proofs.questions import RANK_KINDS, RankKind
from samapprox.results.matrix_rank import RankBound

__all__ = ["rank"]

_EXIT_CODES = {"YES": 10, "NO": 20, "UNKNOWN": 30}

_RANK = Checked(click.INT, lambda rank: require_dimension("the rank", rank))


@click.command()
@click.argument("source", metavar="MATRIX", shell_complete=complete_files(PATTERN_ENDINGS))
@format_option("Format of MATRIX, if it cannot be recognised.")
@click.option("--key", help="Array of an npz file to read; S[3] is matrix 3 of a stack S.")
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
@strategy_options
@time_limit_option("Stop improving the bounds after this many seconds.")
@seed_option()
@bounds_options()
@json_option
@exit_code_option
@click.pass_context
def rank(
    ctx: click.Context,
    source: str,
    file_format: str | None,
    key: str | None,
    kind: RankKind,
    at_most: int | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    time_limit: float,
    seed: int,
    yes: str | None,
    no: str | None,
    as_json: bool,
    exit_code: bool,
) -> None:
    """Find the least rank of a real matrix with the signs of MATRIX, with both certificates.

    MATRIX holds + and -, 1 and -1, or 1 and 0, and * for don't care, in a file (npz, npy, csv or
    txt, mtx) or - for standard input. The answer is exact if the bounds meet within the time limit,
    otherwise a proven interval.
    """
    keep_apart([source], [yes, no])
    aside = words_to_stderr(yes, no, as_json=as_json)
    if exit_code and at_most is None:
        raise InputError("--exit-code needs --rank: without it the answer is a number")
    matrix = read_signs(source, file_format, key)
    interrupt: Interrupted[MatrixRank] | None = None
    try:
        with show_progress(time_limit=time_limit) as progress:
            found = find_rank(
                matrix,
                kind=kind,
                at_most=at_most,
                time_limit=time_limit,
                seed=seed,
                only=only,
                without=without,
                progress=progress,
            )
    except Interrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    try:
        if as_json:
            print_json(found.to_json(source=source, at_most=at_most))
        else:
            with fit_terminal(err=aside):
                echo_answer("\n".join(_describe(found, at_most)), err=aside)
    finally:  # the files are written even if the reader of a pipe closes it early
        for bound, path in ((found.yes, yes), (found.no, no)):
            if path is not None:
                _save(bound, path)
    if interrupt is not None:
        raise interrupt
    if exit_code and at_most is not None:
        ctx.exit(_EXIT_CODES[found.at_most(at_most).value])


def _describe(found: MatrixRank, at_most: int | None) -> list[str]:
    """Describe the bounds and their proofs; of an answer, only the proof that gives it."""
    if at_most is None:
        return str(found).splitlines()
    sides = {"YES": [found.yes], "NO": [found.no], "UNKNOWN": [found.no, found.yes]}
    shown = sides[found.at_most(at_most).value]
    lines = [line for side in shown if side is not None for line in side.explain()]
    return [found.answer(at_most), *lines]


def _save(bound: RankBound | None, path: str) -> None:
    if bound is None:
        echo(f"samapprox: no certificate written to {path}: the bound is trivial", err=True)
        return
    save_certificate(bound.certificate, path)
