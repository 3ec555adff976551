"""The atlas: the least dimension of every small pattern, each with both proofs.

Patterns are counted up to the order of rows and columns and complements of rows, and only where
they are *reduced*: no equal or complementary rows, no equal columns, no constant row. All others
have the dimension of a reduced one. A pattern is *minimal* if all its row- and column-deletions
have a smaller dimension.

Many dimensions follow from those of the deletions (see `heredity`). The others are decided: by keys
of earlier embeddings (see `key_sets`), else by the strategies. Every class has two proofs: an
embedding in d dimensions, and the refutation of d - 1 dimensions of a minimal pattern that it
contains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from records.classes import extend, pattern_rows, separate_columns
from records.decisions import Decisions
from records.heredity import Core, lift_embedding, place_core, place_proof
from records.key_sets import KeySets
from records.levels import Entries, Level, bound_dimensions, delete_lines, without_rows
from samapprox import Certificate, Embedding, Pattern, Problem
from samapprox.proofs.base import Submatrix

__all__ = ["Atlas", "Minimal"]

Proofs = dict[int, Embedding | Submatrix | None]
"""Proofs of the classes that are decided, by place; None for d = 1 as the least that there is."""


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
        self._rows, self._columns, self._quiet = rows, columns, quiet
        self._decisions = Decisions(journal, seconds)
        dimensions = range(1, rows + 1)
        self._key_sets = {n: {d: KeySets(n, d) for d in dimensions} for n in range(1, columns + 1)}

    def build(self) -> Iterator[tuple[int, int]]:
        """Make all levels; yield the shape of each as it is done."""
        for n in range(1, self._columns + 1):
            self.levels[0, n] = without_rows(n)
            for m in range(1, self._rows + 1):
                self.levels[m, n] = self._level(m, n)
                yield m, n

    def pattern(self, m: int, n: int, at: int) -> Pattern:
        """The pattern of a class."""
        return Pattern(pattern_rows(self.levels[m, n].forms[at], n))

    def certificates(self, m: int, n: int, at: int) -> tuple[Certificate | None, Certificate]:
        """The certificates of a class: NO for d - 1, None for d = 1, and YES for d."""
        level = self.levels[m, n]
        d, core = int(level.d[at]), level.cores[at]
        pattern, minimal = self.pattern(m, n, at), self.minimal[core.minimal]
        yes = Certificate.of(Problem(pattern, d), level.embeddings[at])
        if minimal.no is None:
            return None, yes
        proof = place_proof(pattern.to_array().astype(np.uint8), core, minimal.entries, minimal.no)
        return Certificate.of(Problem(pattern, d - 1), proof), yes

    def _level(self, m: int, n: int) -> Level:
        extended = extend(self.levels[m - 1, n].forms, n)
        least, most = bound_dimensions(self.levels, m, n, extended)
        reduced = separate_columns(extended.forms, n)
        most[~reduced] = least[~reduced]  # the same as without one of two equal columns
        minimal = np.zeros(len(least), dtype=np.bool_)
        level = Level(n, extended.forms, reduced, least.copy(), minimal, [], [])
        proofs = self._decide(level, m, np.flatnonzero(least < most))
        minimal[[at for at, proof in proofs.items() if not isinstance(proof, Embedding)]] = True
        level.d[minimal] += 1
        for at in self._progress(range(len(least)), f"{m} x {n}: proofs"):
            self._prove(level, at, proofs)
        return level

    def _decide(self, level: Level, m: int, undecided: NDArray[np.int64]) -> Proofs:
        """Decide whether classes need one dimension more than their deletions do."""
        proofs: Proofs = {}
        for at in self._progress(undecided.tolist(), f"{m} x {level.n}: decisions"):
            form, d = level.forms[at], int(level.d[at])
            if d == 0:  # one row on two columns
                proofs[at] = None
                continue
            key_sets = self._key_sets[level.n][d]
            proof: Embedding | Submatrix | None = key_sets.embedding(form)
            if proof is None:
                proof = self._decisions.decide(form, level.n, d)
                if isinstance(proof, Embedding):
                    key_sets.add(proof.keys)
            proofs[at] = proof
        return proofs

    def _prove(self, level: Level, at: int, proofs: Proofs) -> None:
        """Append both proofs of a class: its own, or those of a deletion carried over."""
        d, form, own = int(level.d[at]), level.forms[at], proofs.get(at)
        embedding = own if isinstance(own, Embedding) else None
        core = None
        if level.minimal[at]:
            rows = range(int(np.bitwise_count(form)))
            core = Core(len(self.minimal), tuple(rows), tuple(range(level.n)))
        for step in delete_lines(self.levels, form, level.n):
            if embedding is None and (step.d < d or not level.reduced[at]):
                embedding = lift_embedding(step.place, step.level.embeddings[step.at])
            if core is None and step.d == d:
                core = place_core(step.place, step.level.cores[step.at])
            if core is not None and embedding is not None:
                break
        assert embedding is not None
        assert core is not None
        if level.minimal[at]:
            assert not isinstance(own, Embedding)
            self.minimal.append(Minimal(pattern_rows(form, level.n), d, own, embedding))
        level.embeddings.append(embedding)
        level.cores.append(core)

    def _progress(self, items: Any, title: str) -> Any:
        screen = Console(stderr=True, quiet=self._quiet)
        return track(items, title, console=screen, transient=True)
