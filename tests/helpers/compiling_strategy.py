"""A strategy whose kernel takes some seconds to compile."""

from __future__ import annotations

import time

from numba.core import event

import samapprox.support.jit  # noqa: F401 (listens)
from samapprox.problem import Problem
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "compiling"


def applies(_problem: Problem) -> None:
    """To everything."""


def find_proof(_problem: Problem, search: Search) -> str:
    """Only compile, and say whether that cost the search its time."""
    with event.trigger_event("numba:compile"):
        time.sleep(3.5)
    return "no time left" if search.out_of_time else "compiled"
