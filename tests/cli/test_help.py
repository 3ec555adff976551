"""The help of every command: a summary, and a sentence for each option."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from samapprox.cli.main import COMMANDS, SHARED_OPTIONS, cli


def walk(ctx: click.Context) -> Iterator[click.Context]:
    yield ctx
    if isinstance(ctx.command, click.Group):
        for name in ctx.command.list_commands(ctx):
            command = ctx.command.get_command(ctx, name)
            assert command is not None
            yield from walk(click.Context(command, parent=ctx, info_name=name))


# click keeps the option --help that the first context makes: it must be the one of the command.
ROOT = click.Context(cli, info_name="samapprox", **cli.context_settings)
PATHS = {ctx.command_path: ctx.command for ctx in walk(ROOT)}


@pytest.mark.parametrize("path", PATHS)
def test_every_option_has_a_sentence(path: str) -> None:
    command = PATHS[path]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts
            sentence = parameter.help.partition("  [")[0]
            assert sentence.endswith("."), sentence


@pytest.mark.parametrize("summary", COMMANDS.values())
def test_summaries_are_one_line(summary: str) -> None:
    assert summary[0].isupper()
    assert summary.endswith(".")
    assert len(summary) <= 80


@pytest.mark.parametrize("group", ["graph", "cot"])
def test_sub_commands_are_described_on_one_line_each(group: str) -> None:
    text = CliRunner().invoke(cli, [group, "--help"], terminal_width=80).output
    listed = text.partition("Commands:\n")[2].splitlines()
    assert listed
    assert all(line.endswith(".") and not line.endswith("...") for line in listed), text


@pytest.mark.parametrize("path", PATHS)
def test_shared_options_come_last_and_in_one_order(path: str) -> None:
    options = [one for one in PATHS[path].params if isinstance(one, click.Option)]
    shared = [next((name for name in one.opts if name in SHARED_OPTIONS), None) for one in options]
    expected = [name for name in SHARED_OPTIONS if name in shared]
    assert shared == [None] * (len(shared) - len(expected)) + expected
