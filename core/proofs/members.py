"""JSON objects with checked members: reading, validation, writing and schema of each kind."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from samapprox.errors import InputError, abridge, require_items, require_whole

LARGEST = 1 << 40
"""Shapes and dimensions beyond this are nonsense; entries of proofs may be of any size."""

_DEEPEST = 2
"""Lists in lists: rows of a matrix, or literals of a clause."""

_DEEPEST_PROOF = 8
"""Proofs in proofs: honest ones have four at most."""


class Part:
    """A JSON object whose members are read by name and type.

    `name`: the object in an error message. `depth`: in how many proofs it lies.
    """

    def __init__(self, value: object, name: str, depth: int = 0) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{name} must be a JSON object")
        self._value = value
        self._name = name
        self._depth = depth

    def part(self, key: str) -> Part:
        """Return a member that is an object itself."""
        return Part(self._member(key), f"{key!r}", self._depth)

    def parts(self, key: str, name: str) -> list[Part]:
        """Return a member that is a list of objects, each of which messages call by the name."""
        return [Part(value, name, self._depth) for value in self.get(key, list)]

    def proof(self, key: str) -> Part:
        """Return a member that is a proof, one deeper than this object. Too many are refused."""
        if self._depth == _DEEPEST_PROOF:
            raise InputError(f"more than {_DEEPEST_PROOF} proofs lie in one another")
        return Part(self._member(key), f"{key!r}", self._depth + 1)

    def flag(self, key: str) -> bool:
        """Return a member that is true or false."""
        value = self._member(key)
        if not isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} must be true or false")
        return value

    def is_flag(self, key: str) -> bool:
        """Return whether a member is true or false."""
        return isinstance(self._member(key), bool)

    def numbers(self, key: str) -> list[Any]:
        """Return a member that is a list of numbers, or of lists of numbers.

        Text is refused at once: as an array it takes as much room for each entry as the longest
        one needs.
        """
        values: list[Any] = self.get(key, list)
        for value in values:
            for number in value if isinstance(value, list) else (value,):
                if not isinstance(number, int | float):
                    raise InputError(f"{key!r} in {self._name} holds other things than numbers")
        return values

    def get(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """Return a member of a type; never true or false, nor a list that holds them."""
        value = self._member(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} has the wrong type")
        if isinstance(value, int) and abs(value) > LARGEST:
            raise InputError(f"{key!r} in {self._name} is beyond {LARGEST}")
        if isinstance(value, list):
            self._refuse_truth(key, value, _DEEPEST)
        return value

    def has(self, key: str) -> bool:
        """Return whether there is such a member."""
        return key in self._value

    def refuse_others(self, keys: Collection[str]) -> None:
        """Refuse members that have other names."""
        others = sorted(key for key in self._value if key not in keys)
        if others:
            raise InputError(
                f"{self._name} has members that do not belong there: {others[0][:40]!r}"
            )

    def _refuse_truth(self, key: str, values: list[Any], depth: int) -> None:
        """Refuse true and false, which Python takes for 1 and 0, and lists nested too deeply."""
        for value in values:
            if isinstance(value, bool):
                raise InputError(f"{key!r} in {self._name} holds true or false, not numbers")
            if isinstance(value, list):
                if depth == 1:
                    raise InputError(f"{key!r} in {self._name} holds lists nested too deeply")
                self._refuse_truth(key, value, depth - 1)

    def _member(self, key: str) -> object:
        if key not in self._value:
            raise InputError(f"{self._name} has no {key!r}")
        return self._value[key]


Schema = dict[str, Any]


class Member(ABC):
    """A named member of a record.

    A document may leave out a member that is `optional` (its value is then None), or one that has
    the value of another member by default (`same_as`). `least` is the least value of a number, or
    the least length of a list in a document. The description appears in the schema.
    """

    # Plain classes: making dataclasses of them would take a tenth of the command's time to start.

    least: int = 0

    def __init__(
        self,
        name: str,
        *,
        least: int | None = None,
        same_as: str | None = None,
        optional: bool = False,
        description: str | None = None,
    ) -> None:
        self.name, self.same_as = name, same_as
        self.optional, self.description = optional, description
        if least is not None:
            self.least = least

    @property
    def is_required(self) -> bool:
        """Whether every document states it."""
        return self.same_as is None and not self.optional

    def read(self, part: Part) -> Any:
        """Read the member from a document, with the right JSON type."""
        return part.numbers(self.name)

    @abstractmethod
    def validate(self, value: Any) -> Any:
        """Return the value as the record keeps it; raise an InputError that names the member."""

    def write(self, value: Any) -> Any:
        """Convert a validated value to JSON."""
        return value.tolist() if isinstance(value, np.ndarray) else list(value)

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema."""


class Whole(Member):
    """A member that is a whole number of at least 1, or of at least `least`.

    >>> Whole("d").validate(0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: d must be a whole number of at least 1, not 0
    """

    least = 1

    def read(self, part: Part) -> Any:
        return part.get(self.name, int)

    def validate(self, value: Any) -> int:
        require_whole(self.name, value, self.least)
        return int(value)

    def write(self, value: int) -> int:
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least}


class WholeOrNull(Whole):
    """A member that is a whole number of at least 1, or null."""

    def read(self, part: Part) -> Any:
        return part.get(self.name, (int, type(None)))

    def validate(self, value: Any) -> Any:
        return None if value is None else super().validate(value)

    def schema(self) -> Schema:
        return {"type": ["integer", "null"], "minimum": self.least}


