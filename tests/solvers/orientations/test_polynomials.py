"""Images of final polynomials: all of them pass the exact check."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Problem, data, load
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.least import Breaker, move
from samapprox.solvers.refutations import polynomials

PROBLEM = Problem(load(data.path("oriented-matroids/rank3_n9_2173.npz")), 2)


def polynomial() -> FinalPolynomial:
    found = polynomials.find_proof(PROBLEM, Search())
    assert isinstance(found, Chirotope)
    return found.polynomials[0]


POLYNOMIAL = polynomial()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(9, 11))
def test_every_image_under_a_signed_permutation_is_one(seed: int, elements: int) -> None:
    rng = np.random.RandomState(seed)
    identity = np.arange(2 * elements)
    nodes = rng.permutation(elements) + elements * (rng.rand(elements) < 0.5)
    moved = np.concatenate([nodes, (nodes + elements) % (2 * elements)])
    breaker = Breaker(np.array([identity, moved]), 3, Search())
    images = breaker.images(POLYNOMIAL.clause)
    assert len(images.literals) == 4  # it, its image, and the mirror images of both
    assert sorted(POLYNOMIAL.clause) in images.literals.tolist()
    for literals, automorphism in zip(images.literals, images.automorphisms, strict=True):
        permutation = breaker.permutation(int(automorphism))
        image = move(POLYNOMIAL, (-literals).tolist(), permutation)
        assert image.find_fault(elements, 3) is None
        assert sorted(image.clause) == literals.tolist()


def test_with_the_permutation_of_another_image_it_is_refused() -> None:
    breaker = Breaker(np.array([[*range(1, 9), 0, *range(10, 18), 9]]), 3, Search())
    images = breaker.images(POLYNOMIAL.clause)
    wrong = move(POLYNOMIAL, (-images.literals[0]).tolist(), np.arange(9))
    assert wrong.find_fault(9, 3) is not None
