"""click's type of parameters, which type checkers and click from 8.4 on know as generic."""

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
            """The class itself."""
            return cls
