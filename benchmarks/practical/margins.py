"""Margins: how close the proven bounds come up to 100 queries and keys, and known margins."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from shared.rows import Row

from samapprox import MarginBounds, data, dimension_in_arithmetic, load, margin

SIZE, SECONDS = 100, 30.0
LARGE, SHORT = 2000, 5.0
DENSITIES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 0.98)
IDENTITIES = range(2, 33)
FORMATS = ("float64", "bfloat16", "float8_e4m3", "float8_e5m2", "int8")


def margins() -> Iterator[Row]:
    """Bound the margins of patterns of many kinds, and round embeddings to formats."""
    for what, patterns in kinds():
        gaps, slowest = [], 0.0
        for pattern in patterns:
            started = time.perf_counter()
            found = margin(pattern, time_limit=SECONDS)
            slowest = max(slowest, time.perf_counter() - started)
            if found.bounded:
                gaps.append(_gap(found))
        measured = f"within {100 * max(gaps):.2f} %" if gaps else "unbounded, as it is"
        yield what, f"{measured}, {slowest:.1f} s", f"within 1 %, {SECONDS:.0f} s"
    started = time.perf_counter()
    found = margin(random_entries((LARGE, LARGE), 0.05), time_limit=SHORT)
    seconds = time.perf_counter() - started
    yield (
        f"{LARGE} x {LARGE} random entries, 5 % ones, limit {SHORT:.0f} s",
        f"{float(found.lower):.3f}..{float(found.upper or 0):.3f}, {seconds:.1f} s",
        f"{SHORT + 1:.0f} s",
    )
    wrong = [n for n in IDENTITIES if not _holds(margin(np.eye(n)), Fraction(n, 2 * (n - 1)))]
    what = f"n x n identities, n = {IDENTITIES[0]} .. {IDENTITIES[-1]}, outside n / (2 (n - 1))"
    yield what, f"{len(wrong)} wrong", "0 wrong"
    for name in FORMATS:
        rounded = dimension_in_arithmetic(np.eye(64), name, time_limit=SECONDS)
        yield f"64 x 64 identity in {name}", f"d = {rounded.d} found", f">= {rounded.lower}"


def kinds() -> Iterator[tuple[str, list[np.ndarray]]]:
    """Yield kinds of patterns with up to 100 queries and keys, by their names."""
    square = (SIZE, SIZE)
    for density in DENSITIES:
        yield (
            f"{SIZE} x {SIZE} random entries, {100 * density:.0f} % ones",
            [random_entries(square, density)],
        )
    oblong = [random_entries(shape, 0.3) for shape in ((SIZE, 40), (40, SIZE))]
    yield f"{SIZE} x 40 and 40 x {SIZE} random entries, 30 % ones", oblong
    random = np.random.default_rng(1)
    logits = random.standard_normal((SIZE, 3)) @ random.standard_normal((3, SIZE))
    yield f"{SIZE} x {SIZE}, planted in d = 3", [logits > np.quantile(logits, 0.8, axis=1)[:, None]]
    yield f"masks of {SIZE} tokens", list(_masks())
    equal = np.repeat(random_entries((10, SIZE), 0.3), 10, axis=0)
    filled = random_entries(square, 0.3)
    filled[:, 0] = True
    yield "equal rows, a full column", [equal, filled]
    yield "one column", [np.ones((SIZE, 1), dtype=bool)]
    heads = [load(path).to_array() == 1 for path in data.files("minilm")]
    yield "shipped heads of up to 100 tokens", [head for head in heads if len(head) <= SIZE]


def _masks() -> Iterator[np.ndarray]:
    """Yield a triangle, a window, the identity, its complement, a star and two diagonals."""
    tokens = np.arange(SIZE)
    rows, columns = tokens[:, None], tokens
    equal = rows == columns
    yield columns <= rows
    yield np.abs(columns - rows) <= 3
    yield equal
    yield ~equal
    yield equal | (rows == 0) | (columns == 0)
    yield equal | (columns == (rows + 1) % SIZE)


def random_entries(shape: tuple[int, int], density: float) -> np.ndarray:
    """Draw a matrix with a one in every row."""
    entries = np.random.default_rng(0).random(shape) < density
    rows = np.arange(shape[0])
    entries[rows, rows % shape[1]] = True
    return entries


def _gap(found: MarginBounds) -> float:
    assert found.upper is not None
    return float((found.upper - found.lower) / found.upper)


def _holds(found: MarginBounds, value: Fraction) -> bool:
    return found.upper is not None and found.lower <= value <= found.upper and _gap(found) < 0.01
