"""Annealing on the grid of a format: what it finds is exact, and right in the number format."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Embedding, Pattern, Problem, dimension_in_arithmetic, weak_dimension
from samapprox.precision import EMBEDDING_FORMATS, rows_lost
from samapprox.proofs import check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors
from samapprox.solvers.questions.margins.grid_annealing import anneal, has_grid
from samapprox.solvers.questions.margins.straight_through import count_wrong


def planted(seed: int, size: int, d: int) -> tuple[np.ndarray, Vectors]:
    """Draw vectors in d dimensions, and the rows of half of the keys that they cut off."""
    random = np.random.default_rng(seed)
    queries, keys = random.standard_normal((2, size, d))
    logits = queries @ keys.T
    entries = (logits > np.median(logits, axis=1)[:, None]).astype(np.int8)
    return entries, Vectors(queries, keys / np.linalg.norm(keys, axis=1).max())


GRIDS = [name for name in EMBEDDING_FORMATS if has_grid(name)]


def test_formats_of_few_bits_have_a_grid() -> None:
    assert GRIDS == ["bfloat16", "float16", "float8_e4m3", "float8_e5m2", "int8"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("arithmetic", GRIDS)
def test_what_is_found_is_right_in_the_format(arithmetic: str, seed: int) -> None:
    entries, vectors = planted(seed, 14, 3)
    entries[0, 3:6] = -1
    random = np.random.default_rng(seed)
    found = anneal(entries, vectors, arithmetic, Search.within(60, 0), random)
    assert isinstance(found, Embedding)
    pattern = Pattern.from_array(np.where(entries < 0, 0, entries), entries >= 0)
    assert check(Problem(pattern, 3), found) is None
    assert rows_lost(pattern, found, arithmetic) == []


def test_rows_that_rounding_loses_are_mended() -> None:
    entries, vectors = planted(0, 16, 4)
    assert count_wrong(entries, vectors, "float8_e5m2") > 0
    random = np.random.default_rng(0)
    found = anneal(entries, vectors, "float8_e5m2", Search.within(60, 0), random)
    assert found is not None
    assert rows_lost(Pattern.from_array(entries), found, "float8_e5m2") == []


def test_nothing_is_found_where_nothing_is() -> None:
    """Four keys on a line, and a row for each one: those in the middle cannot be cut off."""
    line = Vectors(np.ones((4, 1)), np.linspace(-1, 1, 4)[:, None])
    random = np.random.default_rng(0)
    assert anneal(np.eye(4, dtype=np.int8), line, "int8", Search.within(60, 0), random) is None


def test_the_time_limit_is_kept() -> None:
    entries, vectors = planted(1, 16, 4)
    search = Search.within(60, 0)
    search.stop()
    assert anneal(entries, vectors, "int8", search, np.random.default_rng(0)) is None


def test_keys_on_a_circle_need_no_further_dimension() -> None:
    """Sixteen keys in the plane, each cut off alone: descents and annealing leave it at d = 2."""
    pattern = Pattern.from_array(np.eye(16))
    weak = weak_dimension(pattern)
    assert dimension_in_arithmetic(pattern, "float8_e4m3", weak=weak, time_limit=30).d == 2
