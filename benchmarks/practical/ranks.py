"""Sign-ranks that are known: identities, comparisons, Hadamard and Fano matrices, all signs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from shared.rows import Row

from samapprox import rank
from samapprox.reductions.families import generate

__all__ = ["KNOWN", "ranks"]

SECONDS = 60.0
KNOWN: tuple[tuple[str, dict[str, Any], int], ...] = (
    *(("identity", {"n": n}, 3) for n in (4, 8, 16, 32)),
    *(("greater-than", {"n": n}, 2) for n in (2, 8, 32)),
    ("hadamard", {"n": 4}, 3),
    ("projective-plane", {"q": 2}, 4),
    *(("sign-vectors", {"n": n}, n) for n in range(2, 9)),
)
"""A family, its parameters, and the sign-rank."""


def ranks() -> Iterator[Row]:
    """Find each sign-rank, with certificates of both bounds."""
    for family, parameters, known in KNOWN:
        start = time.perf_counter()
        found = rank(generate(family, **parameters).pattern, time_limit=SECONDS)
        seconds = time.perf_counter() - start
        bounds = str(found.lower) if found.exact else f"{found.lower}..{found.upper}"
        given = ", ".join(f"{name} = {value}" for name, value in parameters.items())
        yield f"sign-rank of {family}, {given}", f"{bounds} in {seconds:.1f} s", str(known)
