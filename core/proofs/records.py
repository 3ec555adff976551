"""Records: JSON objects that declare their members once.

Reading, validation, writing and the JSON Schema of a record (a proof, or a part of one) follow from
this declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from samapprox.errors import InputError
from samapprox.proofs.members import Member, Part, Schema, schema_of_list


class Record:
    """A JSON object with declared members; the base of all proofs and of their parts.

    Subclasses are frozen dataclasses whose fields are the members. Their ``__init__`` calls `_fill`
    first. `TITLE` names the record in an error message, with its article. `MEMBERS` are in the
    order in which they are written.
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
        """Read the record; raise an InputError that names the member at fault."""
        part.refuse_others(cls._names())
        values = {
            member.name: member.read(part)
            for member in cls.MEMBERS
            if member.is_required or part.has(member.name)
        }
        for member in cls.MEMBERS:
            if not member.is_required:
                default = None if member.same_as is None else values[member.same_as]
                values.setdefault(member.name, default)
        return cls(**values)

    @classmethod
    def schema(cls) -> Schema:
        """Return the JSON Schema."""
        return schema_of_object(cls.MEMBERS)

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


def schema_of_object(members: Iterable[Member], **constants: str) -> Schema:
    """Return the JSON Schema of an object with these constants and members, and no others."""
    members = list(members)
    properties = {name: {"const": value} for name, value in constants.items()}
    for member in members:
        described = {} if member.description is None else {"description": member.description}
        properties[member.name] = described | member.schema()
    return {
        "type": "object",
        "properties": properties,
        "required": [*constants, *(member.name for member in members if member.is_required)],
        "additionalProperties": False,
    }


class OptionalRecord(Member):
    """A member that is a record of one class, or left out."""

    def __init__(self, name: str, record: type[Record], *, description: str) -> None:
        super().__init__(name, optional=True, description=description)
        self.record = record

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
    """A member that is a list of records of one class."""

    def __init__(self, name: str, record: type[Record], **facts: Any) -> None:
        super().__init__(name, **facts)
        self.record = record

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
        return schema_of_list(self.record.schema(), self.least)
