"""`samapprox dim`."""

from __future__ import annotations

import click

from samapprox import (
    ArithmeticDimension,
    InputError,
    Interrupted,
    Problem,
    Verdict,
    WeakDimension,
    dimension_in_arithmetic,
    hidden_dimensions,
    weak_dimension,
)
from samapprox.cli.files import save_certificate, words_to_stderr
from samapprox.cli.options import (
    Reading,
    bounds_options,
    causal_option,
    embedding_format_option,
    json_option,
    keep_apart,
    pattern_argument,
    read_instance,
    seed_option,
    similarity_option,
    strategy_options,
    time_limit_option,
)
from samapprox.cli.precision import in_words, precision, require_dot_products
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, print_table
from samapprox.grading import Grading
from samapprox.problem import require_one_question
from samapprox.solvers.questions.hidden_dimensions import HiddenDimension

__all__ = ["dim"]


@click.command()
@pattern_argument
@similarity_option
@causal_option
@strategy_options
@time_limit_option("Stop improving the bounds after this many seconds.")
@seed_option()
@bounds_options(yes="upper bound's certificate (with --arithmetic, the embedding's that was found)")
@click.option(
    "--d-hid",
    "hidden",
    is_flag=True,
    help="Also find the least d_hid for each d (square patterns); --time-limit then holds for each "
    "pair of d and d_hid.",
)
@embedding_format_option
@json_option
def dim(
    source: str,
    reading: Reading,
    similarity: str,
    causal: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    time_limit: float,
    seed: int,
    yes: str | None,
    no: str | None,
    hidden: bool,
    arithmetic: str | None,
    as_json: bool,
) -> None:
    """Find the least query/key dimension that represents PATTERN, with both certificates.

    The answer is exact if the bounds meet within the time limit, otherwise a proven interval.
    """
    keep_apart([source], [yes, no])
    if hidden:
        require_one_question(1, similarity)
    require_dot_products(() if arithmetic is None else (arithmetic,), similarity)
    aside = words_to_stderr(yes, no, as_json=as_json)
    instance = read_instance(source, reading, causal)
    pattern, grading = instance.pattern, Grading.of_origin(instance.origin)
    interrupt: Interrupted[object] | None = None
    table = None
    rounded: ArithmeticDimension | None = None
    share = 1.0 if arithmetic is None else 0.5
    try:
        if hidden:
            Problem(pattern, 1, 1)  # refuses rectangles before the search
    except InputError as error:
        raise error.within(source) from None
    try:
        with show_progress(time_limit=share * time_limit) as progress:
            found = weak_dimension(
                pattern,
                similarity=similarity,
                time_limit=share * time_limit,
                seed=seed,
                only=only,
                without=without,
                progress=progress,
            )
    except Interrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    if arithmetic is not None and interrupt is None:
        try:
            with show_progress(f"searching for embeddings in {arithmetic}") as show:
                rounded = dimension_in_arithmetic(
                    pattern,
                    arithmetic,
                    weak=found,
                    time_limit=share * time_limit,
                    seed=seed,
                    progress=show,
                )
        except Interrupted as interrupted:
            interrupt, rounded = interrupted, interrupted.so_far
    if hidden and interrupt is None:
        try:
            with show_progress("searching for the least d_hid of each d"):
                table = hidden_dimensions(pattern, time_limit=time_limit, seed=seed)
        except Interrupted as interrupted:
            interrupt, table = interrupted, interrupted.so_far
    try:
        if as_json:
            rows = None if table is None else [row.to_json() for row in table]
            document = found.to_json(
                source=source, causal=causal, grading=grading, hidden_dimensions=rows
            )
            more = {} if rounded is None else {"arithmetic": rounded.to_json()}
            print_json(document | more)
        else:
            with fit_terminal(err=aside):
                echo_answer("\n".join(_describe(found)), err=aside)
                if rounded is not None:
                    echo(str(rounded), err=aside)
            if table is not None:
                print_table(("d", "least d_hid"), [_cells(row) for row in table], err=aside)
    finally:  # the files are written even if the reader of a pipe closes it early
        if rounded is not None and yes is not None:
            save_certificate(rounded.yes, yes)
            yes = None
        for verdict, path in ((found.yes, yes), (found.no, no)):
            if path is not None:
                _save(verdict, path)
    if interrupt is not None:
        raise interrupt


def _save(verdict: Verdict | None, path: str) -> None:
    if verdict is None or verdict.certificate is None:
        echo(f"samapprox: no certificate written to {path}: the bound is trivial", err=True)
        return
    save_certificate(verdict.certificate, path)


def _describe(found: WeakDimension) -> list[str]:
    """Describe the bounds, their proofs, and the precision of the embedding."""
    room = None if found.yes is None else precision(found.pattern, found.yes.proof, ())
    return [*str(found).splitlines(), *(f"  {line}" for line in in_words(found.pattern, room))]


def _cells(row: HiddenDimension) -> tuple[str, str]:
    """Return d and the least d_hid as they are printed."""
    if row.upper is None:
        return str(row.d), f"at least {row.lower}, if any"
    return str(row.d), str(row.lower) if row.exact else f"{row.lower}..{row.upper}"
