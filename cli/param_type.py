"""The base class of parameter types, generic as type checkers and click 8.4 know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

__all__ = ["ParamType"]

if TYPE_CHECKING:
    from click import ParamType
else:

    class ParamType(click.ParamType):
        """`click.ParamType` that can be subscripted in every version of click."""

        def __class_getitem__(cls, _kind: object) -> type[ParamType]:
            """Return the class itself."""
            return cls
