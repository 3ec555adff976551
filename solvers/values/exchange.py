"""Search for queries and keys with few values: simulated annealing of their entries."""

from __future__ import annotations

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.engine.search import Search, too_large
from samapprox.solvers.values.trivial import with_thresholds
from samapprox.support.text import plural

NAME = "exchange"

_MOST_CELLS = 1_000_000  # an entry takes 16 bytes; a sweep of larger patterns takes seconds
_FREE = np.arange(-4, 5)  # in place of real numbers: small ones suffice for few dimensions
_HOT, _COLD = 2.0, 0.2  # temperatures for values whose products differ by 1 or 2
_SWEEPS = 1_000  # of the first start; every later start has a fifth more, up to
_MOST_SWEEPS = 100_000  # of the longest, so that the search is not all in one start
_WORK = 50_000_000  # operations between two looks at the clock


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Anneal from random vectors until all entries are right; each start is longer than the last.

    A change of an entry costs as many operations as the pattern has rows or columns, and a sweep
    over all entries 2 m n (d + 1).
    """
    from samapprox.solvers.values.exchange_kernel import anneal

    entries, d = problem.pattern.to_array(), problem.d
    signs = np.where(entries == 1, 1, np.where(entries == 0, -1, 0)).astype(np.int64)
    of_keys = np.array(problem.similarity.values, dtype=np.int64)
    of_queries = _FREE if problem.similarity.free_queries else of_keys
    random = np.random.default_rng(search.seed)
    at_once = 1 + _WORK // (2 * signs.size * (d + 1))
    scale = max(1, np.abs(of_queries).max() // 2)
    sweeps, best = float(_SWEEPS), signs.size * d
    while not search.out_of_time:
        queries = random.choice(of_queries, (signs.shape[0], d))
        keys = random.choice(of_keys, (signs.shape[1], d))
        thresholds, logits = np.zeros(len(signs), dtype=np.int64), queries @ keys.T
        temperatures = scale * np.geomspace(_HOT, _COLD, int(sweeps))
        for start in range(0, len(temperatures), at_once):
            part = temperatures[start : start + at_once]
            loss = anneal(
                signs, of_queries, of_keys, queries, keys, thresholds, logits, part, random
            )
            if loss == 0:
                return with_thresholds(entries == 1, queries, keys)
            if search.remaining <= 0:
                break
        best, sweeps = min(best, loss), min(1.2 * sweeps, _MOST_SWEEPS)
    return f"the best vectors miss the thresholds by {plural(int(best), 'unit')}"