class Indices(Member):
    """A member of distinct numbers of at least 0: rows, columns or elements; `count` of them."""

    def __init__(
        self, name: str, *, count: int | None = None, ascending: bool = False, **facts: Any
    ) -> None:
        super().__init__(name, **facts)
        self.count, self.ascending = count, ascending

    def validate(self, value: Iterable[int]) -> tuple[int, ...]:
        numbers = _integers(value, self.name)
        if min(numbers, default=0) < 0 or len(set(numbers)) < len(numbers):
            raise InputError(f"{self.name} must be distinct numbers of at least 0")
        if self.count is not None and len(numbers) != self.count:
            raise InputError(f"{self.name} must be {self.count} numbers, not {len(numbers)}")
        if self.ascending and list(numbers) != sorted(numbers):
            raise InputError(f"{self.name} must ascend")
        return numbers

    def schema(self) -> Schema:
        items = {"type": "integer", "minimum": 0}
        return schema_of_list(items, self.least, self.count, uniqueItems=True)


class Numbers(Member):
    """A member of a fixed count of numbers of at least 0, which may repeat."""

    def __init__(self, name: str, count: int) -> None:
        super().__init__(name)
        self.count = count

    def validate(self, value: Iterable[int]) -> tuple[int, ...]:
        numbers = _integers(value, self.name)
        if len(numbers) != self.count or min(numbers) < 0:
            raise InputError(f"{self.name} must be {self.count} numbers of at least 0")
        return numbers

    def schema(self) -> Schema:
        return schema_of_list({"type": "integer", "minimum": 0}, count=self.count)


class Choice(Member):
    """A member with one of a few values.

    >>> Choice("elements", ("rows", "columns")).validate("row")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: elements must be 'rows' or 'columns', not 'row'
    """

    def __init__(self, name: str, options: tuple[str, ...] | tuple[int, ...], **facts: Any) -> None:
        super().__init__(name, **facts)
        self.options = options

    def read(self, part: Part) -> Any:
        return part.get(self.name, type(self.options[0]))

    def validate(self, value: Any) -> Any:
        is_plain = isinstance(value, str | int | np.integer) and not isinstance(value, bool)
        if not is_plain or value not in self.options:
            options = " or ".join(map(repr, self.options))
            raise InputError(f"{self.name} must be {options}, not {abridge(value)}")
        return self.options[self.options.index(value)]

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {"enum": list(self.options)}


class Flag(Member):
    """A member that is true or false."""

    def read(self, part: Part) -> bool:
        return part.flag(self.name)

    def validate(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise InputError(f"{self.name} must be true or false, not {abridge(value)}")
        return value

    def write(self, value: bool) -> bool:
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}


class FlagOrIndices(Member):
    """A member that is true for all, false for none, or ascending numbers for some."""

    def read(self, part: Part) -> Any:
        return part.flag(self.name) if part.is_flag(self.name) else part.numbers(self.name)

    def validate(self, value: Any) -> bool | tuple[int, ...]:
        if isinstance(value, bool):
            return value
        if not isinstance(value, Iterable):
            raise InputError(f"{self.name} must be true, false or numbers, not {abridge(value)}")
        return Indices(self.name, ascending=True).validate(value)

    def write(self, value: bool | tuple[int, ...]) -> Any:
        return value if isinstance(value, bool) else list(value)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "boolean"}, Indices(self.name).schema()]}


class Literals(Member):
    """A member of DIMACS literals of different variables."""

    def validate(self, value: Iterable[int]) -> tuple[int, ...]:
        literals = _literals(value, self.name)
        if len({abs(literal) for literal in literals}) < len(literals):
            raise InputError(f"{self.name} must be literals of different variables")
        return literals

    def schema(self) -> Schema:
        return schema_of_list({"type": "integer", "not": {"const": 0}})


class Clauses(Member):
    """A member of clauses of DIMACS literals."""

    def read(self, part: Part) -> Any:
        clauses = part.numbers(self.name)
        if not all(isinstance(clause, list) for clause in clauses):
            raise InputError(f"{self.name} must be a list of lists of literals")
        return clauses

    def validate(self, value: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
        require_items(self.name, value, "lists of literals")
        return tuple(_literals(clause, self.name) for clause in value)

    def write(self, value: Any) -> Any:
        return [list(clause) for clause in value]

    def schema(self) -> Schema:
        return schema_of_list(Literals(self.name).schema())


def as_integer(value: Any) -> int:
    """Return the value as a Python integer; True and False are no numbers here."""
    if isinstance(value, bool):
        raise TypeError
    return operator.index(value)  # raises TypeError for the rest


def _integers(values: Iterable[int], name: str) -> tuple[int, ...]:
    try:
        return tuple(map(as_integer, values))
    except TypeError:
        raise InputError(f"{name} must be a 1-dimensional array of integers") from None


def _literals(values: Iterable[int], name: str) -> tuple[int, ...]:
    literals = _integers(values, name)
    if 0 in literals:
        raise InputError(f"{name} must hold literals that are not 0")
    return literals


def schema_of_list(
    items: Schema, least: int = 0, count: int | None = None, **keywords: bool
) -> Schema:
    """Return the schema of a list with a least or a fixed number of entries."""
    bounds = {"minItems": least} if least else {}
    if count is not None:
        bounds = {"minItems": count, "maxItems": count}
    return {"type": "array", "items": items, **keywords, **bounds}
