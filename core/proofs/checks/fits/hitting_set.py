"""The check of a proof that few wrong items do not hit all cores."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.exact import largest
from samapprox.proofs.kinds.chirotope import Chirotope
from samapprox.proofs.kinds.fits.hitting_set import Core, HittingSet, Packing
from samapprox.proofs.kinds.fits.items import Items
from samapprox.proofs.kinds.similarities.extended import Extended
from samapprox.proofs.questions.fit import Fit

__all__ = ["find_fault"]

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


def find_fault(question: Fit, proof: HittingSet) -> str | None:
    r"""Return the reason why few wrong items may hit all cores, or None.

    Parameters
    ----------
    question : Fit
    proof : HittingSet

    Notes
    -----
    The checks of all cores, and O(items of the cores of each packing).

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import Radon
    >>> from samapprox.proofs.kinds.fits.hitting_set import Core
    >>> cores = [Core(Radon([0, 1, 2], [0, 1, 2])), Core(Radon([3, 4, 5], [0, 1, 2]))]
    >>> pattern = Pattern.from_text("100\n010\n001\n100\n010\n001")
    >>> packing = Packing([0, 1], [2, 2])
    >>> find_fault(Fit(pattern, 1, wrong=1), HittingSet(cores, [-1], [packing]))
    'the packing of leaf 0 gives row 0 more than its weight'
    >>> find_fault(Fit(pattern, 1, wrong=1), HittingSet(cores, [-1], [Packing([0], [2])])) is None
    True
    """
    if fault := _find_fault_of_size(question, proof):
        return fault
    for number, core in enumerate(proof.cores):
        if fault := _find_fault_of_core(question, core):
            return f"core {number}: {fault}"
    items = Items.of(question.pattern, question.unit)
    cores = [items.read_by(core) for core in proof.cores]
    sizes = {number: len(core) for number, core in enumerate(cores)}
    steps = sum(sizes.get(core, 0) for packing in proof.packings for core in packing.cores)
    if steps > _MOST_STEPS:
        return f"its packings are too large to check: {steps} items of their cores"
    return _find_fault_of_tree(proof, cores, items, question.wrong)


def _find_fault_of_core(question: Fit, core: Core) -> str | None:
    """Check that a core has no embedding."""
    pattern = question.pattern
    if core.ignored is not None:
        if question.unit == "rows":
            return "entries are ignored, but the items are rows"
        if max(core.ignored, default=0) >= pattern.shape[0] * pattern.shape[1]:
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
        while isinstance(refutation, Extended):
            refutation = refutation.proof
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
