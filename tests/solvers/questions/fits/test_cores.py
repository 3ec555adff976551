"""Known cores against brute force and the check of proofs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import RandomState as Random

from samapprox import Pattern
from samapprox.proofs.checker import check
from samapprox.proofs.fits.items import Items
from samapprox.proofs.questions import Fit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.hitting_sets import KnownCores
from samapprox.solvers.questions.fits.remainders import list_items


def cores_of(entries: np.ndarray, d: int, similarity: str = "dot") -> KnownCores:
    question = Fit(Pattern.from_array(entries), d, 0, similarity=similarity)
    items = Items.of(question.pattern, "rows")
    cores = KnownCores(question, items, list_items(question.pattern, items))
    cores.list_few_rows(5.0, Search())
    return cores


@pytest.mark.parametrize(("d", "similarity"), [(1, "dot"), (2, "dot"), (1, "l2")])
def test_what_cores_show_passes_the_check(d: int, similarity: str) -> None:
    proven = 0
    for seed in range(3):
        entries = Random(seed).rand(20, 9) < 0.5
        entries[:, 0] |= ~entries.any(axis=1)
        cores = cores_of(entries, d, similarity)
        least = cores.hit(Search()).bound
        assert cores.bound_by_packing() <= least
        pattern = Pattern.from_array(entries)
        for wrong in range(least):
            proof = cores.prove_more_than(wrong, Search())
            assert proof is not None
            assert check(Fit(pattern, d, wrong, similarity=similarity), proof) is None
            proven += 1
        assert cores.prove_more_than(least, Search()) is None
    assert proven > 4


def test_least_hitting_sets_hit_all_cores_and_the_next_item_is_of_most() -> None:
    """On a line, three keys that are singled out are a core: all triples of the identity's rows."""
    cores = cores_of(np.eye(5), 1)
    assert len(cores) == 10
    hit = cores.hit(Search())
    assert len(hit.items) == hit.bound == 3
    assert cores.are_hit(hit.items)
    assert not cores.are_hit([0, 1])
    assert cores.choose([0, 1]) in (2, 3, 4)


def test_a_core_is_known_once() -> None:
    cores = cores_of(np.eye(5), 1)
    cores.list_few_rows(5.0, Search())
    assert len(cores) == 10


def test_there_are_no_lists_for_entries() -> None:
    question = Fit(Pattern.from_array(np.eye(5)), 1, 0, "entries")
    items = Items.of(question.pattern, "entries")
    cores = KnownCores(question, items, list_items(question.pattern, items))
    cores.list_few_rows(5.0, Search())
    assert len(cores) == 0
    assert cores.bound_by_packing() == 0
