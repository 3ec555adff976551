"""Option values that the library checks, and several options as one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from samapprox.cli.param_type import ParamType
from samapprox.errors import InputError

__all__ = ["Checked", "Decorator", "take_one", "together"]

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]


class Checked(ParamType[Value]):
    """A type of options whose values the library checks; errors name the option.

    Parameters
    ----------
    kind : click.ParamType
        Converts the text.
    require : callable
        Raises InputError if the value is not valid.
    """

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

    Raises
    ------
    InputError
        Several values.

    Examples
    --------
    >>> option = click.Option(["--arithmetic"])
    >>> take_one(click.Context(click.Command("dim")), option, ("int8",))
    'int8'
    """
    if len(values) > 1:
        given = ", ".join(map(str, values))
        raise InputError(f"{param.opts[0]}: this command takes only one, but got {given}")
    return values[0] if values else None


def together(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Combine arguments and options in one decorator; the help keeps their order."""

    def decorate(command: Function) -> Function:
        for one in reversed(decorators):
            command = one(command)
        return command

    return decorate
