"""Limits and seeds of searches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from samapprox import InputError, decide, fit, margin, rank, weak_dimension

ENTRIES = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]])


@pytest.mark.parametrize("ask", [decide, weak_dimension, fit, margin, rank])
@pytest.mark.parametrize("seed", [1.5, None, "1"])
def test_seeds_that_are_no_whole_numbers_are_refused(
    ask: Callable[..., object], seed: object
) -> None:
    with pytest.raises(InputError, match="the seed must be a whole number, not"):
        ask(ENTRIES, seed=seed)


@pytest.mark.parametrize("seed", [-1, 1 << 70, np.int64(3), np.uint8(200)])
def test_whole_numbers_of_any_size_and_sign_are_seeds(seed: int) -> None:
    assert weak_dimension(ENTRIES, seed=seed).exact
