"""SAT on the orientations of few elements, chosen to make a refutation likely."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, count

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, affordable_elements, grow_core
from samapprox.solvers.refutations.dense_blocks import on_excerpt
from samapprox.support.arrays import Entries
from samapprox.support.limits import search_clock
from samapprox.support.text import plural

NAME = "chirotope"


_MOST_ENTRIES = 1_000_000  # larger patterns are not looked at as a whole
_MOST_RANK = 10  # larger ranks lead to too many clauses
_MOST_ELEMENTS = 60  # parts have at most so many elements, since these are chosen one by one
_CLAUSES_A_SECOND = 60_000  # clauses that are built and solved in a second, roughly
# Clauses of a part, at least and at most, however long the turn is.
_LEAST_CLAUSES, _MOST_CLAUSES = 20_000, 200_000
# Seconds for making a refuted core minimal, or four times what its refutation took.
_LEAST_TIDYING = 5.0
# Elements to choose from, and subsets by which they are judged: a larger sample chooses better
# but slower.
_POOL, _SAMPLE = 40, 60


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} leads to too many clauses"
    return None


@on_excerpt(_MOST_ENTRIES)
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Refute a core by SAT, circuits first, then with the Grassmann-Pluecker relations.

    C(N, d + 2) (min(m, 2^d)) clauses for N elements, the smaller side of the pattern or of a part
    of it that has many kinds of covectors on few elements.
    """
    entries = problem.pattern.to_array()
    fitting = 0
    for side, chosen in _choose_parts(entries, problem.d + 1, search):
        started = search_clock.now()
        part = Core.of(problem.d, entries, side, chosen)
        core = grow_core(part, search)
        if core is not None:
            from samapprox.solvers.orientations.minimal_cores import minimal  # only for NO

            seconds = max(_LEAST_TIDYING, 4 * (search_clock.now() - started))
            core = minimal(core, search.extend(seconds))
        if core is not None:
            return core.proof()
        if search.out_of_time:
            return "no time left"
        if (len(part.rows), len(part.columns)) == entries.shape:
            search.exhausted.add(NAME)
            return "the whole pattern has consistent orientations"
        fitting += 1
    return f"consistent orientations exist for {plural(fitting, 'part')}"


# ---------------------------------------------------------------- choosing parts


def _choose_parts(entries: Entries, rank: int, search: Search) -> Iterator[tuple[Side, list[int]]]:
    """Yield the whole pattern if time allows, else parts on few elements, hard ones first."""
    rows, columns = entries.shape
    rng = np.random.RandomState(search.seed)
    most = int(np.clip(_CLAUSES_A_SECOND * search.remaining, _LEAST_CLAUSES, _MOST_CLAUSES))
    order: list[Side] = ["columns", "rows"] if columns <= rows + 1 else ["rows", "columns"]
    elements = {"columns": columns, "rows": rows + 1}
    sizes = {
        "columns": min(_MOST_ELEMENTS, affordable_elements(rank, rows + 1, most)),
        "rows": min(_MOST_ELEMENTS, affordable_elements(rank, columns, most)),
    }
    whole = [side for side in order if elements[side] <= sizes[side]]
    hot = search.count_violations(entries.shape)
    for attempt in count():
        for side in whole[:1] or order:
            matrix = np.unique(sign_matrix(entries, side), axis=0)
            size = min(elements[side], sizes[side] - (0 if whole else attempt % 3))
            weights = hot[1] if side == "columns" else np.append(hot[0].max(initial=0), hot[0])
            yield side, _choose_elements(matrix, rank, size, weights, rng)


def _choose_elements(
    signs: NDArray[np.int8],
    rank: int,
    size: int,
    weights: NDArray[np.float64],
    rng: np.random.RandomState,
) -> list[int]:
    """Choose elements with many kinds of covectors on every r + 1 of them, violated ones first.

    They are chosen one after the other. Each adds the most kinds on the subsets that it completes,
    or on a sample of these, which gives many clauses on few orientations.
    """
    favour = 1.0 + 0.1 * weights / max(1e-9, float(weights.max(initial=0)))
    elements = signs.shape[1]
    pool = np.sort(rng.permutation(elements)[: max(size, _POOL)])
    chosen = [int(pool[np.argmax((favour * (1 + rng.random_sample(elements)))[pool])])]
    while len(chosen) < min(size, len(pool)):
        options = np.setdiff1d(pool, chosen)
        subsets = np.array(list(combinations(chosen, min(rank, len(chosen)))))
        subsets = subsets[rng.permutation(len(subsets))[:_SAMPLE]]
        weights_of_code = 1 << np.arange(subsets.shape[1])
        # On which elements of each subset does each covector differ from each option?
        differs = signs[:, None, subsets] != signs[:, options][:, :, None, None]
        codes = np.sort(differs @ weights_of_code, axis=0)
        kinds = (np.diff(codes, axis=0) != 0).sum(axis=(0, 2)) + len(subsets)
        noise = 1 + 0.02 * rng.random_sample(len(options))
        chosen.append(int(options[np.argmax(kinds * favour[options] * noise)]))
    return chosen
