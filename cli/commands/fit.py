"""`samapprox fit`."""

from __future__ import annotations

from typing import cast

import click

from samapprox import (
    BestFit,
    FitCurve,
    FitCurveInterrupted,
    FitInterrupted,
    InputError,
    Interrupted,
    Pattern,
    fit_curve,
)
from samapprox import fit as find_best_fit
from samapprox.cli.certificates import save_certificate, words_to_stderr
from samapprox.cli.evaluations import CHOICES, show_evaluations
from samapprox.cli.options import (
    DIMENSION,
    Reading,
    bounds_options,
    causal_option,
    json_option,
    keep_apart,
    pattern_argument,
    read_pattern,
    seed_option,
    time_limit_option,
)
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity, show_words
from samapprox.cli.tables import print_table
from samapprox.cli.terminal import echo, echo_answer, fit_terminal
from samapprox.cli.written import PICTURE
from samapprox.problem import Similarity
from samapprox.proofs.questions.fit import Unit
from samapprox.support.percent import percent

__all__ = ["fit"]


@click.command()
@pattern_argument
@click.option("-d", "d", type=DIMENSION, help="Query/key dimension; 1 if it is not given.")
@click.option("--entries", is_flag=True, help="Count wrong entries instead of wrong rows.")
@click.option(
    "--curve",
    is_flag=True,
    help="Print a table for d = 1, 2, .. until nothing is wrong; all d share --time-limit.",
)
@click.option(
    "-o", "--output", type=PICTURE, help="Picture of the curve to write: a png, svg or pdf file."
)
@click.option(
    "--embeddings",
    metavar="Q,K",
    help="Evaluate these embeddings instead: files of queries and keys (npy, npz, safetensors or "
    "text), or one file of both.",
)
@click.option(
    "--similarity",
    type=click.Choice(CHOICES),
    help="Score of a query and a key; all only with --embeddings.  [default: dot]",
)
@causal_option
@time_limit_option("Stop improving the bounds after this many seconds.")
@seed_option()
@bounds_options()
@json_option
def fit(
    source: str,
    reading: Reading,
    d: int | None,
    entries: bool,
    curve: bool,
    output: str | None,
    embeddings: str | None,
    similarity: str | None,
    causal: bool,
    time_limit: float,
    seed: int,
    yes: str | None,
    no: str | None,
    as_json: bool,
) -> None:
    """Find the least number of rows of PATTERN that d dimensions get wrong, with certificates.

    A row is wrong if one of its entries is. The answer is exact if the bounds meet within the time
    limit, otherwise a proven interval.

    With --embeddings, count the rows that given queries and keys get right instead: those whose
    ones all score strictly higher than their zeros, in exact arithmetic of the given floats.
    """
    if embeddings is not None:
        if d is not None or entries or curve or output or yes or no:
            raise InputError(
                "--embeddings does not go with -d, --entries, --curve, --output, --yes and --no: "
                "the embeddings have a dimension, and their rows are counted"
            )
        files = embeddings.split(",")
        keep_apart([source, *files], [])
        pattern = read_pattern(source, reading, causal=causal)
        limits = (time_limit, seed)
        show_evaluations(pattern, source, files, similarity or "dot", limits, as_json=as_json)
        return
    if similarity == "all":
        raise InputError(
            "--similarity all needs --embeddings; without it, choose one of dot, cosine and l2"
        )
    chosen = cast(Similarity, similarity or "dot")
    if curve and (d is not None or yes is not None or no is not None):
        raise InputError("--curve covers every d, so -d, --yes and --no do not go with it")
    if output is not None and not curve:
        raise InputError("--output needs --curve")
    keep_apart([source], [yes, no, output])
    aside = words_to_stderr(yes, no, as_json=as_json)
    pattern = read_pattern(source, reading, causal=causal)
    unit: Unit = "entries" if entries else "rows"
    if curve:
        asked = unit, chosen
        _show_curve(pattern, asked, output, (source, causal), (time_limit, seed), as_json)
        return
    interrupt: Interrupted[BestFit] | None = None
    try:
        with show_words(time_limit) as progress:
            found = find_best_fit(
                pattern,
                1 if d is None else d,
                unit=unit,
                similarity=chosen,
                time_limit=time_limit,
                seed=seed,
                progress=progress,
            )
    except FitInterrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    try:
        if as_json:
            print_json(found.to_json(source=source, causal=causal))
        else:
            with fit_terminal(err=aside):
                echo_answer(str(found), err=aside)
    finally:  # the files are written even if the reader of a pipe closes it early
        if yes is not None:
            save_certificate(found.yes_certificate, yes)
        if no is not None and (certificate := found.no_certificate) is not None:
            save_certificate(certificate, no)
        elif no is not None:
            echo(f"samapprox: no certificate written to {no}: the bound is trivial", err=True)
    if interrupt is not None:
        raise interrupt


def _show_curve(
    pattern: Pattern,
    asked: tuple[Unit, Similarity],
    output: str | None,
    origin: tuple[str, bool],
    limits: tuple[float, int],
    as_json: bool,
) -> None:
    """Print the table of a curve, or its document, and draw it."""
    (unit, similarity), (source, causal) = asked, origin
    time_limit, seed = limits
    interrupt: Interrupted[FitCurve] | None = None
    try:
        with show_activity("searching for the best fit of each d") as progress:
            found = fit_curve(
                pattern,
                unit=unit,
                similarity=similarity,
                time_limit=time_limit,
                seed=seed,
                progress=progress,
            )
    except FitCurveInterrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    try:
        if as_json:
            print_json(found.to_json(source=source, causal=causal))
        else:
            header = ("d", f"wrong {unit}", "right", "at most")
            print_table(header, [_cells(one) for one in found.fits])
    finally:  # the files are written even if the reader of a pipe closes it early
        if output is not None:
            found.draw(output)
            echo(output, err=as_json)
    if interrupt is not None:
        raise interrupt


def _cells(found: BestFit) -> tuple[str, str, str, str]:
    """Return d, the bounds, and the shares of right items, as they are printed."""
    bounds = str(found.lower) if found.exact else f"{found.lower}..{found.upper}"
    return str(found.d), bounds, percent(found.share_right), found.most_right_in_words
