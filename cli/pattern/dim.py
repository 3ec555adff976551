"""`samapprox dim`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from samapprox import Interrupted, Problem, WeakDimension, weak_dimension
from samapprox.cli import options
from samapprox.cli.pattern.bounds import (
    Output,
    bounds_options,
    in_words,
    precision,
    require_dot_products,
    search_until_interrupted,
)
from samapprox.cli.terminal import echo, echo_answer, print_table, show_progress
from samapprox.cli.values import ParamType
from samapprox.errors import InputError, errors_within
from samapprox.instance import Grading
from samapprox.problem import require_one_question
from samapprox.similarities import find_comparison

if TYPE_CHECKING:
    from samapprox import ArithmeticDimension, MarginDimension
    from samapprox.proofs.base import Proof
    from samapprox.solvers.questions.hidden_dimensions import HiddenDimension


class MarginValue(ParamType[Fraction]):
    """A positive margin."""

    name = "margin"

    def convert(
        self, value: object, _param: click.Parameter | None, _ctx: click.Context | None
    ) -> Fraction:
        """Return the margin in millionths."""
        from samapprox.results.margin_dimension import read_margin  # only with --margin

        return read_margin(value if isinstance(value, Fraction) else str(value))


@click.command()
@options.pattern
@options.similarity
@options.causal
@options.strategies
@options.time_limit("Stop improving the bounds after this many seconds.")
@options.seed()
@bounds_options(
    yes="upper bound's certificate (with --arithmetic, the embedding's that was found; with "
    "--margin, that margin's)",
    no="lower bound's certificate (with --margin, that margin's)",
)
@click.option(
    "--d-hid",
    "hidden",
    is_flag=True,
    help="Also find the least d_hid for each d (square patterns); --time-limit then holds for each "
    "pair of d and d_hid.",
)
@options.embedding_format
@click.option(
    "--margin",
    type=MarginValue(),
    metavar="G",
    help="Also find the least d in which queries and keys of norm at most 1 keep every logit at a "
    "distance of at least G from its row's threshold.",
)
@options.saved_embedding()
@options.as_json
def dim(
    source: options.Source,
    similarity: str,
    time_limit: float,
    seed: int,
    hidden: bool,
    arithmetic: str | None,
    margin: Fraction | None,
    saved: options.SavedEmbedding,
    output: Output,
    **strategies: Any,
) -> None:
    """Find the least query/key dimension that represents PATTERN, with both certificates.

    The answer is exact if the bounds meet within the time limit, otherwise a proven interval.
    """
    formats: tuple[str, ...] = () if arithmetic is None else (arithmetic,)
    similarity, formats = options.choose_similarity(similarity, formats)
    arithmetic = formats[0] if formats else None
    output.keep_apart([source.path, saved.save_embedding])
    saved.require_place(formats)
    if hidden:
        require_one_question(1, similarity)
    require_dot_products(formats, similarity)
    if margin is not None:
        _require_margins_alone(similarity, arithmetic)
    instance = source.read()
    pattern, grading = instance.pattern, Grading.of_origin(instance.origin)
    if hidden:
        with errors_within(source.path):
            Problem(pattern, 1, 1)  # refuses rectangles before the search
    interrupt: Interrupted[Any] | None
    table = None
    rounded: ArithmeticDimension | None = None
    wide: MarginDimension | None = None
    share = 1.0 if arithmetic is None and margin is None else 0.5
    limits: dict[str, Any] = {"time_limit": share * time_limit, "seed": seed}
    found, interrupt = search_until_interrupted(
        weak_dimension, pattern, similarity=similarity, **strategies, **limits
    )
    if arithmetic is not None and interrupt is None:
        from samapprox import dimension_in_arithmetic

        rounded, interrupt = search_until_interrupted(
            dimension_in_arithmetic,
            pattern,
            arithmetic,
            text=f"searching for embeddings in {arithmetic}",
            shows_limit=False,
            weak=found,
            **limits,
        )
    if margin is not None and interrupt is None:
        from samapprox import dimension_for_margin

        wide, interrupt = search_until_interrupted(
            dimension_for_margin,
            pattern,
            margin,
            text="searching for a margin",
            shows_limit=False,
            **limits,
        )
    if hidden and interrupt is None:
        from samapprox import hidden_dimensions

        try:
            with show_progress("searching for the least d_hid of each d"):
                table = hidden_dimensions(pattern, time_limit=time_limit, seed=seed)
        except Interrupted as interrupted:
            interrupt, table = interrupted, interrupted.so_far
    output.write(
        lambda: _document(found, rounded or wide, table, **source.origin, grading=grading),
        lambda err: _print(found, rounded or wide, table, err=err),
        lambda: found.yes_certificate if (more := rounded or wide) is None else more.yes,
        lambda: found.no_certificate if wide is None else wide.no,
        interrupt=interrupt,
    )
    saved.write(pattern, _find_proof(found, rounded), similarity, arithmetic)


def _require_margins_alone(similarity: str, arithmetic: str | None) -> None:
    """Refuse margins beside other similarities or a number format."""
    if not find_comparison(similarity).is_attention:
        raise InputError(f"--margin is about dot products of real vectors, not about {similarity}")
    if arithmetic is not None:
        raise InputError("state --margin or --arithmetic, not both")


def _find_proof(found: WeakDimension, rounded: ArithmeticDimension | None) -> Proof | None:
    """Return the proof whose embedding is saved."""
    if rounded is not None:
        return rounded.yes.proof
    return None if found.yes is None else found.yes.proof


def _document(
    found: WeakDimension,
    more: ArithmeticDimension | MarginDimension | None,
    table: Sequence[HiddenDimension] | None,
    **origin: Any,
) -> dict[str, Any]:
    rows = None if table is None else [row.to_json() for row in table]
    document = found.to_json(hidden_dimensions=rows, **origin)
    return document if more is None else document | {more.MEMBER: more.to_json()}


def _print(
    found: WeakDimension,
    more: ArithmeticDimension | MarginDimension | None,
    table: Sequence[HiddenDimension] | None,
    *,
    err: bool,
) -> None:
    echo_answer("\n".join(_describe(found)), err=err)
    if more is not None:
        echo(str(more), err=err)
    if table is not None:
        print_table(("d", "least d_hid"), [_cells(row) for row in table], err=err)


def _describe(found: WeakDimension) -> list[str]:
    """Describe the bounds, their proofs, and the precision of the embedding."""
    room = None if found.yes is None else precision(found.pattern, found.yes.proof, ())
    return [*str(found).splitlines(), *(f"  {line}" for line in in_words(found.pattern, room))]


def _cells(row: HiddenDimension) -> tuple[str, str]:
    """Return d and the least d_hid as they are printed."""
    if row.upper is None:
        return str(row.d), f"at least {row.lower}, if any"
    return str(row.d), str(row.lower) if row.exact else f"{row.lower}..{row.upper}"
