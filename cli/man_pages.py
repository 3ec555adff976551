r"""Manual pages of `samapprox` and its sub-commands, written from their help.

``python -m samapprox.cli.man_pages FOLDER`` writes all of them to a folder such as
``~/.local/share/man/man1``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from samapprox.cli.main import cli
from samapprox.errors import InputError, file_errors
from samapprox.support.text import plural
from samapprox.version import __version__

_EXIT_STATUS = (
    ("0", "The question is answered; UNKNOWN is an answer, too."),
    ("1", "A certificate is not valid, or a batch has a failure."),
    ("2", "Bad usage or bad input."),
    ("3", "An internal error."),
    ("10, 20, 30", "With --exit-code: YES, NO, UNKNOWN."),
    (
        "129, 130, 143",
        "Interrupted by SIGHUP, which a closed terminal sends, by Ctrl-C, or by SIGTERM, which "
        "timeout(1) sends.",
    ),
)

_ENVIRONMENT = (
    ("NO_COLOR", "If not empty: print answers without colour."),
    (
        "FORCE_COLOR, CLICOLOR_FORCE",
        "If neither empty nor 0: print answers in colour, also to pipes.",
    ),
    ("GITHUB_STEP_SUMMARY", "The file to which batch appends a summary by default."),
    ("SAMAPPROX_TRACEBACK", "If not empty: show where an internal error occurred."),
)


def man_pages() -> Iterator[tuple[str, str]]:
    """Generate the manual pages in section 1."""
    return _pages(click.Context(cli, info_name="samapprox", **cli.context_settings), None)


def _write_man_pages(folder: Path) -> int:
    """Write all manual pages to a folder, created if it is missing; return their number."""
    count = 0
    for name, text in man_pages():
        target = folder / name
        with file_errors(target):
            folder.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        count += 1
    return count


def _pages(ctx: click.Context, above: str | None) -> Iterator[tuple[str, str]]:
    """Generate the page of a command, then those of its sub-commands."""
    name = ctx.command_path.replace(" ", "-")
    inner = [click.Context(command, parent=ctx, info_name=one) for one, command in _commands(ctx)]
    yield f"{name}.1", _page(name, ctx, inner, above)
    for one in inner:
        yield from _pages(one, name)


def _commands(ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    group = ctx.command
    if isinstance(group, click.Group):
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            assert command is not None
            yield name, command


def _page(name: str, ctx: click.Context, inner: list[click.Context], above: str | None) -> str:
    """Write the page of one command."""
    command = ctx.command
    usage = " ".join(command.collect_usage_pieces(ctx))
    title = name.upper().replace("-", r"\-")
    lines = [
        f'.TH "{title}" 1 "" "samapprox {__version__}" "User Commands"',
        ".SH NAME",
        f"{_escape(name)} \\- {_escape(_summary(command))}",
        ".SH SYNOPSIS",
        f"\\fB{_escape(ctx.command_path)}\\fR {_escape(usage)}",
        ".SH DESCRIPTION",
    ]
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        lines += [".PP", _escape(" ".join(paragraph.split()))]
    options = [
        record
        for param in command.get_params(ctx)
        if isinstance(param, click.Option) and (record := param.get_help_record(ctx))
    ]
    sections = [
        ("OPTIONS", [(_mark_options(names), text) for names, text in options]),
        ("COMMANDS", [(_bold(one.info_name or ""), _summary(one.command)) for one in inner]),
    ]
    if above is None:
        sections += [
            ("EXIT STATUS", [(_bold(status), text) for status, text in _EXIT_STATUS]),
            ("ENVIRONMENT", [(_bold(variable), text) for variable, text in _ENVIRONMENT]),
        ]
    for section, entries in sections:
        lines += [f".SH {section}"] * bool(entries)
        for term, text in entries:
            lines += [".TP", term, _escape(" ".join(text.split()))]
    others = [] if above is None else [above]
    others += [one.command_path.replace(" ", "-") for one in inner]
    if others:
        references = ", ".join(f"{_bold(other)}(1)" for other in others)
        lines += [".SH SEE ALSO", references]
    return "\n".join(lines) + "\n"


def _summary(command: click.Command) -> str:
    """Return the first sentence of the help, without its full stop."""
    first = (command.help or "").strip().split("\n\n")[0]
    return " ".join(first.split()).partition(". ")[0].removesuffix(".")


def _mark_options(names: str) -> str:
    """Mark the names of an option bold and its value italic."""
    words = re.split(r"([ ,/]+)", names)
    marked = (
        _bold(word) if word.startswith("-") else f"\\fI{_escape(word)}\\fR" for word in words[::2]
    )
    separators = [*words[1::2], ""]
    return "".join(word + gap for word, gap in zip(marked, separators, strict=True))


def _bold(text: str) -> str:
    return f"\\fB{_escape(text)}\\fR"


def _escape(text: str) -> str:
    """Escape what roff would read as markup."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        click.echo("usage: python -m samapprox.cli.man_pages FOLDER", err=True)
        return 2
    try:
        count = _write_man_pages(Path(arguments[0]).expanduser())
    except InputError as error:
        click.echo(f"samapprox: error: {error}", err=True)
        return 2
    click.echo(f"{arguments[0]}: {plural(count, 'page')}")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
