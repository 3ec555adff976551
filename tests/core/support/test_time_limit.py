"""One time limit for all: whoever takes one refuses the same numbers in the same words."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from samapprox import InputError, decide
from samapprox.attention.approximation.request import Request
from samapprox.attention.approximation.target import Target
from samapprox.attention.graphs import build
from samapprox.attention.graphs.universality import universality
from samapprox.batch.results.question import Question
from samapprox.reductions.encodings import decode
from samapprox.solvers.engine.search import Search
from samapprox.support.time_limit import deadline_in

REQUEST = Request(target=Target.from_array([[1.0]]), eps1=0.5, eps2=1.0)
TAKERS: dict[str, Callable[[float], object]] = {
    "deadline": deadline_in,
    "search": lambda seconds: Search.within(seconds, 0),
    "decide": lambda seconds: decide([[1, 0]], 1, time_limit=seconds),
    "request": REQUEST.within,
    "question": lambda seconds: Question("dim", time_limit=seconds),
    "graph": lambda seconds: universality(build("star", 5), time_limit=seconds),
    "decode": lambda seconds: decode(decide([[1, 0]]).problem.pattern, "", "", time_limit=seconds),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("seconds", [0, -1.0, math.nan, math.inf, 2e9])
def test_what_is_no_time_limit(taker: str, seconds: float) -> None:
    with pytest.raises(InputError) as caught:
        TAKERS[taker](seconds)
    told = f"the time limit must be above 0 and at most 1e9 seconds, not {seconds}"
    assert str(caught.value) == told


@pytest.mark.parametrize("taker", sorted(TAKERS.keys() - {"decode"}))
def test_the_longest_time_limit(taker: str) -> None:
    TAKERS[taker](1e9)
