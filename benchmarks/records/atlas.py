"""The atlas: the least dimension of every small pattern, each with both proofs.

Patterns are counted up to the order of rows and columns and complements of rows, and only where
they are *reduced*: no equal or complementary rows, no equal columns, no constant row. All others
have the dimension of a reduced one. A pattern is *minimal* if all its row- and column-deletions
have a smaller dimension.

Many dimensions follow from those of the deletions (see `heredity`). The others are decided, and a
journal keeps these decisions, so that a run that was interrupted goes on. Every class has two
proofs: an embedding in d dimensions, and the refutation of d - 1 dimensions of a minimal pattern
that it contains.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from records.classes import (
    Sets,
    canonical_forms,
    delete_column,
    extend,
    pattern_rows,
    separate_columns,
)
from records.heredity import Core, Place, lift_embedding, place_core, place_proof
from records.key_sets import KeySets
from samapprox import Certificate, Embedding, Pattern, Problem, decide
from samapprox.proofs.base import Submatrix

__all__ = ["Atlas", "Level", "Minimal", "UndecidedError"]

Entries = NDArray[np.uint8]
Name = tuple[int, int, int]
"""Columns, canonical form and dimension of a decision."""


class UndecidedError(Exception):
    """The time limit of a decision was too short."""


@dataclass(frozen=True)
class Minimal:
    """A minimal pattern: its every row- and column-deletion has dimension d - 1.

    Attributes
    ----------
    entries : ndarray of uint8, shape (m, n)
    d : int
    no : Submatrix or None
        The refutation of d - 1; None for d = 1.
    yes : Embedding
    """

    entries: Entries
    d: int
    no: Submatrix | None
    yes: Embedding


@dataclass(frozen=True)
class Level:
    """All classes of m rows and n columns; also those with equal columns, which are not reduced.

    Attributes
    ----------
    n : int
    forms : ndarray of uint64
        Canonical forms, ascending.
    reduced : ndarray of bool
    d : ndarray of int64
    embeddings : list of Embedding
    cores : list of Core
    minimal : ndarray of bool
    """

    n: int
    forms: Sets
    reduced: NDArray[np.bool_]
    d: NDArray[np.int64]
    embeddings: list[Embedding]
    cores: list[Core]
    minimal: NDArray[np.bool_]

    def place(self, form: np.uint64) -> int:
        """The place of a class by its canonical form."""
        at = int(np.searchsorted(self.forms, form))
        assert self.forms[at] == form
        return at


@dataclass(frozen=True)
class Step:
    """A deletion of a class: a smaller class and how it lies in this one."""

    level: Level
    at: int
    place: Place

    @property
    def d(self) -> int:
        """The dimension of the smaller class."""
        return int(self.level.d[self.at])


class Atlas:
    """The classes of at most `rows` x `columns`, level by level.

    Parameters
    ----------
    rows, columns : int
        At most 7 columns.
    journal : Path or None
        A file of decisions, which a later run reads.
    seconds : float
        Time limit of one decision.
    quiet : bool
        No progress on standard error.
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        journal: Path | None = None,
        *,
        seconds: float = 60.0,
        quiet: bool = False,
    ) -> None:
        self.minimal: list[Minimal] = []
        self.levels: dict[tuple[int, int], Level] = {}
        self._journal, self._seconds, self._quiet = journal, seconds, quiet
        self._known = _read(journal) if journal is not None and journal.exists() else {}
        self._rows, self._columns = rows, columns
        dimensions = range(1, rows + 1)
        self._key_sets = {n: {d: KeySets(n, d) for d in dimensions} for n in range(1, columns + 1)}

    def build(self) -> Iterator[tuple[int, int]]:
        """Make all levels; yield the shape of each as it is done."""
        for n in range(1, self._columns + 1):
            self.levels[0, n] = _without_rows(n)
            for m in range(1, self._rows + 1):
                self.levels[m, n] = self._level(m, n)
                yield m, n

    def pattern(self, m: int, n: int, at: int) -> Pattern:
        """The pattern of a class."""
        return Pattern(pattern_rows(self.levels[m, n].forms[at], n))

    def certificates(self, m: int, n: int, at: int) -> tuple[Certificate | None, Certificate]:
        """The certificates of a class: NO for d - 1, which d = 1 has not, and YES for d."""
        level = self.levels[m, n]
        d, core = int(level.d[at]), level.cores[at]
        pattern, minimal = self.pattern(m, n, at), self.minimal[core.minimal]
        yes = Certificate.of(Problem(pattern, d), level.embeddings[at])
        if minimal.no is None:
            return None, yes
        proof = place_proof(pattern.to_array(), core, minimal.entries, minimal.no)
        return Certificate.of(Problem(pattern, d - 1), proof), yes

    # ------------------------------------------------------------------------------------ one level

    def _level(self, m: int, n: int) -> Level:
        extended = extend(self.levels[m - 1, n].forms, n)
        forms = extended.forms
        least, most = self._bounds(m, n, extended)
        reduced = separate_columns(forms, n)
        most[~reduced] = least[~reduced]  # the same as without one of two equal columns
        level = Level(n, forms, reduced, least.copy(), [], [], np.zeros(len(forms), dtype=np.bool_))
        undecided = np.flatnonzero(least < most)
        own: dict[int, Embedding | Submatrix | None] = {}
        for at, proof in self._decisions(level, m, undecided):
            own[at] = proof
            if not isinstance(proof, Embedding):
                level.d[at] += 1
                level.minimal[at] = True
        for at in self._progress(range(len(forms)), f"{m} x {n}: proofs"):
            self._prove(level, m, at, own)
        return level

    def _bounds(self, m: int, n: int, extended: Any) -> tuple[Any, Any]:
        """Bounds of all classes of a level, from their deletions."""
        rows_less = self.levels[m - 1, n].d[extended.parent]
        least = np.zeros(len(extended.forms), dtype=np.int64)
        most = np.full(len(extended.forms), m + n, dtype=np.int64)
        np.maximum.at(least, extended.child, rows_less)
        np.minimum.at(most, extended.child, rows_less)
        for column in range(n if n > 1 else 0):
            sets = delete_column(extended.forms, n, column)
            smaller = canonical_forms(sets, n - 1).forms
            heights = np.bitwise_count(smaller)
            for height in np.unique(heights):
                level, here = self.levels[int(height), n - 1], heights == height
                d = level.d[np.searchsorted(level.forms, smaller[here])]
                least[here] = np.maximum(least[here], d)
                most[here] = np.minimum(most[here], d)
        return least, most + 1

    def _decisions(
        self, level: Level, m: int, undecided: NDArray[np.int64]
    ) -> Iterator[tuple[int, Embedding | Submatrix | None]]:
        """Decide whether classes need more dimensions than their deletions do."""
        key_sets = self._key_sets[level.n]
        for at in self._progress(undecided.tolist(), f"{m} x {level.n}: decisions"):
            form, d = level.forms[at], int(level.d[at])
            if d == 0:  # one row on two columns
                yield at, None
                continue
            embedding = key_sets[d].embedding(form)
            if embedding is None:
                pattern = Pattern(pattern_rows(form, level.n))
                proof = self._decision(pattern, form, d)
                if not isinstance(proof, Embedding):
                    yield at, proof
                    continue
                embedding = proof
                key_sets[d].add(embedding.keys)
            yield at, embedding

    def _decision(self, pattern: Pattern, form: np.uint64, d: int) -> Embedding | Submatrix:
        """Decide a class, or read the decision of an earlier run."""
        name = (pattern.shape[1], int(form), d)
        if name in self._known:
            certificate = Certificate.from_json(self._known[name])
        else:
            found = decide(pattern, d, time_limit=self._seconds).certificate
            if found is None:
                raise UndecidedError(f"{pattern.to_text()!r} in d = {d} after {self._seconds:g} s")
            certificate = found
            self._keep(name, certificate)
        return _proof(certificate, pattern, d)

    def _keep(self, name: Name, certificate: Certificate) -> None:
        if self._journal is not None:
            with self._journal.open("a") as stream:
                stream.write(json.dumps([*name, certificate.to_json()]) + "\n")

    def _prove(
        self, level: Level, m: int, at: int, own: dict[int, Embedding | Submatrix | None]
    ) -> None:
        """Append both proofs of a class: its own, or those of a deletion carried over."""
        d, entries = int(level.d[at]), pattern_rows(level.forms[at], level.n)
        steps = self._steps(entries, level.forms[at], bool(level.reduced[at]))
        embedding, core = own.get(at), None
        if level.minimal[at]:
            no = own[at]
            assert not isinstance(no, Embedding)
            embedding = None
            core = Core(len(self.minimal), tuple(range(m)), tuple(range(level.n)))
        for step in steps:
            if embedding is None and (step.d == d - 1 or not level.reduced[at]):
                embedding = lift_embedding(step.place, step.level.embeddings[step.at])
            if core is None and step.d == d:
                core = place_core(step.place, step.level.cores[step.at])
            if core is not None and embedding is not None:
                break
        assert isinstance(embedding, Embedding)
        assert core is not None
        if level.minimal[at]:
            self.minimal.append(Minimal(entries, d, no, embedding))
        level.embeddings.append(embedding)
        level.cores.append(core)

    def _steps(self, entries: Entries, form: np.uint64, reduced: bool) -> Iterator[Step]:
        """The deletions of a class; without one of two equal columns, if there are such."""
        m, n = entries.shape
        one = np.array([form], dtype=np.uint64)
        if not reduced:
            equal = (entries[:, :, None] == entries[:, None, :]).all(axis=0)
            copy = int(np.argmax(np.tril(equal, -1).any(axis=1)))
            yield self._step(
                entries, delete_column(one, n, copy), copy, None, int(equal[copy].argmax())
            )
            return
        for row in range(m):
            split = np.uint64(int(entries[row] @ (1 << np.arange(n))))
            yield self._step(entries, one & ~(np.uint64(1) << split), None, row)
        for column in range(n):
            yield self._step(entries, delete_column(one, n, column), column, None)

    def _step(
        self,
        entries: Entries,
        left: Sets,
        column: int | None,
        row: int | None,
        same: int | None = None,
    ) -> Step:
        n = entries.shape[1] - (column is not None)
        canonical = canonical_forms(left, n)
        level = self.levels[int(np.bitwise_count(left[0])), n]
        column_of = canonical.orders[0]
        if column is not None:
            column_of = np.insert(column_of, column, -1)
        if same is not None:
            column_of[column] = column_of[same]
        smaller = pattern_rows(canonical.forms[0], n)
        return Step(level, level.place(canonical.forms[0]), Place(entries, smaller, column_of, row))

    def _progress(self, items: Any, title: str, total: int | None = None) -> Any:
        disable = True if self._quiet else None
        return tqdm(items, title, total, disable=disable, delay=2, leave=False)


def _without_rows(n: int) -> Level:
    """The class without rows, which needs no dimension."""
    one = np.zeros(1, dtype=np.uint64)
    nothing = Embedding(np.zeros((0, 0)), np.zeros((n, 0)), np.zeros(0))
    core = Core(-1, (), ())
    return Level(
        n, one, np.array([n == 1]), np.zeros(1, dtype=np.int64), [nothing], [core], one > 0
    )


def _proof(certificate: Certificate, pattern: Pattern, d: int) -> Embedding | Submatrix:
    """The proof of a certificate of this class and dimension, checked again."""
    check = certificate.verify(pattern)
    if not check or certificate.d != d:
        raise ValueError(f"a wrong certificate for d = {d}: {check.reason}")
    proof = certificate.proof
    if certificate.answer == "YES":
        embedding: Embedding = proof.embedding(pattern)  # type: ignore[attr-defined]
        return embedding
    assert isinstance(proof, Submatrix)
    return proof


def _read(journal: Path) -> dict[Name, Any]:
    """The decisions of earlier runs; a last line that was cut off is removed."""
    content = journal.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        journal.write_bytes(whole)
    return {(n, form, d): proof for n, form, d, proof in map(json.loads, whole.splitlines())}
