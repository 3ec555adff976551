"""Divisions against decisions of the whole pattern."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from samapprox import Pattern, Problem, decide, weak_dimension
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.solvers.division.base import Division, merge

__all__ = ["confirm", "random_tree", "undivided"]


def random_tree(random: np.random.RandomState) -> Pattern:
    """Blocks that share a column with an earlier one, or none; some rows complemented."""
    density = random.choice([0.4, 0.5, 0.6])
    rows: list[list[int]] = []
    columns = 0
    for block in range(random.randint(2, 5)):
        width = random.randint(2, 6)
        own = list(range(columns, columns + width))
        if block and random.rand() < 0.85:
            own.append(random.randint(columns))
        columns += width
        chosen = ([c for c in own if random.rand() < density] for _ in range(random.randint(1, 8)))
        rows += [row for row in chosen if row]
    entries = np.zeros((max(1, len(rows)), columns), dtype=np.int8)
    entries[0, 0] = 1
    for row, own in enumerate(rows):
        entries[row, own] = 1
    flipped = (random.rand(len(entries)) < 0.2) & (entries == 0).any(axis=1)
    entries[flipped] ^= 1
    return Pattern.from_array(entries)


@contextmanager
def undivided() -> Iterator[None]:
    """Decisions of the whole pattern, whose equal rows and columns are merged, and no more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("samapprox.solvers.division.division.divide_large", merge)
        yield


def confirm(pattern: Pattern, division: Division) -> None:
    """The leaves' dimensions make up that of the pattern, and every proof of theirs goes back."""
    with undivided():
        found = [weak_dimension(leaf, time_limit=30, threads=1) for leaf in division.leaves]
        whole = weak_dimension(pattern, time_limit=30, threads=1)
    for leaf in division.leaves:
        merged = simplify(leaf).pattern
        assert merged is not None
        assert merged.shape == leaf.shape
    assert whole.exact
    assert all(leaf.exact for leaf in found)
    d = max([2, *(leaf.lower for leaf in found)])
    assert max(2, whole.lower) == d
    witnesses = []
    for leaf, bounds in zip(division.leaves, found, strict=True):
        proof = decide(leaf, bounds.upper).proof
        assert isinstance(proof, Witness)
        witnesses.append(proof)
    glued = division.glue(witnesses)
    assert isinstance(glued, Witness)
    assert glued.dimension <= d
    assert check(Problem(pattern, d), glued) is None
    assert check(Problem(pattern, d), glued.embedding(pattern)) is None
    for number, bounds in enumerate(found):
        if bounds.no is not None:
            lifted = division.lift(number, bounds.no.proof)  # type: ignore[arg-type]
            assert not isinstance(lifted, str)
            assert check(Problem(pattern, bounds.lower - 1), lifted) is None
