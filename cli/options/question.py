"""Options for the dimensions in question, and for the strategies that may answer."""

from __future__ import annotations

import click

from samapprox.cli.completion import complete_names
from samapprox.cli.options.checked import Checked, together
from samapprox.problem import require_dimension

__all__ = ["DIMENSION", "HIDDEN_DIMENSION", "dimension_options", "strategy_options"]

DIMENSION = Checked(click.INT, lambda d: require_dimension("d", d))
"""The type of options for a query/key dimension."""

HIDDEN_DIMENSION = Checked(click.INT, lambda d_hid: require_dimension("d_hid", d_hid))
"""The type of options for a hidden dimension."""


def _require_strategy(name: str) -> None:
    from samapprox.solvers.portfolio import choose

    choose([name])


def _strategies() -> list[str]:
    from samapprox.solvers.portfolio import STRATEGIES

    return [record.name for record in STRATEGIES]


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
