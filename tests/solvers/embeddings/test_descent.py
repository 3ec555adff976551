"""Descents: to the least point, and to the point at which a loss stops them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.solvers.embeddings.descent import AllRight, OutOfTime, minimise
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats
from samapprox.support.limits import search_clock

WEIGHTS = np.array([1.0, 10.0, 100.0])


def bowl(x: Floats) -> tuple[float, Floats]:
    return float(WEIGHTS @ (x - 1) ** 2), 2 * WEIGHTS * (x - 1)


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3))
def test_the_least_point_is_found(start: list[float]) -> None:
    found = minimise(bowl, np.array(start), 200, Search())
    assert np.allclose(found, 1, atol=1e-3)


def test_steps_are_limited() -> None:
    start = np.array([40.0, -30.0, 20.0])
    one, many = (bowl(minimise(bowl, start, steps, Search()))[0] for steps in (1, 50))
    assert many < one < bowl(start)[0]


def test_a_point_where_all_is_right_is_returned() -> None:
    def loss(x: Floats) -> tuple[float, Floats]:
        if x[0] < 20:
            raise AllRight(np.array([7.0, 8.0, 9.0]))
        return bowl(x)

    assert minimise(loss, np.array([40.0, 0, 0]), 50, Search()).tolist() == [7.0, 8.0, 9.0]


@pytest.mark.parametrize("by_deadline", [True, False])
def test_out_of_time_the_latest_step_is_returned(by_deadline: bool) -> None:
    search, places = Search(), []

    def loss(x: Floats) -> tuple[float, Floats]:
        places.append(x.copy())
        if len(places) == 4:
            if by_deadline:
                search.stopped.set()
            else:
                raise OutOfTime
        return bowl(x)

    start = np.array([40.0, -30.0, 20.0])
    found = minimise(loss, start, 50, search)
    assert len(places) == 4
    assert any(np.array_equal(found, place) for place in places[1:])
    assert bowl(found)[0] < bowl(start)[0]


def test_without_time_the_start_is_returned() -> None:
    start = np.array([40.0, -30.0, 20.0])
    late = Search(deadline=search_clock.now() - 1)
    assert minimise(bowl, start, 50, late).tolist() == start.tolist()
