"""SAT on the few elements that are the hardest for a numeric search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.chirotope import sign_matrix
from samapprox.obstruction import Side
from samapprox.problem import Problem
from samapprox.solvers.cores import Core, count_relations, minimal, refuted
from samapprox.solvers.lbfgs import Floats
from samapprox.solvers.projections import Approach
from samapprox.solvers.scope import shared_tokens, too_large
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn", "hard_elements"]

NAME = "hard-part"

_MOST_CELLS = 100_000
_MOST_RANK = 10
_MOST_RELATIONS = 35_000
_ELEMENTS = 7  # more than the rank, relations permitting
_STARTS = 4
_LOOK = 500  # steps, to tell whether elements are easy, and which are wrong most often
_SHARE = 0.4  # of the elements that may go at once, at first
_HARD = 3_000  # steps in which half of the starts do not arrive
_PATIENCE = 60  # exchanges in vain
_CHOOSING, _LONGER = 3.0, 4  # seconds for a choice of elements, or times what is left of a turn
_REFUTING, _TIDYING = 20.0, 5.0  # seconds for a part that is hard, and for making it minimal


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d < 2:
        return "on a line other strategies decide"
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} has too many clauses"
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


def first_turn(problem: Problem) -> float:
    """Seconds that are worth a try: some ten searches for an embedding."""
    rows, columns = problem.pattern.shape
    return max(0.15, 4e-5 * rows * columns)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Exchange elements until no embedding of them is found; refute these by SAT.

    Parameters
    ----------
    problem : Problem
    search : Search

    Returns
    -------
    Proof or str
        A `Chirotope`, or why there is none.

    Notes
    -----
    Nothing depends on the numeric search being right: what it fails to embed may have an embedding,
    and then SAT finds orientations. For so few elements all Grassmann-Pluecker relations count.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> pattern = generate("all-subsets", n=6, k=2).pattern
    >>> type(find_proof(Problem(pattern, 3), Search())).__name__
    'Chirotope'
    """
    from threadpoolctl import threadpool_limits

    entries = problem.pattern.to_array()
    rng = np.random.RandomState(search.seed % (1 << 32))
    turn, hard = int(rng.randint(2)), 0
    while not search.out_of_time:
        side: Side = ("columns", "rows")[turn % 2]
        turn += 1
        signs = sign_matrix(entries, side).astype(np.float64)
        with threadpool_limits(1, user_api="blas"):
            # What is begun is finished: a choice broken off is worth nothing.
            longer = search.extended(max(_CHOOSING, _LONGER * search.remaining))
            elements = hard_elements(signs, problem.d + 1, side == "rows", rng, longer)
        if elements is None:
            continue
        hard += 1
        core = _refuted(problem.d, entries, side, elements, search.extended(_REFUTING))
        if core is not None:
            return core.proof()
    return f"{hard} parts were hard to embed, but have fitting orientations"


def hard_elements(
    signs: Floats, rank: int, first: bool, rng: np.random.RandomState, search: Search
) -> list[int] | None:
    """A few elements that a numeric search fails to embed; None if it met none.

    Parameters
    ----------
    signs : ndarray of float64, shape (covectors, elements)
    rank : int
    first : bool
        Whether element 0 is always among those that are chosen.
    rng : RandomState
    search : Search

    Notes
    -----
    Whole shares of the elements go, those first that are seldom wrong, as long as the rest is not
    embedded. If more than SAT can take are left, hill climbing: one is exchanged for another, as
    long as the search for an embedding of them all takes longer for it.

    Examples
    --------
    >>> signs = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [-1, -1, 1, 1], [1, -1, -1, 1]])
    >>> hard_elements(signs, 2, False, np.random.RandomState(0), Search())
    [0, 1, 2]
    """
    steps, heat = _effort(signs, rank, _LOOK, rng, search)
    if steps < _LOOK:
        return None
    part = _shrunk(signs, rank, heat, first, rng, search)
    count = signs.shape[1]
    size = min(count, rank + _ELEMENTS)
    while count_relations(size, rank) > _MOST_RELATIONS:
        size -= 1
    part = part[:size]
    steps, _ = _effort(signs[:, part], rank, _HARD, rng, search)
    if steps < _HARD and len(part) == size < count and not search.out_of_time:
        likely = 0.7 * heat / max(1.0, heat.sum()) + 0.3 / count
        steps, part = _climbed(signs, rank, part, likely, first, rng, search)
    return sorted(part.tolist()) if steps >= _HARD else None


def _shrunk(
    signs: Floats,
    rank: int,
    heat: NDArray[np.float64],
    first: bool,
    rng: np.random.RandomState,
    search: Search,
) -> NDArray[np.int64]:
    """Elements of which hardly one can go without the rest being embedded, the hottest first."""
    kept = np.argsort(-heat)
    if first:
        kept = np.append(0, kept[kept != 0])
    share, at = _SHARE, 0
    while at < len(kept) - int(first) and not search.out_of_time:
        going = max(1, int(share * len(kept)))
        end = len(kept) - at
        rest = np.delete(kept, np.arange(max(int(first), end - going), end))
        steps, hotter = _effort(signs[:, rest], rank, _LOOK, rng, search)
        if steps >= _LOOK:
            order = np.argsort(-hotter * (0.7 + 0.6 * rng.random_sample(len(rest))))
            kept = rest[order]
            if first:
                kept = np.append(0, kept[kept != 0])
            at = 0
        elif going > 1:
            share *= 0.6
        else:
            at += 1
    return kept


def _climbed(
    signs: Floats,
    rank: int,
    part: NDArray[np.int64],
    likely: NDArray[np.float64],
    first: bool,
    rng: np.random.RandomState,
    search: Search,
) -> tuple[int, NDArray[np.int64]]:
    """As many elements, exchanged until they are hard or no exchange helps; and their steps."""
    steps, heat = _effort(signs[:, part], rank, _LOOK, rng, search)
    vain = 0
    while steps < _HARD and vain < _PATIENCE and not search.out_of_time:
        seldom = heat * (0.3 + rng.random_sample(len(part)))
        leaves = int(first) + int(np.argmin(seldom[int(first) :]))
        trial = part.copy()
        odds = likely.copy()
        odds[part] = 0
        trial[leaves] = rng.choice(len(odds), p=odds / odds.sum())
        more, hotter = _effort(signs[:, trial], rank, int(1.3 * steps) + 50, rng, search)
        vain = 0 if more > 1.03 * steps else vain + 1
        if more >= steps:
            part, steps, heat = trial, more, hotter
    return steps, part


def _effort(
    signs: Floats, rank: int, most: int, rng: np.random.RandomState, search: Search
) -> tuple[int, NDArray[np.float64]]:
    """Steps until half of the starts arrive, and how often each element was wrong."""
    if signs.shape[1] <= rank:
        return 0, np.ones(signs.shape[1])
    approach = Approach(np.unique(signs, axis=0), rank, rng, _STARTS)
    steps = approach.go(most, search, _STARTS // 2)
    return steps, approach.heat.sum(axis=0)


def _refuted(
    d: int, entries: NDArray[np.int8], side: Side, elements: list[int], search: Search
) -> Core | None:
    """A core of these elements with its refutation, made minimal if there is time."""
    rows, columns = (list(range(size)) for size in entries.shape)
    if side == "columns":
        columns = elements
    else:
        rows = [element - 1 for element in elements if element]
    proven = refuted(Core(d, entries, side, rows, columns, relations=True), search)
    if proven is None:
        return None
    return minimal(proven, search.extended(_TIDYING)) or proven
