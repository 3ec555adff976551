"""Boundaries lie halfway between ones and zeros, exactly and in time linear in the logits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from samapprox.pictures.view import _halfway


@pytest.mark.parametrize("far", [0, 2**70])
def test_halfway_is_exact(far: int) -> None:
    logits = np.array([far, far + 3, far + 4, far - 9], dtype=object if far else np.int64)
    assert _halfway(logits, far) == far + Fraction(3, 2)
    assert _halfway(logits, far + 4) is None
    assert _halfway(logits, far - 10) is None


def test_a_million_logits_are_compared_as_an_array() -> None:
    class Scalars(np.ndarray):
        def __iter__(self) -> object:
            raise AssertionError("read one by one")

    logits = np.arange(1_000_000).view(Scalars)
    assert _halfway(logits, 499_999) == Fraction(999_999, 2)
