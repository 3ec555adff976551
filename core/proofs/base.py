"""Base classes of all proofs and of their parts: records, which declare their members once.

Reading, validation, writing and the JSON Schema follow from this declaration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from samapprox.errors import InputError, require_list
from samapprox.proofs import read_proof
from samapprox.proofs.members import Member, Part, Schema, schema_of_list

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from samapprox.pattern import Pattern
    from samapprox.proofs.embeddings.embedding import Embedding
    from samapprox.proofs.parts.simplify import Simplification


Side = Literal["rows", "columns"]
"""The lines of a pattern that an argument is about."""


class Record:
    """A JSON object with declared members; the base of all proofs and of their parts.

    Subclasses are frozen dataclasses whose fields are the members. Their ``__init__`` calls `_fill`
    first. `TITLE` names the record in an error message, with its article. `MEMBERS` are in the
    order in which they are written.
    """

    __slots__ = ()

    TITLE: ClassVar[str]
    MEMBERS: ClassVar[tuple[Member, ...]]

    def _fill(self, *values: Any) -> None:
        """Validate the values of the members, in the order of `MEMBERS`, and set them.

        Members that default to another one are set after it.
        """
        given = zip(self.MEMBERS, values, strict=True)
        for member, value in sorted(given, key=lambda one: one[0].same_as is not None):
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


class Proof(Record, ABC):
    """A proof of YES or NO for a problem; its class is its kind.

    Attributes
    ----------
    KIND : str
        The name in documents and in `samapprox.proofs.KNOWN_KINDS`.
    TASK : str
        The question that its proofs answer: a name of `samapprox.proofs.questions`.
    SIMILARITIES : tuple of str
        The similarities of queries and keys for which its check is right. Neither this nor TASK has
        a default: a check that is right for dot products may be wrong for any other similarity.
    CLAIM : str
        The claim, for the schema.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> Radon([0, 1, 2], [0, 1, 2]).to_json()
    {'kind': 'radon', 'rows': [0, 1, 2], 'columns': [0, 1, 2]}
    """

    __slots__ = ()

    KIND: ClassVar[str]
    TASK: ClassVar[str]
    SIMILARITIES: ClassVar[tuple[str, ...]]
    CLAIM: ClassVar[str]

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The d of a witness; the largest d that an obstruction excludes, 0 if it is about none."""

    @abstractmethod
    def find_fault(self, problem: Any, /) -> str | None:
        """Check the proof in exact arithmetic, for a question that its kind answers.

        Users call `check`, which makes sure of the question first.

        Parameters
        ----------
        problem : Question
            One of the task and of one of the similarities that the kind names. The rows and columns
            of an obstruction lie in its pattern.

        Returns
        -------
        str or None
            None when the proof holds; else one line that says where it fails.
        """

    @abstractmethod
    def explain(self, problem: Any) -> list[str]:
        r"""Explain the proof in lines of text.

        Parameters
        ----------
        problem : Question
            One that the proof holds for: a `Problem`, unless the kind answers another question.

        Examples
        --------
        >>> from samapprox import Pattern, Problem
        >>> from samapprox.proofs import Radon
        >>> pattern = Pattern.from_text("100\n010\n001", row_names=["ann", "bob", "cy"])
        >>> for line in Radon([0, 1, 2], [0, 1, 2]).explain(Problem(pattern, 1)):
        ...     print(line)
        On a line, one of any three keys lies between the other two, but each of these keys ...
                         column 0  column 1  column 2
          row 0 ('ann')         1         0         0
          row 1 ('bob')         0         1         0
          row 2 ('cy')          0         0         1
        """

    def lift(self, _simplification: Simplification, /) -> Proof | str:
        """Carry the proof for a simplified pattern over to the original, or say why it fails.

        Parameters
        ----------
        simplification : Simplification
            As from `samapprox.proofs.parts.simplify.simplify`.
        """
        return f"a proof of kind {self.KIND} is about tokens, which merging does not keep apart"

    def to_json(self) -> dict[str, Any]:
        """Return the proof as a JSON object; its "kind" says which."""
        return {"kind": self.KIND} | super().to_json()

    @classmethod
    def schema(cls) -> Schema:
        """Return the JSON Schema."""
        return {"description": cls.CLAIM, **schema_of_object(cls.MEMBERS, kind=cls.KIND)}

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return ("kind", *super()._names())


