"""Decisions with any similarity: each reports its progress, and answers as the question asks."""

from __future__ import annotations

import pytest

from samapprox import Pattern, Problem, Status
from samapprox.solvers.engine.dispatch import run_decision
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search

SINGLE_KEYS = Pattern.from_text("1000\n0100\n0010\n0001")


@pytest.mark.parametrize(
    ("similarity", "status"), [("dot", Status.NO), ("cosine", Status.NO), ("l2", Status.YES)]
)
def test_progress_is_passed_on(similarity: str, status: Status) -> None:
    """On a line, a ball may hold the middle key alone, and a halfspace may not."""
    seen: list[tuple[str, str | None]] = []
    problem = Problem(SINGLE_KEYS, 1, similarity=similarity)
    strategies = choose(similarity=similarity)
    verdict = run_decision(problem, strategies, Search(), lambda *event: seen.append(event))
    assert verdict.status is status
    assert seen[0][1] is None
    assert seen[-1][1] == status.value
