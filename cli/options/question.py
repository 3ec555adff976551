"""Options for the dimensions in question, and for the strategies that may answer."""

from __future__ import annotations

import click

from samapprox.cli.completion import complete_names
from samapprox.cli.options.checked import Checked, together
from samapprox.problem import SIMILARITIES, require_dimension
from samapprox.support.nearest import unknown_name

__all__ = [
    "DIMENSION",
    "HIDDEN_DIMENSION",
    "dimension_options",
    "similarity_option",
    "strategy_options",
]

DIMENSION = Checked(click.INT, lambda d: require_dimension("d", d))
"""The type of options for a query/key dimension."""

HIDDEN_DIMENSION = Checked(click.INT, lambda d_hid: require_dimension("d_hid", d_hid))
"""The type of options for a hidden dimension."""


def _require_strategy(name: str) -> None:
    if name not in (known := _strategies()):
        raise unknown_name("strategy", name, known)


def _strategies() -> list[str]:
    """Return the strategies for all similarities; the library knows which are for which."""
    from samapprox.solvers.engine.portfolio import strategies_for

    records = (record for similarity in SIMILARITIES for record in strategies_for(similarity))
    return list(dict.fromkeys(record.name for record in records))


_STRATEGY = Checked(click.STRING, _require_strategy)

strategy_options = together(
    click.option(
        "--only",
        "--method",
        multiple=True,
        type=_STRATEGY,
        shell_complete=complete_names(_strategies),
        help="Use only this strategy (may be repeated).",
    ),
    click.option(
        "--without",
        multiple=True,
        type=_STRATEGY,
        shell_complete=complete_names(_strategies),
        help="Leave this strategy out (may be repeated).",
    ),
)
"""``--only`` and ``--without``: parameters `only` and `without`."""

dimension_options = together(
    click.option(
        "-d",
        "d",
        type=DIMENSION,
        default=1,
        show_default=True,
        help="Query/key dimension.",
    ),
    click.option(
        "--d-hid",
        type=HIDDEN_DIMENSION,
        help="Hidden dimension of X: queries X W_Q and keys X W_K share X (matters below 2d).",
    ),
)
"""``-d`` and ``--d-hid``: parameters `d` and `d_hid`."""

similarity_option = click.option(
    "--similarity",
    type=click.Choice(SIMILARITIES),
    default="dot",
    show_default=True,
    help="How queries and keys are compared: dot products, dot products with keys on a sphere "
    "(cosine), or Euclidean distance (l2).",
)
"""``--similarity``: parameter `similarity`."""
