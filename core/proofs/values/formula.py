"""Clauses about keys with few values: entries, variables, and the order that breaks symmetries.

docs/theory/values.md proves that the clauses of symmetries may be required together (Theorem 5).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samapprox.similarities import Similarity

Entries = NDArray[np.int8]

Literal = int | bool
"""A DIMACS literal, or whether it holds in any case."""

Entry = dict[int, int]
"""For each value, the literal that an entry has it."""


@dataclass(eq=False)
class Formula(ABC):
    """Clauses that vectors with few values satisfy if they represent a core.

    `entries` (shape (m, n)): the core. `similarity`: the set of values. `d`: the dimension.
    `clauses`: all of them, in DIMACS literals. `keys`: the entries of each key. `starts`: the
    number of clauses before those of each part, and what the part is about. `names`: the first
    variable of each group, and its meaning.
    """

    entries: Entries
    similarity: Similarity
    d: int
    clauses: list[list[int]] = field(default_factory=list)
    starts: list[tuple[int, str]] = field(default_factory=list)
    names: list[tuple[int, str]] = field(default_factory=list)
    keys: list[list[Entry]] = field(default_factory=list)
    variables: int = 0

    def __post_init__(self) -> None:
        values = self.similarity.values
        assert values is not None
        self.values = values
        columns = range(self.entries.shape[1])
        self.keys = [self._vector(f"key {column}", values) for column in columns]
        self._represent_rows()
        if self.keys:
            self._break_symmetries()

    @abstractmethod
    def _represent_rows(self) -> None:
        """Add the clauses of the rows."""

    @abstractmethod
    def query_vectors(self, true: frozenset[int]) -> list[list[int]]:
        """Return the queries of an assignment, given the variables that are true."""

    def key_vectors(self, true: frozenset[int]) -> list[list[int]]:
        """Return the keys of an assignment."""
        return [[read_entry(entry, true) for entry in key] for key in self.keys]

    # ---------------------------------------------------------------- variables

    def _new(self, count: int, name: str) -> range:
        """Return new variables."""
        first = self.variables + 1
        self.variables += count
        self.names.append((first, name))
        return range(first, first + count)

    def _begin(self, what: str) -> None:
        """Begin a part of the clauses."""
        self.starts.append((len(self.clauses), what))

    def _add(self, *literals: Literal) -> None:
        """Add a clause, unless one of its literals holds in any case."""
        if True not in [literal is True for literal in literals]:
            self.clauses.append([literal for literal in literals if literal is not False])

    def _add_descent(self, numbers: range) -> None:
        """State that a number which is at least s + 1 is at least s."""
        for higher, lower in zip(numbers[1:], numbers[:-1], strict=True):
            self._add(-higher, lower)

    # ---------------------------------------------------------------- entries

    def _vector(self, name: str, values: tuple[int, ...]) -> list[Entry]:
        self._begin(name)
        return [self._entry(f"{name}, coordinate {place}", values) for place in range(self.d)]

    def _entry(self, name: str, values: tuple[int, ...]) -> Entry:
        """Return an entry: one variable for two values, else one for each, of which one holds."""
        if len(values) == 2:
            (high,) = self._new(1, name)
            return dict(zip(values, (-high, high), strict=True))
        entry = self._new(len(values), name)
        self._add(*entry)
        return dict(zip(values, entry, strict=True))

    # ---------------------------------------------------------------- symmetries

    def _break_symmetries(self) -> None:
        """Have the matrix of the keys be the largest of those that are equivalent, row by row."""
        keys, values = self.keys, self.values
        if values == tuple(-value for value in reversed(values)):
            self._begin("no coordinate of key 0 is negative")
            for entry in keys[0]:
                for value in values:
                    if value < 0:
                        self._add(-entry[value])
        for place in range(self.d - 1):
            self._begin(f"coordinate {place} of the keys is not less than the next one")
            first, second = ([key[place + more] for key in keys] for more in (0, 1))
            self._add_order(first, second, f"coordinates {place} and {place + 1}")
        for first_column, second_column in _interchangeable(self.entries):
            names = f"{first_column} and {second_column}"
            self._begin(f"keys {names} are interchangeable: the first is not less")
            self._add_order(keys[first_column], keys[second_column], f"keys {names}")

    def _add_order(self, first: list[Entry], second: list[Entry], name: str) -> None:
        """Have a list of entries not be less than another one, at the first place that differs."""
        equal: Literal = True
        for place, (a, b) in enumerate(zip(first, second, strict=True)):
            for low in a:
                for high in a:
                    if low < high:
                        self._add(negate(equal), -a[low], -b[high])
            if place == len(first) - 1:
                break
            (still,) = self._new(1, f"{name} are equal up to place {place}")
            for value in a:
                self._add(negate(equal), -a[value], -b[value], still)
            equal = still


def negate(literal: Literal) -> Literal:
    """Return the opposite of a literal."""
    return not literal if isinstance(literal, bool) else -literal


def at_least(numbers: range, least: int) -> Literal:
    """Return the literal that a number is at least so much; `numbers` has those from 1 to most."""
    if least <= 0:
        return True
    return numbers[least - 1] if least <= len(numbers) else False


def read_entry(entry: Entry, true: frozenset[int]) -> int:
    """Return a value that an entry has; the clauses hold with any of them if it has several."""
    return next(
        value for value, literal in entry.items() if (abs(literal) in true) == (literal > 0)
    )


def _interchangeable(entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield each column with the next one whose exchange maps the rows to the rows, if any."""
    lines = entries.T.tolist()
    rows = sorted(zip(*lines, strict=True))
    for first in range(len(lines)):
        for second in range(first + 1, len(lines)):
            exchanged = list(lines)
            exchanged[first], exchanged[second] = lines[second], lines[first]
            if sorted(zip(*exchanged, strict=True)) == rows:
                yield first, second
                break
