"""The clauses that queries and keys with few values satisfy if they represent a pattern.

A logit is a sum of d products. Each product, less the smallest one and divided by the common
divisor of their differences, is one of the steps 0..w. Variables say that an entry has a value,
that a product has so many steps at least, and so has the sum of a row's first products, and the
row's threshold: a one has as many steps as the threshold, a zero has fewer.

docs/theory/values.md proves that they are necessary, those that break symmetries included.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd, isqrt

from samapprox.pattern import UNSPECIFIED
from samapprox.similarities import Similarity
from samapprox.support.arrays import Entries

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


_MOST_DIMENSIONS, _LARGEST = 10, 1_000
"""Dimensions in which real queries are looked at, and the largest integer that takes their place:
they grow faster than 2^d."""

TOO_MANY = 1 << 62
"""A number of clauses that exceeds every limit."""


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

    Real queries of keys with the steps 0..s need no larger integers than
    s^(d - 1) (d + 1)^((d + 1) / 2) / 2^d.

    >>> from samapprox.similarities import find_comparison
    >>> [query_values(find_comparison("binary-keys"), d)[-1] for d in range(1, 7)]
    [1, 1, 2, 3, 6, 14]
    >>> [query_values(find_comparison("ternary-keys"), d)[-1] for d in range(1, 5)]
    [1, 2, 8, 27]
    """
    assert similarity.values is not None
    if not similarity.free_queries:
        return similarity.values
    most = _most_of_real_queries(similarity.values, d)
    return tuple(range(-most, most + 1))


def has_few_queries(similarity: Similarity, d: int) -> bool:
    """Return whether `query_values` are few enough to be listed."""
    if not similarity.free_queries:
        return True
    assert similarity.values is not None
    return d <= _MOST_DIMENSIONS and _most_of_real_queries(similarity.values, d) <= _LARGEST


def _most_of_real_queries(values: Sequence[int], d: int) -> int:
    """Return the largest entry that integers need in place of real numbers (Theorem 2)."""
    span = Steps.of((1,), values).width
    return isqrt(span ** (2 * d - 2) * (d + 1) ** (d + 1) >> 2 * d)


def most_value_clauses(rows: int, columns: int, similarity: Similarity, d: int) -> int:
    """Return a number that the clauses do not exceed."""
    assert similarity.values is not None
    if not has_few_queries(similarity, d):
        return TOO_MANY
    queries = query_values(similarity, d)
    values = len(similarity.values)
    width, pairs = Steps.of(queries, similarity.values).width, values * len(queries)
    products = d * (width + pairs)
    sums = width * (width + 1) * d * (d + 1) // 2 + d * width
    entries = rows * columns * (products + sums) + rows * (d * width + 1)
    return entries + (rows + columns) * d + columns * d * (1 + values * (values + 1))


@dataclass(eq=False)
class ValueClauses(Formula):
    """The clauses of a core with products, sums and thresholds in steps.

    `queries`: the entries of each query, of which `of_queries` are the values.

    >>> import numpy as np
    >>> from samapprox.similarities import find_comparison
    >>> few = ValueClauses(np.array([[1, 0]], dtype=np.int8), find_comparison("binary"), 1)
    >>> few.variables, few.clauses
    (8, [[4], [3, -1, -5], ...])
    """

    queries: list[list[Entry]] = field(default_factory=list)

    def _represent_rows(self) -> None:
        self.of_queries = query_values(self.similarity, self.d)
        self.steps = Steps.of(self.of_queries, self.values)
        rows = range(self.entries.shape[0])
        self.queries = [self._vector(f"query {row}", self.of_queries) for row in rows]
        for row, query in enumerate(self.queries):
            self._represent(row, query)

    def query_vectors(self, true: frozenset[int]) -> list[list[int]]:
        return [[read_entry(entry, true) for entry in query] for query in self.queries]

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
                    self._add(-total[least - 1], at_least(threshold, least + 1))

    def _sum(self, query: list[Entry], key: list[Entry], name: str, *, is_one: bool) -> range:
        """Return the steps of a logit: no more than there are for a one, no fewer for a zero."""
        width, total = self.steps.width, range(0)
        for place in range(self.d):
            product = self._product(query[place], key[place], f"{name}, product {place}", is_one)
            before, total = total, self._new((place + 1) * width, f"{name}, products up to {place}")
            for least in range(1, len(total) + 1):
                for steps in range(width + 1):
                    earlier = at_least(before, least - steps)
                    if is_one:
                        self._add(-total[least - 1], earlier, at_least(product, steps + 1))
                    else:
                        here = negate(at_least(product, steps))
                        self._add(total[least - 1], negate(earlier), here)
        return total

    def _product(self, query: Entry, key: Entry, name: str, is_one: bool) -> range:
        """Return the steps of a product: no more than there are for a one, no fewer for a zero."""
        product = self._new(self.steps.width, name)
        self._add_descent(product)
        for a in query:
            for b in key:
                steps = self.steps.count(a, b)
                if is_one:
                    self._add(-query[a], -key[b], negate(at_least(product, steps + 1)))
                else:
                    self._add(-query[a], -key[b], at_least(product, steps))
        return product
