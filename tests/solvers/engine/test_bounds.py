"""Bounds never cross and only improve, whatever strategies find; reading them changes nothing."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern, decide
from samapprox.errors import CertificateError
from samapprox.proofs import Radon
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.decision import Decision
from samapprox.solvers.engine.engine import Engine
from samapprox.solvers.engine.least import LeastDimension
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search

SIMILARITIES = st.sampled_from(["dot", "cosine", "l2"])


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Small, with a 1 in every row."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    entries = np.array([[draw(st.booleans()) for _ in range(columns)] for _ in range(rows)])
    entries[:, 0] |= ~entries.any(axis=1)
    return Pattern(entries)


@settings(max_examples=25, deadline=None)
@given(patterns(), SIMILARITIES, st.integers(1, 4) | st.none())
def test_bounds_never_cross_and_only_improve(
    pattern: Pattern, similarity: str, d: int | None
) -> None:
    from samapprox import Problem
    from samapprox.similarities import find_similarity

    record = find_similarity(similarity)
    bounds = Bounds(pattern, record)
    strategies, search = choose(similarity=record), Search.within(1.0, 0)
    seen = [(bounds.lower, bounds.upper)]
    engine: Engine
    if d is None:
        engine = LeastDimension(bounds, strategies, search)
        engine._begin()
    else:
        engine = Decision(bounds, Problem(pattern, d, similarity=record), strategies, search)
    for _ in range(40):
        seen.append((bounds.lower, bounds.upper))
        if not engine.step():
            break
    engine.conclude()
    seen.append((bounds.lower, bounds.upper))
    assert all(1 <= lower <= upper for lower, upper in seen)
    lowers, uppers = zip(*seen, strict=True)
    assert list(lowers) == sorted(lowers)
    assert list(uppers) == sorted(uppers, reverse=True)
    for side in (bounds.yes, bounds.no):
        assert side is None or side.certificate is None or side.certificate.verify(pattern)


def test_reading_changes_nothing() -> None:
    pattern = Pattern(np.kron(np.eye(9), np.ones((3, 4)) - np.eye(3, 4)))
    bounds = Bounds(pattern)
    engine = LeastDimension(bounds, choose(), Search.within(5.0, 0))
    engine._begin()
    before = copy.copy(vars(bounds))
    for _ in range(2):
        assert bounds.lower <= bounds.upper
        assert bounds.dimension.lower == bounds.lower
        assert bounds.verdict(1).problem.d == 1
        assert engine.over in (True, False)
    assert vars(bounds) == before


def test_no_proof_enters_unchecked() -> None:
    bounds = Bounds(Pattern.from_text("110\n011\n111"))
    with pytest.raises(CertificateError):
        bounds.take(Radon([0, 1, 2], [0, 1, 2]))
    assert (bounds.yes, bounds.no) == (None, None)


def test_a_proof_in_another_dimension_answers_what_it_can() -> None:
    pattern = Pattern(np.eye(5))
    bounds = Bounds(pattern)
    for d in (1, 2):
        proof = decide(pattern, d).proof
        assert proof is not None
        bounds.take(proof)
    assert [bounds.verdict(d).status.value for d in (1, 2, 3)] == ["NO", "YES", "YES"]
    assert (bounds.lower, bounds.upper) == (2, 2)
