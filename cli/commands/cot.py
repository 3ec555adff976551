"""`samapprox cot`: chains of thought, with a sub-command in each module of `samapprox.cli.cot`."""

from __future__ import annotations

import click

from samapprox.cli.groups import SuggestingGroup
from samapprox.support.lookup import look_up

__all__ = ["COMMANDS", "cot"]

_HERE = "samapprox.cli.cot"

COMMANDS = {
    "bound": f"{_HERE}.bound:bound",
    "generate": f"{_HERE}.generate:generate",
    "replay": f"{_HERE}.replay:replay",
    "run": f"{_HERE}.run:run",
    "show": f"{_HERE}.show:show",
    "cost": f"{_HERE}.cost:cost_command",
    "locality": f"{_HERE}.locality:locality",
}
"""Sub-command -> module and function, imported when called."""


class _Commands(SuggestingGroup):
    """A group that imports the module of a sub-command only when it is called."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = look_up(name, COMMANDS, "command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands)
def cot() -> None:
    """Write, replay and analyse chains of thought of reasoning tasks.

    A chain of thought is the input of a task and its solution as one sequence of tokens. Each token
    is computed from earlier ones.
    """
