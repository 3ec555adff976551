"""Final polynomials about elements with other numbers prove the same."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox.proofs.refutations.orientation_clauses import circuit_kinds
from samapprox.reductions.families.arrangements import _nearly_pappus
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import final_polynomial
from samapprox.solvers.orientations.cores import (
    choose_covectors,
    elements_of,
    renumber,
    shown_kinds,
)


@pytest.mark.parametrize("seed", range(4))
def test_it_stays_valid_among_more_elements_and_back(seed: int) -> None:
    chi = np.append(np.int8(0), _nearly_pappus(0).signs)
    polynomial = final_polynomial(chi, 9, 3, Search())
    assert polynomial is not None
    numbers = np.sort(np.random.RandomState(seed).permutation(12)[:9])
    among_more = renumber(polynomial, numbers, 3)
    assert among_more.find_fault(12, 3) is None
    assert elements_of(among_more) == numbers[elements_of(polynomial)].tolist()
    back = np.full(12, -1)
    back[numbers] = np.arange(9)
    assert renumber(among_more, back, 3) == polynomial


@pytest.mark.parametrize("seed", range(5))
def test_the_chosen_covectors_show_all_kinds(seed: int) -> None:
    signs = np.random.RandomState(seed).randint(-1, 2, size=(12, 7)).astype(np.int8)
    subsets, codes = circuit_kinds(signs, 3)
    shows = shown_kinds(signs, subsets, codes)
    for at, covector in enumerate(signs):
        mine = circuit_kinds(signs[at : at + 1], 3)
        of_mine = {(tuple(s), c) for s, c in zip(mine[0].tolist(), mine[1].tolist(), strict=True)}
        every = zip(subsets.tolist(), codes.tolist(), strict=True)
        assert shows[at].tolist() == [(tuple(s), c) in of_mine for s, c in every], covector
    chosen = choose_covectors(shows, first=True)
    assert 0 in chosen
    assert shows[chosen].any(axis=0).all()
