"""Lines of a CSV file as dataclasses of numbers and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Kind = TypeVar("Kind", bound="DataclassInstance")


def from_line(kind: type[Kind], line: Mapping[str, str]) -> Kind:
    """A dataclass of int, float or str from the line's members of these names."""
    types = get_type_hints(kind)
    return kind(**{field.name: types[field.name](line[field.name]) for field in fields(kind)})
