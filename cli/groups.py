"""Groups of commands that are loaded when they are called; mistyped names get suggestions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from samapprox.support.lookup import look_up, nearest

__all__ = ["SHARED_OPTIONS", "LazyGroup", "SectionedCommand"]

SHARED_OPTIONS = (
    "--format",
    "--key",
    "--relevant",
    "--unjudged",
    "--causal",
    "--time-limit",
    "--seed",
    "--json",
)
"""Options that most commands share, in their order in the help, where they come last."""


class LazyGroup(click.Group):
    """A group that makes or imports a sub-command when it is called, and suggests known names.

    `table`: the sub-commands; the value of each is for `make`, or is the place to import it from.
    """

    def __init__(
        self,
        *arguments: Any,
        table: Mapping[str, Any],
        make: Callable[[str], click.Command] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._table = table
        self._make = make or (lambda name: look_up(name, table, "command"))

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all sub-commands, in their order."""
        return list(self._table)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Make or import a sub-command; None if there is no such."""
        if name not in self._table:
            return None
        command = self._make(name)
        command.params.sort(key=_place_in_help)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the sub-command that the first argument names."""
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and name not in self._table:
            meant = nearest(name, self._table)
            hint = "" if meant is None else f" Did you mean {meant!r}?"
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


class SectionedCommand(click.Command):
    """A command with so many options that its help lists them under headings.

    `sections`: the names of the parameters below each heading.
    """

    def __init__(
        self, *arguments: Any, sections: Mapping[str, Sequence[str]], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section; the last one has those without a section."""
        left = {
            parameter.name: record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and (record := parameter.get_help_record(ctx)) is not None
        }
        for heading, names in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([left.pop(name) for name in names])
        with formatter.section("Other options"):
            formatter.write_dl(list(left.values()))


def _place_in_help(parameter: click.Parameter) -> int:
    """Return 0 for a command's own parameters, and the places of shared options after them."""
    shared = [SHARED_OPTIONS.index(name) for name in parameter.opts if name in SHARED_OPTIONS]
    return 1 + shared[0] if shared else 0
