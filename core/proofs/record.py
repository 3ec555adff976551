"""Records: JSON objects with declared members, the base of all proofs and of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from samapprox.errors import InputError
from samapprox.proofs.documents import Part
from samapprox.proofs.member import Member, Schema, bound_length

__all__ = ["OptionalRecord", "Record", "Records"]


class Record:
    """A JSON object with declared members; the base of all proofs and of their parts.

    Subclasses are frozen dataclasses whose fields are the members, and call `_fill` first when they
    are made.

    Attributes
    ----------
    TITLE : str
        The record in an error message, with its article.
    MEMBERS : tuple of Member
        In the order in which they are written.
    """

    __slots__ = ()

    TITLE: ClassVar[str]
    MEMBERS: ClassVar[tuple[Member, ...]]

    def _fill(self, **values: Any) -> None:
        """Validate the members and set them; those that default to another one after it."""
        for member in sorted(self.MEMBERS, key=lambda member: member.same_as is not None):
            value = values[member.name]
            is_left_out = member.optional and value is None
            object.__setattr__(self, member.name, None if is_left_out else member.validate(value))

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return {
            member.name: member.write(getattr(self, member.name))
            for member in self.MEMBERS
            if not self._is_understood(member)
        }

    @classmethod
    def from_json(cls, part: Part) -> Self:
        """Read the record.

        Raises
        ------
        InputError
            A member that is missing, unknown or of a wrong type (named).
        """
        part.refuse_others(cls._names())
        values = {
            member.name: member.read(part)
            for member in cls.MEMBERS
            if _is_required(member) or part.has(member.name)
        }
        for member in cls.MEMBERS:
            if not _is_required(member):
                default = None if member.same_as is None else values[member.same_as]
                values.setdefault(member.name, default)
        return cls(**values)

    @classmethod
    def schema(cls) -> Schema:
        """Return the JSON Schema."""
        required = [member.name for member in cls.MEMBERS if _is_required(member)]
        return {
            "type": "object",
            "properties": {member.name: _described(member) for member in cls.MEMBERS},
            "required": required,
            "additionalProperties": False,
        }

    def _is_understood(self, member: Member) -> bool:
        """Return whether a member has the value that it has where a document leaves it out."""
        value = getattr(self, member.name)
        if member.same_as is not None:
            return bool(value == getattr(self, member.same_as))
        return member.optional and value is None

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        """All member names that a document may hold."""
        return tuple(member.name for member in cls.MEMBERS)


class OptionalRecord(Member):
    """A member that is a record of one class, or left out.

    Parameters
    ----------
    name : str
    record : subclass of Record
    description : str
    """

    optional = True

    def __init__(self, name: str, record: type[Record], *, description: str) -> None:
        super().__init__(name)
        self.record, self.description = record, description

    def read(self, part: Part) -> Record:
        return self.record.from_json(part.part(self.name))

    def validate(self, value: Record) -> Record:
        if not isinstance(value, self.record):
            raise InputError(f"{self.name} must be a {self.record.__name__}")
        return value

    def write(self, value: Record) -> Any:
        return value.to_json()

    def schema(self) -> Schema:
        return self.record.schema()


class Records(Member):
    """A member that is a list of records of one class.

    Parameters
    ----------
    name : str
    record : subclass of Record
    least : int
        The least number of entries in a document.
    """

    def __init__(
        self, name: str, record: type[Record], *, least: int = 0, description: str | None = None
    ) -> None:
        super().__init__(name)
        self.record, self.least, self.description = record, least, description

    def read(self, part: Part) -> list[Record]:
        return [self.record.from_json(value) for value in part.parts(self.name, self.record.TITLE)]

    def validate(self, value: Iterable[Record]) -> tuple[Record, ...]:
        records = tuple(value)
        if not all(isinstance(record, self.record) for record in records):
            raise InputError(f"{self.name} must be a list of {self.record.__name__}")
        return records

    def write(self, value: Sequence[Record]) -> Any:
        return [record.to_json() for record in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.record.schema()} | bound_length(self.least)


def _is_required(member: Member) -> bool:
    return member.same_as is None and not member.optional


def _described(member: Member) -> Schema:
    schema = member.schema()
    return schema if member.description is None else {"description": member.description} | schema