class Witness(Proof):
    """A proof of YES: numbers that represent the pattern, or a recipe for them.

    Attributes
    ----------
    EXPLICIT : bool
        Whether it states the numbers; else `embedding` computes them, which may be much work.
    SHARES_X : bool
        Whether its queries and keys are images of one X, as coupled problems require.
    """

    __slots__ = ()

    EXPLICIT: ClassVar[bool] = False
    SHARES_X: ClassVar[bool] = False

    @abstractmethod
    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Compute the queries, keys and thresholds.

        Parameters
        ----------
        pattern : Pattern
            The one that it represents; proofs that state their numbers do without it.

        Raises
        ------
        InputError
            The numbers are too many or too long to be written out.
        """


class Obstruction(Proof):
    """A proof of NO: named rows and columns that no embedding can represent.

    Attributes
    ----------
    COUPLED_ONLY : bool
        Whether it holds only where queries and keys share X.
    rows, columns : tuple of int
        The core.
    """

    __slots__ = ()

    COUPLED_ONLY: ClassVar[bool] = False

    if TYPE_CHECKING:  # at run time a field's default would be looked for here

        @property
        def rows(self) -> tuple[int, ...]:
            """Rows of the core."""

        @property
        def columns(self) -> tuple[int, ...]:
            """Columns of the core."""

    @property
    @abstractmethod
    def caption(self) -> str:
        """The caption of a picture of the core: half a line on the marked rows and columns."""

    @property
    def size(self) -> int:
        """The number of entries that a check of the argument reads at most."""
        return len(self.rows) * len(self.columns)

    def entries_read(self) -> list[tuple[int, int]]:
        """Return the entries that the argument reads, as (row, column)."""
        return [(row, column) for row in self.rows for column in self.columns]


class Submatrix(Obstruction):
    """An obstruction that is about the entries of its rows and columns alone."""

    __slots__ = ()

    def lift(self, simplification: Simplification, /) -> Self:
        """Carry the argument over to rows and columns of the original pattern.

        A row of the original may be the complement of the merged one: an argument that is not
        about rows up to complement has to turn its own signs (`Simplification.turned` says which).
        """
        return self.place(simplification.rows, simplification.columns)

    def place(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Self:
        """Carry the argument for a submatrix over to the pattern that contains it.

        `rows` and `columns`: the pattern's number of each row and column of the submatrix.
        """
        placed = copy(self)
        object.__setattr__(placed, "rows", _places(rows, self.rows))
        object.__setattr__(placed, "columns", _places(columns, self.columns))
        return placed


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
        require_list(self.name, value, self.record.__name__)
        records = tuple(value)
        if not all(isinstance(record, self.record) for record in records):
            raise InputError(f"{self.name} must be a list of {self.record.__name__}")
        return records

    def write(self, value: Sequence[Record]) -> Any:
        return [record.to_json() for record in value]

    def schema(self) -> Schema:
        return schema_of_list(self.record.schema(), self.least)


class Nested(Member):
    """A member that is a proof for another pattern, of the answer that is stated."""

    def __init__(self, name: str, answer: Literal["YES", "NO"] = "YES") -> None:
        super().__init__(name)
        self.answer = answer

    def read(self, part: Part) -> Any:
        return read_proof(part.proof(self.name))

    def validate(self, value: Any) -> Proof:
        if not isinstance(value, Witness if self.answer == "YES" else Obstruction):
            raise InputError(f"{self.name} must be a proof of {self.answer}")
        return value

    def write(self, value: Proof) -> Any:
        return value.to_json()

    def schema(self) -> Schema:
        return {"$ref": "urn:samapprox:proof:1"}


def proves_yes(proof: Proof) -> bool:
    """Return whether the proof is one of YES (a witness) rather than NO (an obstruction).

    Parameters
    ----------
    proof : Proof
        A proof of any kind; it is not checked.

    Returns
    -------
    bool
        True for a proof of YES.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> proves_yes(Radon([0, 1, 2], [0, 1, 2]))
    False
    """
    return isinstance(proof, Witness)


def _places(originals: Any, chosen: Iterable[int]) -> tuple[int, ...]:
    return tuple(originals[list(chosen)].tolist())
