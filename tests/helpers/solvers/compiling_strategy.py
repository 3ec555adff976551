"""A strategy whose kernel takes three and a half seconds to compile."""

from __future__ import annotations

import time

from samapprox.problem import Problem
from samapprox.solvers.engine.search import Search
from samapprox.support.limits import search_clock

search_clock.pause()  # importing numba takes long on a busy machine
from numba.core import event  # noqa: E402

import samapprox.support.jit  # noqa: E402, F401 (listens)

search_clock.resume()

__all__ = ["NAME", "applies", "find_proof"]

NAME = "compiling"


def applies(_problem: Problem) -> None:
    """To everything."""


def find_proof(_problem: Problem, search: Search) -> str:
    """Only compile, and say whether that cost the search its time."""
    with event.trigger_event("numba:compiler_lock"):
        time.sleep(3.5)
    return "no time left" if search.out_of_time else "compiled"
