"""Larger margins by linear programs, and numbers of a format for one key after the other."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from samapprox import Embedding, Pattern, Problem
from samapprox.precision import rows_lost
from samapprox.proofs import check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors, measure_margin
from samapprox.solvers.questions.margins.key_by_key import round_key_by_key
from samapprox.solvers.questions.margins.linear_steps import climb_linearly, fill_box, widen

Entries = np.ndarray


def planted(seed: int) -> tuple[Entries, Vectors]:
    """Draw vectors in three dimensions, and the rows of half of the keys that they cut off."""
    random = np.random.default_rng(seed)
    queries, keys = random.standard_normal((2, 14, 3))
    logits = queries @ keys.T
    entries = (logits > np.median(logits, axis=1)[:, None]).astype(np.int8)
    entries[0, 3:6] = -1
    return entries, fill_box(Vectors(queries, keys))


@pytest.mark.parametrize("seed", range(3))
def test_margins_grow_step_by_step(seed: int) -> None:
    entries, start = planted(seed)
    margins = [measure_margin(entries, start.logits)]
    for vectors in islice(climb_linearly(entries, start, Search.within(60, 0)), 12):
        margins.append(measure_margin(entries, vectors.logits))
        assert np.abs(vectors.keys).max() <= 1 + 1e-9
        assert np.allclose(np.linalg.norm(vectors.queries, axis=1), 1)
    assert margins[0] > 0
    assert (np.diff(margins) > 0).all()
    assert margins[-1] > 1.3 * margins[0]


def test_coordinates_that_are_held_have_their_values() -> None:
    entries, start = planted(0)
    held = np.full(start.keys.shape, np.nan)
    held[2] = start.keys[2] + 0.001
    for vectors in islice(climb_linearly(entries, start, Search.within(60, 0), held), 5):
        assert (vectors.keys[2] == held[2]).all()


def test_large_patterns_and_spent_time_give_nothing() -> None:
    entries, start = planted(0)
    assert list(climb_linearly(entries, start, Search.within(1e-9, 0))) == []
    large = Vectors(np.ones((200, 1)), np.ones((100, 1)))
    assert list(climb_linearly(np.eye(200, 100, dtype=np.int8), large, Search.within(60, 0))) == []


def test_rows_are_widened_as_long_as_there_is_time() -> None:
    entries, start = planted(0)
    assert (widen(entries, start, Search.within(1e-9, 0)).queries == start.queries).all()
    wide = widen(entries, start, Search())
    assert measure_margin(entries, wide.logits) > measure_margin(entries, start.logits)


@pytest.mark.parametrize("arithmetic", ["bfloat16", "float8_e4m3", "int8"])
def test_keys_are_rounded_one_by_one(arithmetic: str) -> None:
    entries, start = planted(1)
    *_, vectors = islice(climb_linearly(entries, start, Search.within(60, 0)), 10)
    random = np.random.default_rng(0)
    pattern = Pattern.from_array(np.where(entries < 0, 0, entries), entries >= 0)
    found = list(round_key_by_key(entries, vectors, arithmetic, Search.within(60, 0), random))
    assert found
    for embedding in found:
        assert isinstance(embedding, Embedding)
        assert check(Problem(pattern, 3), embedding) is None
    assert any(not rows_lost(pattern, embedding, arithmetic) for embedding in found)


def test_vectors_that_are_wrong_are_not_rounded() -> None:
    line = Vectors(np.ones((4, 1)), np.linspace(-1, 1, 4)[:, None])
    random = np.random.default_rng(0)
    limit = Search.within(60, 0)
    assert list(round_key_by_key(np.eye(4, dtype=np.int8), line, "int8", limit, random)) == []


def test_keys_that_have_numbers_of_the_format_stay() -> None:
    entries = np.eye(3, dtype=np.int8)
    corners = np.array([[-1.0, -1], [1, -1], [0, 1]])
    queries = corners / np.linalg.norm(corners, axis=1, keepdims=True)
    random = np.random.default_rng(0)
    start = Vectors(queries, corners)
    found = next(round_key_by_key(entries, start, "int8", Search.within(60, 0), random))
    assert found.keys.tolist() == corners.astype(int).tolist()
