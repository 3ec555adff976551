"""Checked parameters and a random stream that is the same on every machine."""

from __future__ import annotations

import numpy as np

from samapprox.errors import InputError

__all__ = ["random_stream", "require"]


def require(condition: bool, message: str) -> None:
    """Refuse a parameter.

    Raises
    ------
    InputError
    """
    if not condition:
        raise InputError(message)


def random_stream(seed: int) -> np.random.RandomState:
    """Return numpy's legacy generator, whose stream is the same on every machine.

    Raises
    ------
    InputError
        Not in 0..2^32 - 1.
    """
    require(0 <= seed < 1 << 32, f"the seed must be in 0..{(1 << 32) - 1}, not {seed}")
    return np.random.RandomState(seed)
