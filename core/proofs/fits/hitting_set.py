"""A proof of NO: cores, and a proof that few wrong rows or entries do not hit all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Obstruction, Record, Records
from samapprox.proofs.checker import check
from samapprox.proofs.exact import ExactArray, Vector, largest
from samapprox.proofs.fits.items import Items
from samapprox.proofs.members import Indices, Whole
from samapprox.proofs.questions import Fit
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.words import tabulate
from samapprox.support.text import plural

_MOST_CORES = 1 << 16
"""Each takes a tenth of a millisecond at least; honest proofs have some thousand."""

_MOST_CLAUSES = 1 << 24
"""Clauses of orientations, over all cores."""

_MOST_ELEMENTS = 1 << 10

_LARGEST_DIMENSION = 1 << 5

_MOST_ENTRIES = 1 << 20
"""Entries of all cores, where entries are the items."""

_MOST_COPIED = 1 << 28
"""Entries of the pattern, once for each core that ignores some of them."""

_MOST_WEIGHT = 1 << 128
"""Beyond all honest weights; sums of longer ones, one for each item, would fill the memory."""

_MOST_STEPS = 1 << 24
"""Items of cores, over all packings, of the largest tree that is read: some ten seconds."""

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
        self._fill(proof, ignored)

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
        The numbers of these cores in the proof.
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
        self._fill(cores, weights, denominator)
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
        The cores that wrong items must hit.
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
    TASK = "fit"
    SIMILARITIES = ("dot", "cosine", "l2")
    CLAIM = (
        "NO: each core has no embedding, and more rows or entries than allowed are needed to hit "
        "all cores; the tree branches on items, the packings bound its leaves."
    )
    caption = "every embedding errs within each of the cores"
    MEMBERS = (
        Records("cores", Core, least=1),
        Vector("tree", least=1, minimum=-1),
        Records("packings", Packing, least=1),
    )

    cores: tuple[Core, ...]
    tree: ExactArray
    packings: tuple[Packing, ...]

    def __init__(self, cores: Iterable[Core], tree: ArrayLike, packings: Iterable[Packing]) -> None:
        self._fill(cores, tree, packings)
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

    def entries_read(self) -> list[tuple[int, int]]:
        return sorted({entry for core in self.cores for entry in core.proof.entries_read()})

    def find_fault(self, question: Fit) -> str | None:
        """Return the reason why few wrong items may hit all cores, or None.

        The checks of all cores, and O(items of the cores of each packing).
        """
        if question.at is not None:
            return "its cores say nothing about rows that are right at K"
        if fault := _find_fault_of_size(question, self):
            return fault
        for number, core in enumerate(self.cores):
            if fault := _find_fault_of_core(question, core):
                return f"core {number}: {fault}"
        items = Items.of(question.pattern, question.unit)
        cores = [items.read_by(core) for core in self.cores]
        sizes = {number: len(core) for number, core in enumerate(cores)}
        steps = sum(sizes.get(core, 0) for packing in self.packings for core in packing.cores)
        if steps > _MOST_STEPS:
            return f"its packings are too large to check: {steps} items of their cores"
        return _find_fault_of_tree(self, cores, items, question.wrong)

    def explain(self, question: Fit) -> list[str]:
        one = {"rows": "row", "entries": "entry"}[question.unit]
        cores, leaves = len(self.cores), len(self.packings)
        how = "a fractional packing" if leaves == 1 else f"a tree with {plural(leaves, 'leaf')}"
        how = how.replace("leafs", "leaves")
        smallest = min((core.proof for core in self.cores), key=lambda proof: proof.size)
        d = question.d
        if cores == 1 and question.wrong == 0:
            words = [
                f"This core (a part of the pattern) has no embedding in d = {d}, so it contains a "
                f"wrong {one}:"
            ]
        else:
            hit, each = ("has", "it contains") if cores == 1 else ("have", "each contains")
            parts = "a part of the pattern" if cores == 1 else "parts of the pattern"
            words = [
                f"{plural(cores, 'core')} ({parts}) {hit} no embedding in d = {d}, so {each} a "
                f"wrong {one}; {plural(question.wrong, one)} cannot hit all of them ({how} shows "
                "it).",
                "The core:" if cores == 1 else "The smallest of them:",
            ]
        return [
            *words,
            *tabulate(question.pattern, smallest.rows, smallest.columns),
        ]


def _find_fault_of_core(question: Fit, core: Core) -> str | None:
    """Check that a core has no embedding."""
    pattern = question.pattern
    if core.ignored is not None:
        if question.unit == "rows":
            return "entries are ignored, but the items are rows"
        if max(core.ignored, default=0) >= pattern.size:
            return f"it ignores entry {max(core.ignored)}, which the pattern does not have"
        try:
            pattern = core.pattern(pattern)
        except InputError as error:
            return str(error)
    return check(Problem(pattern, question.d, None, question.similarity), core.proof)


def _find_fault_of_size(question: Fit, proof: HittingSet) -> str | None:
    """Refuse cores whose checks take too long together, and absurd weights."""
    if len(proof.cores) > _MOST_CORES:
        return f"it has {len(proof.cores)} cores, more than {_MOST_CORES}: too large to check"
    for leaf, packing in enumerate(proof.packings):
        if (weight := largest(packing.weights)) > _MOST_WEIGHT:
            bits = weight.bit_length()
            return f"weights of the packing of leaf {leaf}, of up to {bits} bits, are too large"
    if question.unit == "entries" and proof.size > _MOST_ENTRIES:
        return f"its cores are too large to check: {proof.size} entries in all"
    rows, columns = question.pattern.shape
    copies = sum(core.ignored is not None for core in proof.cores)
    if copies * rows * columns > _MOST_COPIED:
        return f"entries of a {rows} x {columns} pattern are too many to be ignored"
    clauses = 0
    for core in proof.cores:
        refutation = core.proof
        while isinstance(inner := getattr(refutation, "proof", None), Obstruction):
            refutation = inner
        if isinstance(refutation, Chirotope):
            sides = len(refutation.columns), len(refutation.rows) + 1
            elements, covectors = sides if refutation.elements == "columns" else sides[::-1]
            if elements > _MOST_ELEMENTS or refutation.d > _LARGEST_DIMENSION:
                return f"a core of {elements} elements in d = {refutation.d} is too large to check"
            circuits = comb(elements, refutation.d + 2)
            clauses += 2 * circuits * min(covectors, 1 << refutation.d + 1)
    if clauses > _MOST_CLAUSES:
        return f"its cores are too large to check: {clauses} clauses in all"
    return None


def _find_fault_of_tree(
    proof: HittingSet, cores: Sequence[set[int]], items: Items, wrong: int
) -> str | None:
    """Check that every leaf of the tree needs more wrong items than allowed."""
    leaf = 0
    path: dict[int, bool] = {}  # the items on the way to a node: true for wrong, false for right
    allowed = wrong  # the number of items that may be wrong besides these
    is_complete = False
    for node in proof.tree.tolist():
        if is_complete:
            return "the tree has nodes beyond its last leaf"
        if node >= items.count:
            return f"the tree names item {node}, but there are only {items.count} {items.unit}"
        if node >= 0:
            item = items.find_first(node)
            if item in path:
                return f"the tree decides {_name(items, item)} twice on one way"
            path[item] = True
            allowed -= items.weigh(item)
            continue
        if leaf == len(proof.packings):
            return f"leaf {leaf} has no packing"
        if fault := _find_fault_of_packing(proof.packings[leaf], cores, items, path, allowed):
            return f"the packing of leaf {leaf} {fault}"
        leaf += 1
        is_complete = True
        while path and is_complete:
            item, is_wrong = path.popitem()  # the last that was decided
            if is_wrong:
                path[item] = is_complete = False
                allowed += items.weigh(item)
    if not is_complete:
        return "the tree has too few leaves"
    if leaf < len(proof.packings):
        return f"there are {len(proof.packings)} packings, but only {leaf} leaves"
    return None


def _find_fault_of_packing(
    packing: Packing,
    cores: Sequence[set[int]],
    items: Items,
    path: dict[int, bool],
    allowed: int,
) -> str | None:
    """Check that more items than allowed are wrong among those that are open at a leaf."""
    used: dict[int, int] = {}
    total = 0
    for core, weight in zip(packing.cores, packing.weights.tolist(), strict=True):
        if core >= len(cores):
            return f"names core {core}, but there are only {len(cores)}"
        for item in cores[core]:
            is_wrong = path.get(item)
            if is_wrong:
                return f"names core {core}, which a wrong item hits"
            if is_wrong is None:
                used[item] = used.get(item, 0) + weight
        total += weight
    for item, sum_of_weights in used.items():
        if sum_of_weights > packing.denominator * items.weigh(item):
            return f"gives {_name(items, item)} more than its weight"
    if total <= packing.denominator * allowed:
        return f"sums up to {total}/{packing.denominator}, and {allowed} more items may be wrong"
    return None


def _name(items: Items, item: int) -> str:
    if items.unit == "rows":
        return f"row {item}"
    row, column = divmod(item, items.shape[1])
    return f"entry ({row}, {column})"
