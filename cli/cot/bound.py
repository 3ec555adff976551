"""`samapprox cot bound`: the least dimension of models that write all chains of a task."""

from __future__ import annotations

import click

from samapprox.attention.reasoning.capacity.bound import (
    TRIED,
    DimensionBound,
    bound_dimension,
    make_model,
)
from samapprox.attention.reasoning.capacity.models import MODELS, SparseModel
from samapprox.attention.reasoning.known_tasks import parse_task
from samapprox.cli.options import json_option
from samapprox.cli.options.tasks import complete_task
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity
from samapprox.cli.tables import print_table
from samapprox.cli.terminal import echo

__all__ = ["bound"]


@click.command(short_help="Bound the width of models that write every chain.")
@click.argument("task", shell_complete=complete_task)
@click.option("--size", type=int, required=True, help="Size of the inputs.")
@click.option(
    "--model",
    type=click.Choice(list(MODELS)),
    default="linear",
    show_default=True,
    help="Linear attention, or block-sparse attention.",
)
@click.option("--layers", type=int, default=3, show_default=True, help="Number of layers M.")
@click.option("--heads", type=int, default=4, show_default=True, help="Number of heads H.")
@click.option(
    "--bits", type=int, default=32, show_default=True, help="Bits of each number in the model."
)
@click.option(
    "--block",
    type=int,
    help="Tokens of a block of the sparse model; by default, the largest power of 2 that is at "
    "most the root of the length of the chain.",
)
@click.option(
    "--summaries",
    type=int,
    help="Tokens of each block that all later tokens of the sparse model attend to (1 by default).",
)
@click.option(
    "--dimension",
    "dimensions",
    type=int,
    multiple=True,
    help="Dimension to compare with the bound, a multiple of the number of heads; repeatable. By "
    "default, those of Yang et al. (2024).",
)
@json_option
def bound(
    task: str,
    size: int,
    model: str,
    layers: int,
    heads: int,
    bits: int,
    block: int | None,
    summaries: int | None,
    dimensions: tuple[int, ...],
    as_json: bool,
) -> None:
    """Bound the dimension D of models that generate every chain of TASK correctly.

    The tokens that a linear or block-sparse model generates depend on the input through few
    numbers. These must distinguish all inputs with different chains, so D cannot be too small. A D
    that is not excluded need not suffice.

    TASK may have parameters, such as edit-distance:replace=1. Those that only restrict random
    inputs, such as letters=4, do not change the bound: it is for all inputs that the task accepts.
    """
    known = parse_task(task)
    with show_activity("counting chains"):
        decoder = make_model(
            model,
            known,
            size,
            layers=layers,
            heads=heads,
            bits=bits,
            block=block,
            summaries=summaries,
        )
        found = bound_dimension(known, size, decoder)
    compared = dimensions or tuple(dimension for dimension in TRIED if dimension % heads == 0)
    document = found.to_json(compared)
    if as_json:
        print_json(document)
        return
    _print(found, document["tried"])


def _print(found: DimensionBound, tried: list[dict[str, int]]) -> None:
    """Print the bound, and the table of the dimensions that are compared with it."""
    count, model = found.count, found.model
    relation = "" if count.is_exact else "at least "
    echo(f"chains of {found.task.name}, size {found.size}: {relation}2^{count.round_bits(1)}")
    echo(f"counted: {count.reason}")
    seen = f", {model.visible} visible tokens" if isinstance(model, SparseModel) else ""
    echo(
        f"model: {model.name}, {model.layers} layers, {model.heads} heads, {model.bits} bits{seen}"
    )
    excluded = f"all smaller multiples of {model.heads}"
    nothing = "nothing: every D is a multiple of the number of heads"
    echo(f"least D: {found.dimension}")
    echo(f"excluded: {nothing if found.dimension == model.heads else excluded}")
    rows = [
        [
            str(row["dimension"]),
            str(row["numbers"]),
            str(row["bits"]),
            "yes" if row["excluded"] else "no",
        ]
        for row in tried
    ]
    if rows:
        print_table(["D", "numbers", "bits", "excluded"], rows)
