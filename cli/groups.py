"""Groups of commands: suggestions for mistyped names, and sub-commands loaded when called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from samapprox.support.lookup import look_up, nearest

__all__ = ["LazyGroup", "SuggestingGroup"]


class SuggestingGroup(click.Group):
    """A group that suggests the nearest sub-command for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the sub-command that the first argument names."""
        name = args[0]
        is_option = name.startswith("-")
        if not is_option and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            meant = nearest(name, self.list_commands(ctx))
            hint = "" if meant is None else f" Did you mean {meant!r}?"
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


class LazyGroup(SuggestingGroup):
    """A group that imports the module of a sub-command only when it is called."""

    def __init__(self, *arguments: Any, places: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.places = places

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all sub-commands, in their order."""
        return list(self.places)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Import and return a sub-command; None if there is no such."""
        if name not in self.places:
            return None
        command = look_up(name, self.places, "command")
        assert isinstance(command, click.Command)
        return command
