"""Values that shells complete: names, and files with the right endings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["PATTERN_ENDINGS", "Completion", "complete_any", "complete_files", "complete_names"]

Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
"""The `shell_complete` of arguments and options: the values that begin with a text."""

_PLAIN_PATTERNS = (".npz", ".npy", ".csv", ".txt", ".mtx", ".qrels", ".tsv", ".jsonl", ".ndjson")

PATTERN_ENDINGS = (*_PLAIN_PATTERNS, *(f"{ending}.gz" for ending in _PLAIN_PATTERNS))
"""The endings of files with patterns."""


def complete_names(names: Callable[[], Iterable[str]]) -> Completion:
    """Complete one of several names.

    Parameters
    ----------
    names : callable
        Returns the names; it is called only when a shell asks.

    Examples
    --------
    >>> complete = complete_names(lambda: ["line", "rank", "lp"])
    >>> [item.value for item in complete(None, None, "l")]
    ['line', 'lp']
    """

    def complete(_ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in names() if name.startswith(text)]

    return complete


def complete_files(endings: Collection[str] = ("",)) -> Completion:
    """Complete the name of a file that has one of several endings, or of a folder on the way.

    Parameters
    ----------
    endings : collection of str
        As in ".json"; by default every file counts.
    """

    def complete(_ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(path) for path in _files(text, tuple(endings))]

    return complete


def complete_any(*completions: Completion) -> Completion:
    """Complete the values of several kinds, in order."""

    def complete(ctx: click.Context, param: click.Parameter, text: str) -> list[CompletionItem]:
        return list(chain.from_iterable(one(ctx, param, text) for one in completions))

    return complete


def _files(text: str, endings: tuple[str, ...]) -> list[str]:
    """Return paths that begin with a text; a folder that is alone is replaced by its content.

    Shells end a word after the only value that there is, which no folder should be.
    """
    folder, slash, begin = text.rpartition("/")
    folder += slash
    paths = []
    try:
        with os.scandir(Path(folder).expanduser()) as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not begin.startswith(".")
                if hidden or not entry.name.startswith(begin):
                    continue
                if entry.is_dir():
                    paths.append(f"{folder}{entry.name}/")
                elif entry.name.lower().endswith(endings):
                    paths.append(f"{folder}{entry.name}")
    except (OSError, RuntimeError, ValueError):  # no such folder, user, or a null byte
        return []
    if len(paths) == 1 and paths[0].endswith("/"):
        return _files(paths[0], endings) or paths
    return sorted(paths)
