"""Vectors with ids, and their join with a pattern: which vector is which row or column.

Vectors are never moved, since there may be millions of them in a mapped file: the columns of the
joined pattern are put into the order of the keys instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError, require_flag
from samapprox.instance import Grading, Unjudged
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.results.comparisons import Coverage
from samapprox.storage.entries import FrameLike, check_size, names_of_labels
from samapprox.storage.matrices import coordinates
from samapprox.support.arrays import Indices
from samapprox.support.text import plural
from samapprox.vectors import as_vectors, require_ids

_MOST_NAMED = 3
"""Ids that a message names."""

_NONE = -1
"""The place of an id that has no vector, or of a vector that has no row or column."""

VectorsLike: TypeAlias = "ArrayLike | Mapping[Any, ArrayLike] | FrameLike"
"""Types of given vectors: arrays, dicts from ids to vectors, DataFrames with ids as their index."""


@dataclass(frozen=True, slots=True, eq=False)
class _NamedVectors:
    """Vectors, one a row, and their ids; None where they have none."""

    array: NDArray[Any]
    ids: tuple[str, ...] | None


def name_vectors(values: VectorsLike, ids: Sequence[object] | None, what: str) -> _NamedVectors:
    """Convert vectors to an array, and find their ids, which are theirs alone or given beside.

    A default index of a DataFrame counts rows and gives no ids.

    >>> name_vectors({"q7": [1.0, 0.0], "q3": [0.0, 1.0]}, None, "queries").ids
    ('q7', 'q3')
    """
    own: Sequence[object] | None = None
    rows: Any = values
    if isinstance(values, Mapping):
        own, rows = list(values), list(values.values())
        if not own:
            raise InputError(f"the dict of {what} is empty")
    elif isinstance(values, FrameLike):
        own, rows = names_of_labels(values.index), values.to_numpy()
    if own is not None and ids is not None:
        raise InputError(f"the {what} have ids of their own; give no others")
    array = _as_floats(rows, what)
    chosen = ids if own is None else own
    return _NamedVectors(array, None if chosen is None else require_ids(chosen, len(array), what))


def _as_floats(values: ArrayLike, what: str) -> NDArray[Any]:
    """Convert input to float32 or float64 without loss; bfloat16 becomes float32."""
    if isinstance(values, list) and values and hasattr(values[0], "dtype"):
        values = _stack(values, what)
    if getattr(getattr(values, "dtype", None), "name", "") == "bfloat16":
        values = np.asarray(values).astype(np.float32)
    return as_vectors(values, what, writable=False)


def _stack(vectors: list[Any], what: str) -> NDArray[Any]:
    """Return a list of vectors as one array of their type."""
    try:
        return np.stack([np.asarray(vector) for vector in vectors])
    except ValueError:
        raise InputError(f"{what} are ragged: every vector needs the same dimension") from None


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """A pattern with a vector for each row and each column, in their order.

    `coverage` counts what one of the two lacks; None where the order of the pattern was taken.
    """

    pattern: Pattern
    queries: NDArray[Any]
    keys: NDArray[Any]
    coverage: Coverage | None = None


def join_by_ids(
    pattern: Pattern,
    queries: _NamedVectors,
    keys: _NamedVectors,
    *,
    by_position: bool = False,
    skip_missing: bool = False,
    unjudged: Unjudged = "zero",
) -> Joined:
    """Join vectors and a pattern, by ids where the pattern has names.

    Keys that are no column are zeros in every row, or are left out where `unjudged` pairs are
    unspecified. Queries that are no row are left out. Rows and columns without a vector are
    refused, unless `skip_missing` leaves them out, with the rows that lose all ones.

    >>> vectors = _NamedVectors(np.eye(3), ("c", "x", "a"))
    >>> pattern = Pattern.from_text("10", column_names=["a", "c"])
    >>> joined = join_by_ids(pattern, _NamedVectors(np.eye(1, 3), None), vectors)
    >>> joined.pattern.to_text(), joined.pattern.column_names, joined.coverage.unjudged
    ('001', ('c', 'x', 'a'), 1)
    """
    Grading(unjudged=unjudged)  # refuses another value
    for name, value in (("by_position", by_position), ("skip_missing", skip_missing)):
        require_flag(name, value)
    sides = (
        _Side("row", "queries", "query_ids", "query-ids", pattern.row_names, queries),
        _Side("column", "keys", "document_ids", "document-ids", pattern.column_names, keys),
    )
    for side in sides:
        side.require_ids_or_position(by_position)
    if by_position or all(side.vectors.ids is None for side in sides):
        for side in sides:
            side.require_count(pattern)
        return Joined(pattern, queries.array, keys.array)
    places = [side.find_places(pattern) for side in sides]
    if not skip_missing:
        for side, found in zip(sides, places, strict=True):
            side.refuse_missing(found)
    return _join(pattern, queries, keys, places[0], places[1], unjudged)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """The rows or the columns of a pattern, and the vectors that are given for them."""

    line: str
    what: str
    parameter: str
    option: str
    names: tuple[str, ...] | None
    vectors: _NamedVectors

    def require_ids_or_position(self, by_position: bool) -> None:
        """Refuse ids without names, names without ids, and ids beside an order."""
        named, has_ids = self.names is not None, self.vectors.ids is not None
        if by_position and has_ids:
            raise InputError(
                f"the {self.what} have ids, so they do not stand by position; leave out one of both"
            )
        if has_ids and not named:
            raise InputError(
                f"the {self.what} have ids, but the {self.line}s of the pattern have none; give "
                f"the {self.what} without ids, in the order of the {self.line}s"
            )
        if named and not has_ids and not by_position:
            raise InputError(
                f"the {self.line}s of the pattern have ids, but the {self.what} have none; give "
                f"{self.parameter} (--{self.option} FILE), or by_position=True (--by-position) if "
                "they stand in the order that `show --ids` prints"
            )

    def require_count(self, pattern: Pattern) -> None:
        """Refuse another number of vectors than there are rows or columns."""
        count = pattern.shape[self.line == "column"]
        if len(self.vectors.array) != count:
            raise InputError(
                f"there are {len(self.vectors.array)} {self.what}, but the pattern has {count} "
                f"{self.line}s; give one vector for each, in their order"
            )

    def find_places(self, pattern: Pattern) -> Indices:
        """Return the place of each row's or column's vector; -1 for none."""
        if self.names is None or self.vectors.ids is None:
            self.require_count(pattern)
            return np.arange(len(self.vectors.array))
        lines = {name: line for line, name in enumerate(self.names)}
        if len(lines) < len(self.names):
            twice = next(name for line, name in enumerate(self.names) if lines[name] != line)
            raise InputError(f"two {self.line}s of the pattern have the id {twice!r}")
        ids = self.vectors.ids
        found = np.fromiter(map(lines.get, ids, repeat(_NONE)), np.int64, len(ids))
        places = np.full(len(lines), _NONE, dtype=np.int64)
        held = np.flatnonzero(found != _NONE)
        places[found[held]] = held
        return places

    def refuse_missing(self, places: Indices) -> None:
        """Refuse rows or columns without a vector; the first are named, and all are counted."""
        missing = np.flatnonzero(places == _NONE)
        if not missing.size or self.names is None:
            return
        first = ", ".join(repr(self.names[line]) for line in missing[:_MOST_NAMED].tolist())
        more = ", .." if missing.size > _MOST_NAMED else ""
        raise InputError(
            f"{missing.size} of {plural(len(places), self.line)} of the pattern have no vector "
            f"among the {self.what}: {first}{more}; add them, or leave them out "
            "(skip_missing=True, --skip-missing)"
        )


def _join(
    pattern: Pattern,
    queries: _NamedVectors,
    keys: _NamedVectors,
    rows: Indices,
    columns: Indices,
    unjudged: Unjudged,
) -> Joined:
    """Join by the places of the vectors of all rows and columns."""
    held = np.flatnonzero(rows != _NONE)
    row_of, column_of = coordinates(pattern.ones.take(held))
    ones = np.bincount(row_of[columns[column_of] != _NONE], minlength=len(held))
    kept = held[ones > 0]
    if not kept.size:
        raise InputError("no query with a vector has a relevant document with a vector")
    present = np.flatnonzero(columns != _NONE)
    present = present[np.argsort(columns[present])]
    extra = len(keys.array) - len(present)
    coverage = Coverage(
        unjudged=extra,
        left_out=bool(extra) and unjudged == "unspecified",
        unasked=len(queries.array) - len(held),
        missing_queries=len(rows) - len(held),
        missing_documents=len(columns) - len(present),
        emptied=len(held) - len(kept),
    )
    chosen = _take(queries.array, rows[kept])
    if not extra or unjudged == "unspecified":
        taken = pattern.take(kept, present)
        return Joined(taken, chosen, _take(keys.array, columns[present]), coverage)
    names = keys.ids
    assert names is not None  # only ids make extra keys
    spread = _spread(pattern.take(kept, present), columns[present], names)
    return Joined(spread, chosen, keys.array, coverage)


def _take(vectors: NDArray[Any], chosen: Indices) -> NDArray[Any]:
    """Return some vectors, without a copy where these are all in their order."""
    if len(chosen) == len(vectors) and (chosen == np.arange(len(vectors))).all():
        return vectors
    return vectors[chosen]


def _spread(pattern: Pattern, places: Indices, names: Sequence[str]) -> Pattern:
    """Return the pattern with its columns at these places, which ascend, and zeros elsewhere."""
    shape = pattern.shape[0], len(names)
    labels = {"row_names": pattern.row_names, "column_names": names}
    if pattern.unspecified is None:
        _, columns = coordinates(pattern.ones)
        indptr = np.concatenate(([0], np.cumsum(pattern.row_ones)))
        return Pattern.from_csr(indptr, places[columns], None, shape, **labels)
    check_size(*shape)
    entries = np.zeros(shape, dtype=np.int8)
    entries[:, places] = pattern.to_array()
    specified = entries != UNSPECIFIED
    return Pattern.from_array(np.where(specified, entries, 0), specified, **labels)
