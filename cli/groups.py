"""Groups of commands that suggest the nearest name for a mistyped one."""

from __future__ import annotations

import click

from samapprox.support.nearest import nearest

__all__ = ["SuggestingGroup"]


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
