"""Members of a proof's JSON object: reading, validation, writing and schema.

A record (a proof, or a part of one) declares its members once. Reading, writing and the JSON
Schema all follow from that declaration.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from samapprox.errors import InputError
from samapprox.proofs.documents import Part
from samapprox.proofs.exact import ExactArray, exact
from samapprox.proofs.member import Member, Schema, bound_length
from samapprox.proofs.record import OptionalRecord, Record, Records

__all__ = [
    "Choice",
    "Clauses",
    "Flag",
    "FlagOrIndices",
    "Indices",
    "Literals",
    "Matrix",
    "Member",
    "Numbers",
    "OptionalRecord",
    "Places",
    "Record",
    "Records",
    "Schema",
    "Vector",
    "Whole",
]


class Whole(Member):
    """A member that is a whole number of at least 1.

    Parameters
    ----------
    name : str
    same_as : str, optional

    Examples
    --------
    >>> Whole("d").validate(0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: d must be a whole number of at least 1, not 0
    """

    def __init__(self, name: str, *, same_as: str | None = None) -> None:
        super().__init__(name)
        self.same_as = same_as

    def read(self, part: Part) -> Any:
        return part.get(self.name, int)

    def validate(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{self.name} must be a whole number of at least 1, not {value!r:.40}")
        return int(value)

    def write(self, value: int) -> int:
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": 1}


class Indices(Member):
    """A member of distinct numbers of at least 0: rows, columns or elements.

    Parameters
    ----------
    name : str
    least : int
        The least number of entries in a document.
    count : int, optional
        The required number.
    ascending : bool
        Whether their order must be ascending.
    optional : bool
        Whether a document may leave the member out.
    description : str, optional
        A sentence for the schema.

    Examples
    --------
    >>> Indices("rows").validate(range(3))
    (0, 1, 2)
    >>> Indices("rows").validate([1, 1])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: rows must be distinct numbers of at least 0
    """

    def __init__(
        self,
        name: str,
        *,
        least: int = 0,
        count: int | None = None,
        ascending: bool = False,
        optional: bool = False,
        description: str | None = None,
    ) -> None:
        super().__init__(name)
        self.least, self.count, self.ascending = least, count, ascending
        self.optional, self.description = optional, description

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
        schema = {"type": "array", "items": items, "uniqueItems": True}
        return schema | bound_length(self.least, self.count)


class Places(Member):
    """An array of distinct numbers of at least 0, for long lists of rows or columns.

    Examples
    --------
    >>> Places("order").validate([2, 0, 1])
    array([2, 0, 1])
    >>> Places("order").validate([1, 1])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: order must be distinct numbers of at least 0
    """

    def validate(self, value: Any) -> ExactArray:
        places = exact(value, 1, self.name)
        ascending = np.sort(places)
        repeated = (ascending[1:] == ascending[:-1]).any()
        if repeated or places.dtype != np.int64 or (len(places) and ascending[0] < 0):
            raise InputError(f"{self.name} must be distinct numbers of at least 0")
        return places

    def write(self, value: ExactArray) -> Any:
        return value.tolist()

    def schema(self) -> Schema:
        items = {"type": "integer", "minimum": 0}
        return {"type": "array", "items": items, "uniqueItems": True}


class Numbers(Member):
    """A member of a fixed count of numbers of at least 0, which may repeat.

    Examples
    --------
    >>> Numbers("positive", 3).validate([1, 1, 2])
    (1, 1, 2)
    """

    def __init__(self, name: str, count: int) -> None:
        super().__init__(name)
        self.count = count

    def validate(self, value: Iterable[int]) -> tuple[int, ...]:
        numbers = _integers(value, self.name)
        if len(numbers) != self.count or min(numbers) < 0:
            raise InputError(f"{self.name} must be {self.count} numbers of at least 0")
        return numbers

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "integer", "minimum": 0}} | bound_length(
            0, self.count
        )


class Vector(Member):
    """A member of integers of any size.

    Parameters
    ----------
    name : str
    least : int
        The least number of entries in a document.
    minimum : int, optional
        The least value that an entry may have.

    Examples
    --------
    >>> Vector("thresholds").validate([0, -1])
    array([ 0, -1])
    """

    def __init__(self, name: str, *, least: int = 0, minimum: int | None = None) -> None:
        super().__init__(name)
        self.least, self.minimum = least, minimum

    def validate(self, value: Any) -> ExactArray:
        vector = exact(value, 1, self.name)
        if self.minimum is not None and vector.size and vector.min() < self.minimum:
            raise InputError(f"{self.name} must be numbers of at least {self.minimum}")
        return vector

    def write(self, value: ExactArray) -> Any:
        return value.tolist()

    def schema(self) -> Schema:
        items = {"type": "integer"} | ({} if self.minimum is None else {"minimum": self.minimum})
        return {"type": "array", "items": items} | bound_length(self.least)


class Matrix(Member):
    """A member of rows of integers of any size, all of one length.

    Parameters
    ----------
    name : str
    least : int
        The least number of rows in a document.

    Examples
    --------
    >>> Matrix("keys").validate([[1], [2]]).shape
    (2, 1)
    """

    def __init__(self, name: str, *, least: int = 1) -> None:
        super().__init__(name)
        self.least = least

    def validate(self, value: Any) -> ExactArray:
        return exact(value, 2, self.name)

    def write(self, value: ExactArray) -> Any:
        return value.tolist()

    def schema(self) -> Schema:
        row = {"type": "array", "items": {"type": "integer"}}
        return {"type": "array", "items": row} | bound_length(self.least)


class Choice(Member):
    """A member with one of a few values.

    Examples
    --------
    >>> Choice("elements", ("rows", "columns")).validate("row")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: elements must be 'rows' or 'columns', not 'row'
    """

    def __init__(self, name: str, options: tuple[str, ...] | tuple[int, ...]) -> None:
        super().__init__(name)
        self.options = options

    def read(self, part: Part) -> Any:
        return part.get(self.name, type(self.options[0]))

    def validate(self, value: Any) -> Any:
        if isinstance(value, bool) or value not in self.options:
            options = " or ".join(map(repr, self.options))
            raise InputError(f"{self.name} must be {options}, not {value!r:.40}")
        return self.options[self.options.index(value)]

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {"enum": list(self.options)}


class Flag(Member):
    """A member that is true or false.

    Examples
    --------
    >>> Flag("relations").validate(True)
    True
    """

    def read(self, part: Part) -> bool:
        return part.flag(self.name)

    def validate(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise InputError(f"{self.name} must be true or false, not {value!r:.40}")
        return value

    def write(self, value: bool) -> bool:
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}


class FlagOrIndices(Member):
    """A member that is true for all, false for none, or ascending numbers for some.

    Examples
    --------
    >>> FlagOrIndices("relations").validate([0, 4])
    (0, 4)
    """

    def read(self, part: Part) -> Any:
        return part.flag(self.name) if part.is_flag(self.name) else part.numbers(self.name)

    def validate(self, value: Any) -> bool | tuple[int, ...]:
        if isinstance(value, bool):
            return value
        if not isinstance(value, Iterable):
            raise InputError(f"{self.name} must be true, false or numbers, not {value!r:.40}")
        return Indices(self.name, ascending=True).validate(value)

    def write(self, value: bool | tuple[int, ...]) -> Any:
        return value if isinstance(value, bool) else list(value)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "boolean"}, Indices(self.name).schema()]}


class Literals(Member):
    """A member of DIMACS literals of different variables.

    Examples
    --------
    >>> Literals("signs").validate([1, -2])
    (1, -2)
    """

    def validate(self, value: Iterable[int]) -> tuple[int, ...]:
        literals = _literals(value, self.name)
        if len({abs(literal) for literal in literals}) < len(literals):
            raise InputError(f"{self.name} must be literals of different variables")
        return literals

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "integer", "not": {"const": 0}}}


class Clauses(Member):
    """A member of clauses of DIMACS literals.

    Examples
    --------
    >>> Clauses("lemmas").validate([[1, -2], []])
    ((1, -2), ())
    """

    def read(self, part: Part) -> Any:
        clauses = part.numbers(self.name)
        if not all(isinstance(clause, list) for clause in clauses):
            raise InputError(f"{self.name} must be a list of lists of literals")
        return clauses

    def validate(self, value: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
        return tuple(_literals(clause, self.name) for clause in value)

    def write(self, value: Any) -> Any:
        return [list(clause) for clause in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": Literals(self.name).schema()}


def _integers(values: Iterable[int], name: str) -> tuple[int, ...]:
    return tuple(exact(list(values), 1, name).tolist())


def _literals(values: Iterable[int], name: str) -> tuple[int, ...]:
    literals = _integers(values, name)
    if 0 in literals:
        raise InputError(f"{name} must hold literals that are not 0")
    return literals
