"""Options for attention weights: how to read them, and which rules make patterns of them."""

from __future__ import annotations

from typing import Any

import click

from samapprox.attention.weights.binarization import TIES
from samapprox.attention.weights.layouts import parse_axes
from samapprox.attention.weights.rows import RowCount
from samapprox.attention.weights.rules import list_rules
from samapprox.cli.terminal import echo
from samapprox.cli.values import gather, together
from samapprox.errors import InputError

rule_options = together(
    click.option("--top-k", type=int, multiple=True, help="Keep the K heaviest keys of each row."),
    click.option(
        "--threshold", type=float, multiple=True, help="Keep keys of at least this probability."
    ),
    click.option("--uniform", is_flag=True, help="Keep keys with at least 1/n (causal: 1/(i+1))."),
    click.option(
        "--mass",
        type=float,
        multiple=True,
        help="Keep the fewest heaviest keys that sum to at least this.",
    ),
    gather("rules", list_rules),
)
"""``--top-k``, ``--threshold``, ``--uniform`` and ``--mass``: parameter `rules`, a list of Rule."""


def _parse_positions(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.split(","))) if text.strip() else ()
    except ValueError:
        raise InputError(f"--select takes whole numbers as in 0,8, not {text!r}") from None


def _read_as(logits: bool, key: str | None, select: str, axes: str | None) -> dict[str, Any]:
    return {
        "logits": logits,
        "key": key,
        "select": _parse_positions(select),
        "axes": None if axes is None else parse_axes(axes),
    }


weights_options = together(
    click.option("--logits", is_flag=True, help="The numbers are logits, not probabilities."),
    click.option("--key", help="Read only tensors whose names match this, such as '*attn*'."),
    click.option("--select", default="", help="Read only this LAYER, or LAYER,HEAD."),
    click.option("--axes", help="Names of the leading axes, such as text,layer,head."),
    gather("reading", _read_as),
)
"""Options for reading weights: parameter `reading`, keyword arguments of `binarize_set`."""

ties_option = click.option(
    "--ties", type=click.Choice(TIES), help="Which tied keys to keep.  [default: all]"
)
"""``--ties``: parameter `ties`."""

recognised_causal_option = click.option(
    "--causal/--no-causal",
    default=None,
    help="Whether later positions become *.  [default: if no weight lies there]",
)
"""``--causal`` and ``--no-causal``: parameter `causal`, None where neither is named."""


head_size_option = click.option(
    "--head-size",
    type=click.IntRange(1),
    help="The dimension that the model gives its heads, to show beside what they need.",
)
"""``--head-size``: parameter `head_size`."""


def echo_rows(rows: RowCount, ties: str | None = None) -> None:
    """Print to standard error what was masked, tied or skipped; nothing where nothing was."""
    for line in rows.lines(ties):
        echo(f"samapprox: note: {line}", err=True)
