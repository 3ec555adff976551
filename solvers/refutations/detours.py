"""Nearly all splits of d + 2 elements, and a detour for each of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.engine.search import Search, too_slow
from samapprox.solvers.refutations.counting import count_splits, split_codes, splits
from samapprox.solvers.refutations.dense_blocks import dense_blocks, on_excerpt, too_many_ones
from samapprox.solvers.refutations.detour_paths import (
    Chain,
    Detour,
    SparseCovectors,
    Vertex,
    shortest_detour,
)
from samapprox.support.arrays import Signs

NAME = "detours"

FindDetour = Callable[[Sequence[Vertex]], Detour | None]

_MOST_ENTRIES = 70_000  # larger patterns are not written out
_MOST_DIMENSIONS = 10  # in more dimensions there are too many splits to replace
_SPARSE = 0.1  # up to this share of ones, a large pattern is searched as a whole
_MOST_MISSING = 0.25  # sets of elements with a larger share of missing splits are given up
_REPETITIONS = 100  # after so many known sets of elements in a row, there are hardly any new ones
_COMMON = 3  # elements with the most +, with which every second set begins
_ELEMENTS = 40  # elements of a block of a large pattern
_SETS = 30  # sets that grow in a block
_TRIED = 4  # of these, so many are tried: those with the fewest missing splits
# A quarter of a turn of up to so many seconds goes to one dense block of a large pattern.
_LONG = 60.0
_SECONDS_A_ONE = 1e-6  # seconds of one search in a large pattern for each of its ones, measured


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d > _MOST_DIMENSIONS:
        return f"there are too many ways to split {problem.d + 2} elements"
    rows, columns = problem.pattern.shape
    if rows <= problem.d or columns < problem.d + 2:
        return "it needs more than d rows and more than d + 1 columns"
    return too_many_ones(problem.pattern)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Grow sets of d + 2 elements that nearly all ways to split them occur on.

    See `samapprox.solvers.refutations.detour_paths`. A small pattern is written out; each set of
    elements then takes O(d^2 m n) operations, of columns and of rows in turn. In a large sparse
    pattern, the first quarter of a turn searches one dense block as if it were the pattern; then
    sets grow in small dense blocks, and detours may go through the whole pattern.
    """
    pattern = problem.pattern
    is_sparse = pattern.is_specified and pattern.density <= _SPARSE
    if pattern.size <= _MOST_ENTRIES or not is_sparse:
        return _search_small(problem, search)
    found = _search_small(problem, search.slice(min(search.remaining, _LONG) / 4, 0))
    return _search_large(problem, search) if isinstance(found, str) else found


@on_excerpt(_MOST_ENTRIES)
def _search_small(problem: Problem, search: Search) -> Proof | str:
    """Try sets of columns and sets of rows in turn."""
    rng = np.random.RandomState(search.seed)
    entries = problem.pattern.to_array()
    sides: tuple[Side, ...] = ("columns", "rows")
    signs = {side: sign_matrix(entries, side) for side in sides}
    common = {side: np.argsort(-(signs[side] > 0).sum(axis=0))[:_COMMON] for side in sides}
    seen: set[tuple[Side, tuple[int, ...]]] = set()
    repetitions = tried = 0
    for side in cycle(sides):
        if search.out_of_time:
            break
        first = int(rng.choice(common[side])) if rng.randint(2) else None
        chosen = sorted(grow(signs[side], problem.d + 2, rng, first))
        key = side, tuple(chosen)
        repetitions = repetitions + 1 if key in seen else 0
        if repetitions > _REPETITIONS:
            search.exhausted.add(NAME)
            break
        if key in seen:
            continue
        seen.add(key)
        tried += 1
        find = partial(shortest_detour, signs[side], search=search)
        chain = _build_chain(chosen, signs[side][:, chosen], find)
        if chain is not None:
            return _build_proof(problem.d, side, chain)
    return f"none of {tried} sets of {problem.d + 2} elements has detours for all missing splits"


