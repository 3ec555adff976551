"""Opposed sign patterns by their definition, for small systems of signs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SIGNS = hnp.arrays(
    np.int8, st.tuples(st.integers(1, 7), st.integers(2, 6)), elements=st.sampled_from([-1, 0, 1])
)

SignPattern = tuple[int, ...]
"""Elements e, descending, as 2 e for + and 2 e + 1 for -."""


def opposed(signs: np.ndarray, size: int) -> set[SignPattern]:
    """All patterns that occur with both signs, the first element as +."""
    found = set()
    for elements in combinations(range(signs.shape[1] - 1, -1, -1), size):
        for values in product([1, -1], repeat=size - 1):
            wanted = np.array([1, *values])
            lines = signs[:, elements]
            if (lines == wanted).all(axis=1).any() and (lines == -wanted).all(axis=1).any():
                found.add(code(elements, wanted))
    return found


def code(elements: tuple[int, ...], signs: np.ndarray) -> SignPattern:
    return tuple(2 * e + (s < 0) for e, s in zip(elements, signs.tolist(), strict=True))


def up(pattern: Sequence[int]) -> SignPattern:
    """The pattern up to a flip, its first sign as +."""
    return tuple(each ^ (pattern[0] & 1) for each in pattern)
