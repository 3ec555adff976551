"""Symmetric patterns, refuted with and without their automorphisms: the table of symmetry.md.

python benchmarks dimensions.symmetry [SECONDS]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from samapprox import Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.automorphisms import find_automorphisms
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.least import Breaker, refute_least

_MOST_MAPS = 50_000


def circulant(size: int, ones: tuple[int, ...]) -> Pattern:
    """Row i has its ones at i + the given places."""
    row = np.isin(np.arange(size), ones)
    return Pattern.from_array([np.roll(row, shift) for shift in range(size)])


QUESTIONS = (
    ("Hadamard 8", generate("hadamard", n=8).pattern, 3),
    ("circulant, ones at 0, 1, 4 mod 12", circulant(12, (0, 1, 4)), 3),
    ("all 2-subsets of 7", generate("all-subsets", n=7, k=2).pattern, 3),
    ("all 3-subsets of 7", generate("all-subsets", n=7, k=3).pattern, 4),
)


def measure(core: Core, maps: np.ndarray, seconds: float) -> str:
    """Return the outcome of one search with its time."""
    started = time.perf_counter()
    search = Search.within(seconds, 0)
    found = refute_least(core, Breaker(maps, core.d + 1, search), search)
    took = time.perf_counter() - started
    if not isinstance(found, Chirotope):
        return f"{found} ({took:.2f} s)"
    assert check(Problem(Pattern.from_array(core.entries), core.d), found) is None
    clauses = 0 if found.symmetry is None else len(found.symmetry.clauses)
    return (
        f"NO in {took:.2f} s: {len(found.polynomials)} final polynomials, "
        f"{clauses} clauses of symmetry, {len(found.lemmas)} lemmas"
    )


def main(seconds: float) -> None:
    """Print a line for each pattern."""
    for name, pattern, d in QUESTIONS:
        merged = simplify(pattern).pattern
        assert merged is not None
        rows, columns = (list(range(size)) for size in merged.shape)
        core = Core(d, merged.to_array(), "columns", rows, columns)
        group = find_automorphisms(core.signs, Search())
        maps = group.sample(_MOST_MAPS, np.random.RandomState(0))
        print(f"{name}, d = {d}, {group.order:,} automorphisms")
        print(f"    with: {measure(core, maps, seconds)}")
        print(f"    without: {measure(core, maps[:1], seconds)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=60.0, help="for each search")
    main(parser.parse_args().seconds)
