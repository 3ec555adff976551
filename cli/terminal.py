"""The terminal that answers go to: its width, and answers in colour."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from samapprox.support.text_table import fit_tables

__all__ = [
    "ANSWER_COLORS",
    "echo",
    "echo_answer",
    "fit_terminal",
    "is_terminal",
    "make_visible",
    "paint",
    "paint_first",
    "terminal_width",
    "wants_color",
]

ANSWER_COLORS = {
    "YES": "green",
    "NO": "red",
    "UNKNOWN": "yellow",
    "VALID": "green",
    "NOT VALID": "red",
}
_ANSWER = re.compile(r"^( *)(NOT VALID|VALID|YES|NO|UNKNOWN)\b", re.MULTILINE)

_COLOR = re.compile(r"(\x1b\[(?:3[123]|0)m)")  # the codes of `paint`
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all but tabs and ends of lines
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"  # these turn the order of letters around
)


def is_terminal(*, err: bool = False) -> bool:
    """Return whether standard output, or standard error, is a terminal."""
    return (sys.stderr if err else sys.stdout).isatty()


def terminal_width(*, err: bool = False) -> int | None:
    """Return the columns of the terminal that text goes to; None where there is no terminal."""
    return shutil.get_terminal_size().columns if is_terminal(err=err) else None


@contextmanager
def fit_terminal(*, err: bool = False) -> Iterator[None]:
    """Lay out the tables of proofs for the width of the terminal; elsewhere as wide as they come.

    Parameters
    ----------
    err : bool
        Whether the text goes to standard error.
    """
    with fit_tables(terminal_width(err=err)):
        yield


def wants_color() -> bool | None:
    """Return whether the environment forbids or demands colour; None leaves it to the terminal.

    NO_COLOR forbids it; FORCE_COLOR and CLICOLOR_FORCE demand it, other than empty or 0.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def paint(answer: str) -> str:
    r"""Return an answer in its colour, for `echo_answer`; other words stay as they are.

    Examples
    --------
    >>> paint("YES"), paint("EXACT")
    ('\x1b[32mYES\x1b[0m', 'EXACT')
    """
    color = ANSWER_COLORS.get(answer)
    return answer if color is None else click.style(answer, fg=color)


def paint_first(text: str) -> str:
    """Return text, for `echo_answer`, with the answer that begins a line in its colour."""
    return _ANSWER.sub(lambda match: match[1] + paint(match[2]), text)


def make_visible(text: str) -> str:
    r"""Return text whose control characters are escaped as in Python's strings.

    Names of files, arrays and documents come from elsewhere: without this, the escape sequences in
    them could rewrite the screen, or the title of the window.

    Examples
    --------
    >>> make_visible("cat\x1b[2J\n") == r"cat\x1b[2J" + "\n"
    True
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def echo(text: str = "", *, err: bool = False) -> None:
    """Print text, with control characters escaped.

    Parameters
    ----------
    text : str
    err : bool
        Print to standard error.
    """
    click.echo(make_visible(text), err=err)


def echo_answer(text: str, *, err: bool = False) -> None:
    """Print text as `echo` does; on a terminal, an answer that begins a line is in colour.

    Parameters
    ----------
    text : str
        May hold words of `paint`, whose colour is left out where there is no terminal.
    err : bool
        Print to standard error.
    """
    parts = _COLOR.split(text)
    parts[::2] = map(make_visible, parts[::2])
    click.echo(paint_first("".join(parts)), err=err, color=wants_color())
