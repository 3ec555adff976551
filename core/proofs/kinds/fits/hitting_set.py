"""A proof of NO: cores, and a proof that few wrong rows or entries do not hit all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.proofs.base import Obstruction
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.members import Indices, Record, Records, Vector, Whole
from samapprox.proofs.nested import Nested
from samapprox.proofs.questions.fit import Fit
from samapprox.proofs.words import tabulate
from samapprox.support.text import plural

__all__ = ["Core", "HittingSet", "Packing"]


_IGNORED = Indices(
    "ignored",
    optional=True,
    description="Entries, numbered row by row, that are don't-cares for this core.",
)


@dataclass(frozen=True, slots=True)
class Core(Record):
    """Rows and columns without an embedding: every embedding of the whole errs within them.

    Parameters
    ----------
    proof : Obstruction
        A proof of NO for the dimension, with its rows and columns.
    ignored : iterable of int, optional
        Entries that the proof does without, where entries are the items: it holds for the pattern
        in which they are don't-cares. Entry (i, j) has the number i n + j.

    Raises
    ------
    InputError
        Another proof, or not distinct numbers.
    """

    TITLE = "a core"
    MEMBERS = (Nested("proof", "NO"), _IGNORED)

    proof: Obstruction
    ignored: tuple[int, ...] | None

    def __init__(self, proof: Obstruction, ignored: Iterable[int] | None = None) -> None:
        self._fill(proof=proof, ignored=ignored)

    def pattern(self, pattern: Pattern) -> Pattern:
        """Return the pattern that the proof is about: the whole one, without the ignored entries.

        Raises
        ------
        InputError
            A row has no 1 left.
        """
        if self.ignored is None:
            return pattern
        entries = pattern.to_array()
        places = np.divmod(np.array(self.ignored, dtype=np.int64), pattern.shape[1])
        entries[places] = UNSPECIFIED
        return Pattern.from_array(entries == 1, entries != UNSPECIFIED)


@dataclass(frozen=True, slots=True, eq=False)
class Packing(Record):
    """Weights of cores, of which no item gets more than its own: their sum is a lower bound.

    Parameters
    ----------
    cores : iterable of int
    weights : array_like of int
        One for each of these cores, at least 1.
    denominator : int
        By which all weights are divided.

    Raises
    ------
    InputError
        Not integers, or as many cores as there are not weights.
    """

    TITLE = "a packing"
    MEMBERS = (Indices("cores"), Vector("weights", minimum=1), Whole("denominator"))

    cores: tuple[int, ...]
    weights: ExactArray
    denominator: int

    def __init__(self, cores: Iterable[int], weights: ArrayLike, denominator: int = 1) -> None:
        self._fill(cores=cores, weights=weights, denominator=denominator)
        if len(self.cores) != len(self.weights):
            raise InputError("a packing needs one weight for each of its cores")


@dataclass(frozen=True, slots=True, eq=False)
class HittingSet(Obstruction):
    """Cores without an embedding, and a proof that no small set of items hits all of them.

    Every embedding errs within each core, so its wrong items (rows or entries) form a hitting set
    of the cores. A tree proves that these sets have more than a number of items. Each of its nodes
    is an item: in the first subtree the item is wrong, in the second one it is right. At each leaf,
    a fractional packing of the cores without a wrong item shows that too many items must be wrong.

    Parameters
    ----------
    cores : iterable of Core
    tree : array_like of int
        The nodes in preorder: an item, or -1 for a leaf. Entry (i, j) has the number i n + j.
    packings : iterable of Packing
        One for each leaf, in order.

    References
    ----------
    docs/theory/fits.md has the proof, also that equal rows count with their number.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> proof = HittingSet([Core(Radon([0, 1, 2], [0, 1, 2]))], [-1], [Packing([0], [1])])
    >>> proof.rows, proof.columns, proof.dimension
    ((0, 1, 2), (0, 1, 2), 1)
    """

    KIND = "hitting-set"
    CLAIM = (
        "NO: each core has no embedding, and more rows or entries than allowed are needed to hit "
        "all cores; the tree branches on items, the packings bound its leaves."
    )
    MEMBERS = (
        Records("cores", Core, least=1),
        Vector("tree", least=1, minimum=-1),
        Records("packings", Packing, least=1),
    )

    cores: tuple[Core, ...]
    tree: ExactArray
    packings: tuple[Packing, ...]

    def __init__(self, cores: Iterable[Core], tree: ArrayLike, packings: Iterable[Packing]) -> None:
        self._fill(cores=cores, tree=tree, packings=packings)
        if not self.cores or not self.packings:
            raise InputError("there must be cores and packings")

    @property
    def dimension(self) -> int:
        """The largest dimension that all cores exclude."""
        return min(core.proof.dimension for core in self.cores)

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of all cores, ascending."""
        return tuple(sorted({row for core in self.cores for row in core.proof.rows}))

    @property
    def columns(self) -> tuple[int, ...]:
        """Columns of all cores, ascending."""
        return tuple(sorted({column for core in self.cores for column in core.proof.columns}))

    @property
    def size(self) -> int:
        """The number of entries that the checks of all cores read at most."""
        return sum(core.proof.size for core in self.cores)

    @property
    def caption(self) -> str:
        """The caption of a picture of the cores: half a line on the marked rows and columns."""
        return "every embedding errs within each of the cores"

    def entries_read(self) -> list[tuple[int, int]]:
        """Return the entries that the argument reads, as (row, column)."""
        return sorted({entry for core in self.cores for entry in core.proof.entries_read()})

    def explain(self, question: Fit) -> list[str]:
        """Explain the proof in lines of text."""
        one = {"rows": "row", "entries": "entry"}[question.unit]
        cores, leaves = len(self.cores), len(self.packings)
        how = "a fractional packing" if leaves == 1 else f"a tree with {plural(leaves, 'leaf')}"
        how = how.replace("leafs", "leaves")
        smallest = min((core.proof for core in self.cores), key=lambda proof: proof.size)
        d = question.d
        if cores == 1 and question.wrong == 0:
            words = [f"This core has no embedding in d = {d}, so it contains a wrong {one}:"]
        else:
            hit, each = ("has", "it contains") if cores == 1 else ("have", "each contains")
            words = [
                f"{plural(cores, 'core')} {hit} no embedding in d = {d}, so {each} a "
                f"wrong {one}; {plural(question.wrong, one)} cannot hit all of them ({how} shows "
                "it).",
                "The core:" if cores == 1 else "The smallest of them:",
            ]
        return [
            *words,
            *tabulate(question.pattern, smallest.rows, smallest.columns),
        ]
