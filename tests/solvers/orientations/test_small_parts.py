"""Final polynomials of few elements: valid, about the orientations at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samapprox.reductions.families.arrangements import _extended, _nearly_pappus
from samapprox.reductions.oriented_matroid import OrientedMatroid, orientations
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import final_polynomial_of_part


@pytest.mark.parametrize("more", [0, 1, 2])
@pytest.mark.parametrize("known", [True, False], ids=["told", "not told"])
def test_the_nine_elements_of_ringel_are_found_among_more(more: int, known: bool) -> None:
    matroid = _nearly_pappus(0)
    rng = np.random.RandomState(more)
    for _ in range(more):
        matroid = _extended(matroid, rng)
    doubtful = np.where(np.arange(matroid.elements) < 9, 2.0 * known, 0.5 * known)
    found = final_polynomial_of_part(matroid.signs, doubtful, 3, rng, Search())
    assert found is not None
    assert found.find_fault(matroid.elements, 3) is None
    # The orientations have all the signs that contradict each other.
    assert all(matroid.signs[abs(sign) - 1] == np.sign(sign) for sign in found.signs)
    if known:
        names = {element for step in found.steps for element in (*step.fixed, *step.four)}
        assert names <= set(range(9))


@settings(max_examples=10)
@given(st.sampled_from([(3, 9), (4, 8), (4, 9), (5, 9)]), st.integers(0, 2**31))
def test_vectors_have_none(size: tuple[int, int], seed: int) -> None:
    rank, elements = size
    vectors = np.random.RandomState(seed).randint(-50, 51, size=(elements, rank))
    assume(0 not in orientations(vectors))
    signs = OrientedMatroid.from_vectors(vectors).signs
    rng = np.random.RandomState(0)
    assert final_polynomial_of_part(signs, np.zeros(elements), rank, rng, Search()) is None