def _search_large(problem: Problem, search: Search) -> Proof | str:
    """Try sets of columns in small dense blocks, with detours through the whole pattern."""
    pattern = problem.pattern
    if reason := too_slow(_SECONDS_A_ONE * (pattern.count + sum(pattern.shape)), search):
        return reason
    rng = np.random.RandomState(search.seed)
    covectors = SparseCovectors.of(pattern)
    tried = 0
    blocks = dense_blocks(pattern, "columns", _ELEMENTS, search)
    while not search.out_of_time:
        block = next(blocks)
        if block.elements < problem.d + 2:
            continue
        signs = sign_matrix(block.entries, "columns")
        for chosen in _grow_sets(signs, problem.d + 2, rng):
            tried += 1
            elements = np.sort(block.columns[chosen]).tolist()
            find = partial(covectors.detour, search=search)
            chain = _build_chain(elements, covectors.on(elements), find)
            if chain is not None:
                return _build_proof(problem.d, "columns", chain)
    return f"none of {tried} sets of {problem.d + 2} columns has detours for all missing splits"


def _build_proof(d: int, side: Side, chain: Chain) -> Proof:
    # Imported where there is a refutation: most decisions never need elimination.
    from samapprox.solvers.refutations.elimination.suspensions import build_proof

    return build_proof(d, side, np.array(chain.members))


def _grow_sets(signs: Signs, size: int, rng: np.random.RandomState) -> list[list[int]]:
    """Grow sets of elements, and return those with the fewest missing splits."""
    grown = {tuple(sorted(grow(signs, size, rng))) for _ in range(_SETS)}
    ranked = sorted((len(missing_splits(signs[:, chosen])), chosen) for chosen in grown)
    return [list(chosen) for _, chosen in ranked[:_TRIED]]


def _build_chain(elements: Sequence[int], signs: Signs, find: FindDetour) -> Chain | None:
    """Return the cycle of all splits of some elements, or None where a detour is not found."""
    size = len(elements)
    missing = missing_splits(signs)
    if len(missing) > _MOST_MISSING * (1 << (size - 1)):
        return None
    detours = []
    for split in missing:
        detour = find(list(zip(elements, split, strict=True)))
        if detour is None:
            return None
        detours.append(detour)
    chain = Chain()
    for detour in detours:
        chain.add_detour(detour)
    for split in splits(size):
        if split not in missing:
            agreement = signs @ np.array(split)
            covector = int((np.abs(agreement) == size).argmax())
            chain.add(zip(elements, split, strict=True), covector)
    return chain


# ---------------------------------------------------------------- splits


def grow(
    signs: Signs, size: int, rng: np.random.RandomState, first: int | None = None
) -> list[int]:
    """Grow a set of elements, each time one that raises the number of splits most.

    O(size m n log m). Half of the steps also accept elements that are one split short of the best,
    for variety.
    """
    chosen = [int(rng.randint(signs.shape[1])) if first is None else first]
    while len(chosen) < size:
        counts = count_splits(signs, chosen)
        best = np.flatnonzero(counts >= max(0, counts.max() - rng.randint(2)))
        chosen.append(int(best[rng.randint(len(best))]))
    for at in rng.permutation(size).tolist():
        others = chosen[:at] + chosen[at + 1 :]
        counts = count_splits(signs, others)
        if counts.max() > counts[chosen[at]]:
            best = np.flatnonzero(counts == counts.max())
            chosen = [*others, int(best[rng.randint(len(best))])]
    return chosen


def missing_splits(signs: Signs) -> list[tuple[int, ...]]:
    """Return the splits of all elements, up to a global flip, that no covector makes."""
    size = signs.shape[1]
    made = set(split_codes(signs, range(size)).tolist())
    return [split for code, split in enumerate(splits(size)) if code not in made]
