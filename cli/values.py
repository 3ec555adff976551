"""Values of options: types whose values the library checks, and what shells complete."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from samapprox.errors import InputError
from samapprox.formats import FORMATS

if TYPE_CHECKING:
    from click import ParamType as ParamType  # for other modules, too
    from click.shell_completion import CompletionItem
else:

    class ParamType(click.ParamType):
        """`click.ParamType` that can be subscripted in every version of click."""

        def __class_getitem__(cls, _kind: object) -> type[ParamType]:
            """Return the class itself."""
            return cls


Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]


class Checked(ParamType[Value]):
    """A type of options whose values the library checks; errors name the option."""

    def __init__(self, kind: click.ParamType[Value], require: Callable[[Value], object]) -> None:
        self.name = kind.name
        self._kind = kind
        self._require = require

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Value:
        """Convert the text, and check the value."""
        converted = self._kind.convert(value, param, ctx)
        try:
            self._require(converted)
        except InputError as error:
            raise error if param is None else error.within(param.opts[0]) from None
        return converted


def take_one(
    _ctx: click.Context, param: click.Parameter, values: tuple[Value, ...]
) -> Value | None:
    """Return the value of an option that other commands repeat, as a callback of click.

    The option has `multiple` set, so that a second value is refused and does not replace the first.

    >>> option = click.Option(["--arithmetic"])
    >>> take_one(click.Context(click.Command("dim")), option, ("int8",))
    'int8'
    """
    if len(values) > 1:
        given = ", ".join(map(str, values))
        raise InputError(f"{param.opts[0]}: this command takes only one, but got {given}")
    return values[0] if values else None


def gather(name: str, make: Callable[..., Any]) -> Decorator[Any]:
    """Pass parameters of a command as one, the value that a function of these names returns."""
    parameters = list(inspect.signature(make).parameters)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def gathered(*args: Any, **given: Any) -> Any:
            own = {one: given.pop(one) for one in parameters if one in given}
            return command(*args, **{name: make(**own)}, **given)

        return gathered

    return decorate


def together(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Combine arguments and options in one decorator; the help keeps their order."""

    def decorate(command: Function) -> Function:
        for one in reversed(decorators):
            command = one(command)
        return command

    return decorate


Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
"""The `shell_complete` of arguments and options: the values that begin with a text."""

# Files named .txt and .tsv have several formats, which their first lines tell apart.
_PLAIN_ENDINGS = (*(ending for known in FORMATS for ending in known.extensions), ".txt", ".tsv")

PATTERN_ENDINGS = (*_PLAIN_ENDINGS, *(f"{ending}.gz" for ending in _PLAIN_ENDINGS))
"""The endings of files with patterns."""


def complete_names(names: Callable[[], Iterable[str]]) -> Completion:
    """Complete one of several names.

    >>> complete = complete_names(lambda: ["line", "rank", "lp"])
    >>> [item.value for item in complete(None, None, "l")]
    ['line', 'lp']
    """

    def complete(_ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in names() if name.startswith(text)]

    return complete


def complete_files(endings: Collection[str] = ("",)) -> Completion:
    """Complete the name of a file that has one of several endings, or of a folder on the way."""

    def complete(_ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(path) for path in _list_files(text, tuple(endings))]

    return complete


def complete_any(*completions: Completion) -> Completion:
    """Complete the values of several kinds, in order."""

    def complete(ctx: click.Context, param: click.Parameter, text: str) -> list[CompletionItem]:
        return list(chain.from_iterable(one(ctx, param, text) for one in completions))

    return complete


def _list_files(text: str, endings: tuple[str, ...]) -> list[str]:
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
        return _list_files(paths[0], endings) or paths
    return sorted(paths)
