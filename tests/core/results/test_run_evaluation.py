"""Runs are right in a row if every document of its query is among the first."""

from __future__ import annotations

import numpy as np

from samapprox.results.run_evaluation import RunEvaluation


def test_what_is_not_stated_is_zero() -> None:
    found = RunEvaluation("a.run", ("q", "r", "s"), np.array([1, 2, 2]), np.array([1, 5, 2]))
    assert (found.unasked, found.unanswered, found.measures) == (0, 0, None)
    assert (found.count, found.share, found.wrong.tolist()) == (2, 2 / 3, [1])
    assert [found.count_within(depth) for depth in (1, 2, 4, 5)] == [1, 2, 2, 3]
    assert [found.share_within(depth) for depth in (1, 5)] == [1 / 3, 1.0]
