"""`samapprox cot`: chains of thought, with a sub-command in each module of `samapprox.cli.cot`."""

from __future__ import annotations

import click

from samapprox.cli.main import LazyGroup

_HERE = "samapprox.cli.cot"

COMMANDS = {
    "generate": f"{_HERE}.chains:generate",
    "show": f"{_HERE}.chains:show",
    "replay": f"{_HERE}.chains:replay",
    "locality": f"{_HERE}.locality:locality",
    "bound": f"{_HERE}.capacity:bound",
    "cost": f"{_HERE}.capacity:cost_command",
    "run": f"{_HERE}.run:run",
}
"""Sub-command -> module and function, imported when called."""


@click.group(cls=LazyGroup, table=COMMANDS)
def cot() -> None:
    """Write, replay and analyse chains of thought of reasoning tasks.

    A chain of thought is the input of a task and its solution as one sequence of tokens. Each token
    is computed from earlier ones.
    """
