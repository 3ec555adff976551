"""Collection of judgements: pairs with grades and line numbers, checked against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements

__all__ = ["Collector"]


class _Pairs(NamedTuple):
    rows: NDArray[np.integer]
    columns: NDArray[np.integer]
    grades: NDArray[np.integer]
    lines: NDArray[np.integer]


class Collector:
    """Judgements in the order of their lines.

    Notes
    -----
    24 bytes a judgement, besides the names.

    Examples
    --------
    >>> collector = Collector()
    >>> collector.extend(["q1", "q1"], ["doc3", "doc5"], [1, 0], lines=[1, 2])
    >>> collector.judgements().documents
    ('doc3', 'doc5')
    """

    def __init__(self) -> None:
        # A new name gets the next number.
        self._queries: dict[str, int] = defaultdict(count().__next__)
        self._documents: dict[str, int] = defaultdict(count().__next__)
        self._parts: list[_Pairs] = []

    def extend(
        self,
        queries: Sequence[str],
        documents: Sequence[str],
        grades: Sequence[int],
        lines: Sequence[int],
    ) -> None:
        """Add judgements.

        Parameters
        ----------
        queries, documents : sequence of str
        grades : sequence of int
        lines : sequence of int
            The number of each judgement's line.

        Raises
        ------
        InputError
            An empty name; names the line.
        """
        for kind, names in (("query", queries), ("document", documents)):
            if "" in names:
                raise InputError(f"line {lines[names.index('')]}: the id of the {kind} is empty")
        self._parts.append(
            _Pairs(
                _number(queries, self._queries),
                _number(documents, self._documents),
                np.array(grades, dtype=np.int64),
                np.array(lines, dtype=np.int64),
            )
        )

    def judgements(self) -> Judgements:
        """Return all judgements, each pair once; a note counts those that come twice.

        Raises
        ------
        InputError
            The same pair has several grades; names both lines.
        """
        empty = np.empty(0, dtype=np.int64)
        rows, columns, grades, lines = (
            map(np.concatenate, zip(*self._parts, strict=True)) if self._parts else (empty,) * 4
        )
        pairs = _Pairs(rows, columns, grades, lines)
        keys = pairs.rows * np.int64(len(self._documents)) + pairs.columns
        order = np.argsort(keys, kind="stable")  # the lines of a pair keep their order
        again = np.diff(keys[order], prepend=-1) == 0
        notes = []
        if again.any():
            notes = [self._repetitions(pairs, order[np.flatnonzero(again) - 1], order[again])]
        order = order[~again]
        return Judgements(
            tuple(self._queries),
            tuple(self._documents),
            pairs.rows[order].astype(np.int64),
            pairs.columns[order].astype(np.int64),
            pairs.grades[order].astype(np.int64),
            notes=tuple(notes),
        )

    def _repetitions(
        self, pairs: _Pairs, earlier: NDArray[np.int64], later: NDArray[np.int64]
    ) -> str:
        """Refuse a pair with several grades; count the judgements that come twice."""
        conflicts = np.flatnonzero(pairs.grades[later] != pairs.grades[earlier])
        if conflicts.size:
            first = conflicts[np.argmin(later[conflicts])]
            self._refuse(pairs, int(earlier[first]), int(later[first]))
        line = pairs.lines[later.min()]
        if len(later) == 1:
            return f"1 judgement repeats an earlier one (line {line}) and counts once"
        return f"{len(later)} judgements repeat earlier ones (line {line} first) and count once"

    def _refuse(self, pairs: _Pairs, earlier: int, later: int) -> NoReturn:
        query = list(self._queries)[pairs.rows[later]]
        document = list(self._documents)[pairs.columns[later]]
        raise InputError(
            f"line {pairs.lines[later]}: document {document!r} has grade {pairs.grades[later]} for "
            f"query {query!r}, but grade {pairs.grades[earlier]} in line {pairs.lines[earlier]}; "
            "keep one of them"
        )


def _number(names: Sequence[str], numbers: dict[str, int]) -> NDArray[np.int32]:
    """Return the numbers of names."""
    return np.fromiter(map(numbers.__getitem__, names), np.int32, len(names))
