"""Divisions against decisions of the whole pattern."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from samapprox import Pattern, Problem, decide, weak_dimension
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.solvers.division.base import Division, merge

__all__ = ["confirm", "undivided"]


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
