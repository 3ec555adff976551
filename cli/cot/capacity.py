"""`samapprox cot bound` and `cost`: sizes and costs of models that write chains of thought."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from samapprox import InputError
from samapprox.attention.reasoning.capacity.bound import (
    MODELS,
    TRIED,
    DimensionBound,
    SparseModel,
    bound_dimension,
    make_model,
)
from samapprox.attention.reasoning.capacity.costs import (
    CLAIMS,
    LENGTHS,
    MEASURED,
    Architecture,
    Cost,
    cost,
    default_block,
)
from samapprox.attention.reasoning.known_tasks import parse_task
from samapprox.cli import options
from samapprox.cli.options.tasks import complete_task
from samapprox.cli.terminal import echo, print_json, print_table, show_progress
from samapprox.schemas.chains import COT_COST


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
@options.as_json
def bound(
    task: str,
    size: int,
    model: str,
    dimensions: tuple[int, ...],
    as_json: bool,
    **shape: Any,
) -> None:
    """Bound the dimension D of models that generate every chain of TASK correctly.

    The tokens that a linear or block-sparse model generates depend on the input through few
    numbers. These must distinguish all inputs with different chains, so D cannot be too small. A D
    that is not excluded need not suffice.

    TASK may have parameters, such as edit-distance:replace=1. Those that only restrict random
    inputs, such as letters=4, do not change the bound: it is for all inputs that the task accepts.
    """
    known = parse_task(task)
    with show_progress("counting chains"):
        decoder = make_model(model, known, size, **shape)
        found = bound_dimension(known, size, decoder)
    compared = dimensions or tuple(d for d in TRIED if d % decoder.heads == 0)
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
    columns = ("dimension", "numbers", "bits")
    rows = [
        [*(str(row[name]) for name in columns), "yes" if row["excluded"] else "no"] for row in tried
    ]
    if rows:
        print_table(["D", "numbers", "bits", "excluded"], rows)


_GIVEN = {ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT}


@click.command(name="cost", short_help="Count the operations of three architectures.")
@click.option("--tokens", type=int, help="Length L of the sequence.")
@click.option("--width", type=int, help="Hidden dimension D, a multiple of the heads.")
@click.option("--layers", type=int, default=3, show_default=True, help="Number of layers.")
@click.option("--heads", type=int, default=4, show_default=True, help="Heads in each layer.")
@click.option(
    "--hidden", type=int, help="Hidden dimension of the feed-forward layers, 4 D by default."
)
@click.option(
    "--block", type=int, help="Block size of the sparse model, 2^floor(log2 sqrt(L)) by default."
)
@click.option(
    "--table",
    type=click.Choice(["1", "2"]),
    help="Print this table of Yang et al. (2024) beside counts, instead of a count.",
)
@options.as_json
def cost_command(
    tokens: int | None,
    width: int | None,
    layers: int,
    heads: int,
    hidden: int | None,
    block: int | None,
    table: str | None,
    as_json: bool,
) -> None:
    """Count the operations of standard, sparse and linear transformers on one sequence.

    The counts follow from the shapes and are exact. Functions are evaluations of exp, of the
    feature map and of the activation; FLOPs are two for each multiplication.

    --table 1 fits the growth of the cost with the length, and --table 2 explains the published
    GFLOPs.
    """
    if table is not None:
        context = click.get_current_context()
        given = [name for name in context.params if context.get_parameter_source(name) in _GIVEN]
        if set(given) - {"table", "as_json"}:
            raise InputError("give either --table, or --tokens and --width with their options")
        if as_json:
            rows = [row.to_json() for row in (CLAIMS if table == "1" else MEASURED)]
            print_json(COT_COST.write(table=int(table), rows=rows))
        elif table == "1":
            _print_claims()
        else:
            _print_measured()
        return
    if tokens is None or width is None:
        raise InputError("give --tokens and --width, or --table")
    counts = {}
    for one in Architecture:
        sparse = one is Architecture.SPARSE
        blocks = (block, 1, 1) if sparse and block is not None else None
        counts[one] = cost(
            one, tokens, width, layers=layers, heads=heads, hidden=hidden, block=blocks
        )
    if not as_json:
        _print_counts(counts)
        return
    shape = {
        "tokens": tokens,
        "width": width,
        "layers": layers,
        "heads": heads,
        "hidden": 4 * width if hidden is None else hidden,
        "block": default_block(tokens) if block is None else block,
    }
    rows = [{"architecture": one.value, **shape, **each.to_json()} for one, each in counts.items()]
    print_json(COT_COST.write(table=None, rows=rows))


def _print_counts(counts: dict[Architecture, Cost]) -> None:
    operations = ["multiplications", "additions", "divisions", "functions"]
    rows = [
        [
            one.value,
            *(f"{getattr(each.all, name):,}" for name in operations),
            f"{each.all.flops / 1e9:.3f}",
            f"{100 * each.attention.flops / each.all.flops:.1f} %",
        ]
        for one, each in counts.items()
    ]
    print_table(["architecture", *operations, "GFLOPs", "of them attention"], rows)


def _print_claims() -> None:
    """Print Table 1."""
    rows = [
        {
            "architecture": claim.architecture.value,
            "tasks": claim.tasks,
            "claim": f"L^{claim.exponent:g}",
            "D": str(claim.width),
            "block": "" if claim.block is None else str(claim.block),
            "fitted": f"{claim.fitted:.3f}",
            "least D": "" if claim.least is None else str(claim.least),
            "fitted, times log L": ""
            if claim.fitted_least is None
            else f"{claim.fitted_least:.3f}",
        }
        for claim in CLAIMS
    ]
    least, greatest = (length.bit_length() - 1 for length in (LENGTHS[0], LENGTHS[-1]))
    title = f"Yang et al. (2024), Table 1: exponents on L = 2^{least}..2^{greatest}"
    print_table(list(rows[0]), [list(row.values()) for row in rows], title=title)


def _print_measured() -> None:
    """Print Table 2."""
    cells = [
        [
            cell.architecture.value,
            str(cell.length),
            f"{cell.gflops:.3f}",
            str(cell.width),
            *(
                text
                for count in (cell.linear_maps, cell.with_attention)
                for text in (f"{count:.3f}", f"{100 * (cell.gflops / count - 1):.1f} %")
            ),
        ]
        for cell in MEASURED
    ]
    counts = ("72 L D^2", "difference", "with attention", "difference")
    title = "Yang et al. (2024), Table 2: least GFLOPs on Arithmetic"
    print_table(["architecture", "L", "GFLOPs", "D", *counts], cells, title=title)
