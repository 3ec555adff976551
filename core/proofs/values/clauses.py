"""The clauses that queries and keys with few values satisfy if they represent a pattern.

A logit is a sum of d products. Each product, less the smallest one and divided by the common
divisor of their differences, is one of the steps 0..w. Variables say that an entry has a value,
that a product has so many steps at least, and so has the sum of a row's first products, and the
row's threshold: a one has as many steps as the threshold, a zero has fewer.

docs/theory/values.md proves that they are necessary, those that break symmetries included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd, isqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.similarities import Similarity

__all__ = ["Steps", "ValueClauses", "most_value_clauses", "query_values"]

_MOST_DIMENSIONS, _TOO_MANY = 10, 1 << 62
"""Dimensions in which real queries are looked at: their integers grow faster than 2^d."""

Entries = NDArray[np.int8]

Literal = int | bool
"""A DIMACS literal, or whether it holds in any case."""

Entry = dict[int, int]
"""For each value, the literal that an entry has it."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The products of two values as steps: `least` is the smallest, and `width` steps are most.

    >>> Steps.of((-1, 1), (-1, 1)), Steps.of((-1, 0, 1), (-1, 0, 1)).width
    (Steps(least=-1, unit=2, width=1), 2)
    """

    least: int
    unit: int
    width: int

    @classmethod
    def of(cls, queries: Sequence[int], keys: Sequence[int]) -> Steps:
        """Return the steps of the products of the values of queries and those of keys."""
        products = [a * b for a in queries for b in keys]
        least, most = min(products), max(products)
        unit = gcd(*(product - least for product in products))
        return cls(least, unit, (most - least) // unit)

    def count(self, a: int, b: int) -> int:
        """Return the steps of a product."""
        return (a * b - self.least) // self.unit


def query_values(similarity: Similarity, d: int) -> tuple[int, ...]:
    """Return values that suffice for the entries of queries in d dimensions, in ascending order.

    Real queries of binary keys need no larger integers than (d + 1)^((d + 1) / 2) / 2^d.

    >>> from samapprox.similarities import find_comparison
    >>> [query_values(find_comparison("binary-keys"), d)[-1] for d in range(1, 7)]
    [1, 1, 2, 3, 6, 14]
    """
    assert similarity.values is not None
    if not similarity.free_queries:
        return similarity.values
    most = isqrt((d + 1) ** (d + 1) >> 2 * d)
    return tuple(range(-most, most + 1))


def most_value_clauses(rows: int, columns: int, similarity: Similarity, d: int) -> int:
    """Return a number that the clauses do not exceed."""
    assert similarity.values is not None
    if similarity.free_queries and d > _MOST_DIMENSIONS:
        return _TOO_MANY
    queries = query_values(similarity, d)
    width, pairs = Steps.of(queries, similarity.values).width, len(similarity.values) * len(queries)
    products = d * (width + pairs)
    sums = width * (width + 1) * d * (d + 1) // 2 + d * width
    entries = rows * columns * (products + sums) + rows * (d * width + 1)
    return entries + (rows + columns) * d + columns * d * (1 + 2 * pairs)


@dataclass(eq=False)
class ValueClauses:
    """The clauses of a core, and the meaning of their variables.

    `entries` (shape (m, n)): the core. `similarity`: the set of values. `d`: the dimension.
    `clauses`: all of them, in DIMACS literals. `values`: those of keys, and those of queries.
    `keys` and `queries`: the entries of each vector. `starts`: the number of clauses before those
    of each part, and what the part is about. `names`: the first variable of each group, and its
    meaning.

    >>> from samapprox.similarities import find_comparison
    >>> few = ValueClauses(np.array([[1, 0]], dtype=np.int8), find_comparison("binary"), 1)
    >>> few.variables, few.clauses
    (8, [[4], [3, -1, -5], ...])
    """

    entries: Entries
    similarity: Similarity
    d: int
    clauses: list[list[int]] = field(default_factory=list)
    starts: list[tuple[int, str]] = field(default_factory=list)
    names: list[tuple[int, str]] = field(default_factory=list)
    keys: list[list[Entry]] = field(default_factory=list)
    queries: list[list[Entry]] = field(default_factory=list)
    variables: int = 0

    def __post_init__(self) -> None:
        assert self.similarity.values is not None
        of_keys, of_queries = self.similarity.values, query_values(self.similarity, self.d)
        self.values, self.steps = (of_keys, of_queries), Steps.of(of_queries, of_keys)
        rows, columns = self.entries.shape
        self.keys = [self._vector(f"key {column}", of_keys) for column in range(columns)]
        self.queries = [self._vector(f"query {row}", of_queries) for row in range(rows)]
        for row, query in enumerate(self.queries):
            self._represent(row, query)
        if self.keys:
            self._break_symmetries()

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

    # ---------------------------------------------------------------- a row

    def _represent(self, row: int, query: list[Entry]) -> None:
        """Have a threshold between the ones and the zeros of a row that has both."""
        entries = self.entries[row].tolist()
        if 1 not in entries or 0 not in entries:
            return
        self._begin(f"row {row}")
        threshold = self._new(self.d * self.steps.width, f"threshold of row {row}")
        self._add(threshold[0])
        self._add_descent(threshold)
        for column, (entry, key) in enumerate(zip(entries, self.keys, strict=True)):
            if entry == UNSPECIFIED:
                continue
            self._begin(f"row {row}, column {column}")
            total = self._sum(query, key, f"row {row}, column {column}", is_one=entry == 1)
            for least in range(1, len(threshold) + 1):
                if entry == 1:
                    self._add(-threshold[least - 1], total[least - 1])
                else:
                    self._add(-total[least - 1], _at_least(threshold, least + 1))

    def _sum(self, query: list[Entry], key: list[Entry], name: str, *, is_one: bool) -> range:
        """Return the steps of a logit: no more than there are for a one, no fewer for a zero."""
        width, total = self.steps.width, range(0)
        for place in range(self.d):
            product = self._product(query[place], key[place], f"{name}, product {place}", is_one)
            before, total = total, self._new((place + 1) * width, f"{name}, products up to {place}")
            for least in range(1, len(total) + 1):
                for steps in range(width + 1):
                    earlier = _at_least(before, least - steps)
                    if is_one:
                        self._add(-total[least - 1], earlier, _at_least(product, steps + 1))
                    else:
                        here = _not(_at_least(product, steps))
                        self._add(total[least - 1], _not(earlier), here)
        return total

    def _product(self, query: Entry, key: Entry, name: str, is_one: bool) -> range:
        """Return the steps of a product: no more than there are for a one, no fewer for a zero."""
        product = self._new(self.steps.width, name)
        self._add_descent(product)
        for a in query:
            for b in key:
                steps = self.steps.count(a, b)
                if is_one:
                    self._add(-query[a], -key[b], _not(_at_least(product, steps + 1)))
                else:
                    self._add(-query[a], -key[b], _at_least(product, steps))
        return product

    def _add_descent(self, numbers: range) -> None:
        """State that a number which is at least s + 1 is at least s."""
        for higher, lower in zip(numbers[1:], numbers[:-1], strict=True):
            self._add(-higher, lower)

    # ---------------------------------------------------------------- symmetries

    def _break_symmetries(self) -> None:
        """Have the matrix of the keys be the largest of those that are equivalent, row by row."""
        keys, values = self.keys, self.values[0]
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
                        self._add(_not(equal), -a[low], -b[high])
            if place == len(first) - 1:
                break
            (still,) = self._new(1, f"{name} are equal up to place {place}")
            for value in a:
                self._add(_not(equal), -a[value], -b[value], still)
            equal = still


def _not(literal: Literal) -> Literal:
    return not literal if isinstance(literal, bool) else -literal


def _at_least(numbers: range, least: int) -> Literal:
    """Return the literal that a number is at least so much; `numbers` has those from 1 to most."""
    if least <= 0:
        return True
    return numbers[least - 1] if least <= len(numbers) else False


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
