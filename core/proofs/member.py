"""The contract of a member of a proof's JSON object."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from samapprox.proofs.documents import Part

__all__ = ["Member", "Schema", "bound_length"]

Schema = dict[str, Any]


class Member(ABC):
    """A named member of a record.

    Members are plain classes: to make dataclasses of them would take a tenth of the time in which
    the command starts.

    Parameters
    ----------
    name : str
        The name of the member and of the record's attribute.

    Attributes
    ----------
    same_as : str or None
        Another member: where this one is left out of a document, it has that one's value.
    optional : bool
        Whether a document may leave it out; the value is None then.
    description : str or None
        A sentence for the schema.
    """

    same_as: str | None = None
    optional: bool = False
    description: str | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, part: Part) -> Any:
        """Read the member from a document, with the right JSON type."""
        return part.numbers(self.name)

    @abstractmethod
    def validate(self, value: Any) -> Any:
        """Validate a value and return it as the record keeps it.

        Raises
        ------
        InputError
            The value does not fit; the message names the member.
        """

    def write(self, value: Any) -> Any:
        """Convert a validated value to JSON."""
        return list(value)

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema."""


def bound_length(least: int, count: int | None = None) -> Schema:
    """Bound the length of a list in a schema."""
    if count is not None:
        return {"minItems": count, "maxItems": count}
    return {"minItems": least} if least else {}
