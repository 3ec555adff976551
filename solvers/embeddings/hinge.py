"""Numeric search for an embedding: unit vectors, and a margin that falls.

With queries and keys of length 1, the squared hinge loss sum max(0, margin - a_ij u_i . v_j)^2 asks
all entries to clear a margin. A wide margin arranges everything roughly. As it halves, the loss
depends on fewer and fewer entries. Newton steps of both sides in turn come first: see
`samapprox.solvers.embeddings.newton`. They are the fastest by far where they find an embedding.
L-BFGS finds more: `Cosines` lists the entries near the margin and computes the loss on these alone,
so that the last steps, which correct the last wrong entries, are the cheapest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.embeddings.descent import (
    AllRight,
    OutOfTime,
    balance,
    describe_best,
    in_pattern,
    iterate_subspace,
    join,
    minimise,
    normalise,
    pull_back,
    split,
    vary,
    wrong_places,
)
from samapprox.solvers.embeddings.newton import Alternation, place
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.first_turns import (
    HINGE_PASSES,
    hinge_descent,
    hinge_fall,
    hinge_pass,
    takes_newton,
)
from samapprox.solvers.engine.search import Search, shared_tokens, too_large, too_slow
from samapprox.support.arrays import Floats, Signs

NAME = "hinge"


# Steps from which L-BFGS learns the curvature; each costs two vectors of the length of x.
_MEMORY = 10
# If at most this share of the entries is near the margin, they are listed, which makes steps
# faster.
_LISTED = 0.2
_AT_ONCE = 200_000_000  # operations between two looks at the clock: some hundredths of a second
_OWN = 40  # besides the products, an entry takes as long as so many operations
_MOST_CELLS = 200_000_000  # the signs take a byte an entry: 200 MB
# Margin of a first start, and of a start from an embedding nearby, which a wide margin would
# undo.
_WIDEST, _NEXT = 0.3, 0.07
_PLACED = 0.02  # after a coarse start, whose vectors are right for a thousand others
_WIDEST_NEWTON = 0.15  # margin of a first start for Newton steps
_FEW = 1e-3  # L-BFGS goes on from Newton steps if at most this share of the entries is wrong
_NARROWEST = 1e-5  # a start is given up at this margin
_FARTHEST = 16.0  # entries up to this multiple of the margin are listed, at most
# More wrong entries are not noted, since they do not show where a core may lie.
_MOST_PLACES = 100_000
_TINY = 1e-6  # added to every coordinate, so that no vector is 0
_LOADING = 0.5  # seconds for the modules of the kernels, beside a short turn
_LONG = 1_000_000  # entries from which on a turn lasts until the margin has fallen
_COARSE = 1000  # rows and columns that are embedded first if there are many more
_MANY = 9 * _COARSE * _COARSE  # entries from which on this is done


class Cosines:
    """Signs, and the search for unit vectors whose cosines have them."""

    def __init__(self, signs: NDArray[np.int8], rank: int, search: Search) -> None:
        self._signs = signs
        self._rank = rank
        self._search = search
        rows, columns = signs.shape
        height = max(64, _AT_ONCE // (columns * (6 * rank + _OWN)))
        self._parts = [(start, min(rows, start + height)) for start in range(0, rows, height)]
        self._indptr = np.zeros(rows + 1, dtype=np.int64)
        self._columns = np.empty(int(_LISTED * signs.size) + columns, dtype=np.int32)

    def fit(
        self,
        U: Floats,
        V: Floats,
        margin: float,
        steps: int,
        rounds: int = 2,
        reach: float = 2.0,
    ) -> tuple[Floats, Floats, int]:
        """Descend until all signs are right, the steps are taken, or time is up.

        While more than a fifth of the entries is near, a step is a pass over all of them: 6 r m n
        operations, some 3 ns an entry for r = 9. Then it takes some 10 ns for each entry that is
        near. Memory: a byte an entry for the signs, and 4 bytes for a fifth of them.
        """
        x = join(normalise(U)[0], normalise(V)[0])
        wrong = self._signs.size
        try:
            wrong, few = self._collect(x, reach * margin)
            for _ in range(rounds):
                if not wrong:
                    break
                loss = partial(self._compute_loss, margin=margin, few=few)
                share = steps // rounds if few else steps // 2  # a rough arrangement will do
                x = minimise(loss, x, share, self._search, _MEMORY)
                was_few = few
                wrong, few = self._collect(x, reach * margin)
                if not (was_few and few):
                    break
        except OutOfTime:
            pass
        (u, _), (v, _) = self._units(x)
        return u, v, wrong

    def _units(self, x: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Return unit vectors and lengths, of the queries and of the keys."""
        return map(normalise, split(x, len(self._signs), self._rank))

    def _collect(self, x: Floats, reach: float) -> tuple[int, bool]:
        """Count the wrong entries at x, and list those within reach; False if they are too many."""
        from samapprox.solvers.embeddings.hinge_kernel import near_entries

        u, v = (unit.astype(np.float32) for unit, _ in self._units(x))
        wrong, few = 0, True
        for part in self._parts:
            if self._search.out_of_time and len(self._parts) > 1:
                raise OutOfTime
            more, room = near_entries(self._signs, u, v, reach, part, self._indptr, self._columns)
            wrong, few = wrong + more, few and room
        return wrong, few

    def _compute_loss(self, x: Floats, margin: float, *, few: bool) -> tuple[float, Floats]:
        """Compute loss and gradient, from the entries of the list or from all."""
        from samapprox.solvers.embeddings.hinge_kernel import all_entries, chosen_entries

        (u, u_length), (v, v_length) = self._units(x)
        left, right = u.astype(np.float32), v.astype(np.float32)
        du, dv = np.empty_like(left), np.zeros_like(right)
        given = self._signs, left, right, margin
        if few:
            total = chosen_entries(*given, self._indptr, self._columns, du, dv)
        else:
            total, wrong = 0.0, 0
            for part in self._parts:
                if self._search.out_of_time:
                    raise OutOfTime
                loss, more = all_entries(*given, part, du, dv)
                total, wrong = total + loss, wrong + more
            if not wrong:
                raise AllRight(x.copy())
        gradient = pull_back((u, u_length, du), (v, v_length, dv))
        return total / margin, gradient * (2.0 / margin)


# ---------------------------------------------------------------- the strategy


@dataclass(frozen=True, slots=True)
class _Pace:
    """Steps in which the margin falls: see `Cosines.fit`."""

    steps: int
    rounds: int
    reach: float


_PACES = (_Pace(50, 2, 2.0), _Pace(200, 2, 4.0), _Pace(400, 4, 3.0), _Pace(800, 4, 4.0))
"""From quick to thorough: every second turn takes the next pace, and what is nearly right gets the
one after it."""


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


@one_blas_thread()
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Minimise the squared hinge loss of the cosines against the signs, the margin falling.

    As in `gradient`, one more query is positive on all keys. The margin falls from 0.3 (0.07 from
    an embedding in a larger dimension, less its weakest direction) to 1e-5. Of more than 9 million
    entries, 1,000 rows and columns are embedded first; then the others are placed.

    Newton steps take some 20 passes over all entries, some 6 ns an entry each. If they fail, L-BFGS
    takes about 100 passes, some 3 ns an entry each, and as long again for the narrow margins: see
    `Cosines.fit`. Memory is 4 bytes an entry.
    """
    rows, columns = problem.pattern.shape
    rank = min(problem.d + 1, rows + 1, columns)
    if rank < 2:
        return "a single column has no zeros"
    entries = rows * columns
    is_short = entries <= _MANY and takes_newton(entries, rank) and _is_short(problem, search)
    if is_short and NAME in search.work:  # Newton steps would come to the same end
        return too_slow(hinge_descent(problem), search) or "its turn is too short"
    search.work[NAME] = "Newton steps are taken"
    if is_short:
        seconds = _LOADING + 2 * HINGE_PASSES * hinge_pass(entries, rank)
        search = search.extend(max(search.remaining, seconds))
    elif entries >= _LONG:  # a longer turn would begin anew, after slow refutations
        falls = 1 if entries > _MANY else 2  # margins fall less often after a coarse start
        search = search.extend(max(search.remaining, falls * hinge_fall(entries, rank)))
    reason = too_slow(HINGE_PASSES * hinge_pass(entries, rank), search)
    if reason is not None:
        return reason
    signs = sign_matrix(problem.pattern.to_array(), "columns")
    fitting = _Fitting(signs, rank, search)
    fewest = signs.size
    for turn, start in enumerate(_starts(signs, rank, search)):
        U, V, wrong = fitting.descend(*start, turn, quick=is_short)
        if not wrong:
            embedding = whole_numbers(problem.pattern, U, V, search)
            if embedding is not None:
                search.factors[rank] = U, V
                return embedding
        elif wrong <= _MOST_PLACES and not is_short:
            search.violations.append(in_pattern(wrong_places(signs, U, V)))
        fewest = min(fewest, wrong)
        if search.out_of_time or is_short:
            break
    return describe_best(fewest)


def _is_short(problem: Problem, search: Search) -> bool:
    """Return whether L-BFGS had better wait for a longer turn, if there can be one."""
    return search.remaining < min(hinge_descent(problem), search.whole_remaining / 2)


class _Fitting:
    """Newton steps and L-BFGS for the same signs."""

    def __init__(self, signs: Signs, rank: int, search: Search) -> None:
        self._search = search
        self._few = int(_FEW * signs.size)
        self._cosines = Cosines(signs, rank, search)
        self._alternation = Alternation(signs, search) if takes_newton(signs.size, rank) else None

    def descend(
        self, U: Floats, V: Floats, margin: float, turn: int = 0, *, quick: bool = False
    ) -> tuple[Floats, Floats, int]:
        """Lower the margin from a start; return vectors, and how many entries are wrong.

        `turn`: later ones take more steps. `quick`: whether L-BFGS only follows Newton steps.
        """
        pace, careful = _PACES[min(turn // 2, len(_PACES) - 2) :][:2]
        found = list(self._step(U, V, margin, pace))
        if not found or (found[-1][2] and not quick):
            found.append(self._lower(U, V, margin, pace))
            if found[-1][2]:
                found.append(self._lower(*found[-1][:2], _NEXT, careful))
        return min(found, key=lambda one: one[2])

    def _step(
        self, U: Floats, V: Floats, margin: float, pace: _Pace
    ) -> Iterator[tuple[Floats, Floats, int]]:
        """Yield what Newton steps find, and where that is nearly right, what L-BFGS makes of it."""
        if self._alternation is not None:
            U, V, wrong = self._alternation.lower(U, V, min(margin, _WIDEST_NEWTON))
            yield U, V, wrong
            if 0 < wrong <= self._few:
                yield self._lower(U, V, _NEXT, pace)

    def _lower(
        self, U: Floats, V: Floats, margin: float, pace: _Pace
    ) -> tuple[Floats, Floats, int]:
        """Lower the margin by L-BFGS until all entries are right, or time is up."""
        U, V, wrong = self._cosines.fit(U, V, margin, pace.steps, pace.rounds, pace.reach)
        reach = pace.reach
        while wrong and margin > _NARROWEST and not self._search.out_of_time:
            fitted = self._cosines.fit(U, V, margin / 2, pace.steps, pace.rounds, reach)
            if fitted[2] > wrong and reach < _FARTHEST:
                reach *= 2  # entries that were farther away have changed sides
                continue
            (U, V, wrong), reach, margin = fitted, pace.reach, margin / 2
        return U, V, wrong


# ---------------------------------------------------------------- starts


def _starts(signs: Signs, rank: int, search: Search) -> Iterator[tuple[Floats, Floats, float]]:
    """Yield vectors and a margin to start with, endlessly: larger rank, singular, noisy, random."""
    rng = np.random.RandomState(search.seed)
    known = [  # a copy: another thread may add one
        (size, U, V)
        for size, (U, V) in tuple(search.factors.items())
        if size > rank and (len(U), len(V)) == signs.shape
    ]
    if known:
        _, U, V = min(known, key=lambda factors: factors[0])
        yield *_drop_directions(U, V, rank), _NEXT
    if signs.size > _MANY:
        start, margin = _extend(signs, rank, rng, search), _PLACED
    else:
        start, margin = _leading_factors(signs, rank, rng), _WIDEST
    for U, V in vary(*start, rng):
        yield U, V, margin
        margin = _WIDEST


def _drop_directions(U: Floats, V: Floats, rank: int) -> tuple[Floats, Floats]:
    """Return the nearest factors of a smaller rank."""
    (left, R), (right, T) = (np.linalg.qr(normalise(side)[0]) for side in (U, V))
    turned, values, back = np.linalg.svd(R @ T.T)
    roots = np.sqrt(values[:rank])
    return left @ turned[:, :rank] * roots, right @ back[:rank].T * roots


def _leading_factors(signs: Signs, rank: int, rng: np.random.RandomState) -> tuple[Floats, Floats]:
    """Approximate factors of the nearest matrix of some rank; no vector is 0."""
    U, V = balance(*iterate_subspace(signs, rank, rng), rank)
    return U + _TINY, V + _TINY


def _extend(
    signs: Signs, rank: int, rng: np.random.RandomState, search: Search
) -> tuple[Floats, Floats]:
    """Embed some rows and columns, as far as possible, and place the others."""
    rows, columns = (
        np.sort(rng.permutation(size)[: max(_COARSE, 2 * rank)]) for size in signs.shape
    )
    rows[0] = 0  # the query that is positive on all keys
    part = np.ascontiguousarray(signs[np.ix_(rows, columns)])
    U, V, _ = _Fitting(part, rank, search).descend(*_leading_factors(part, rank, rng), _WIDEST)
    U = _place(np.ascontiguousarray(signs[:, columns]), V, search)
    return U, _place(np.ascontiguousarray(signs[rows].T), U[rows], search)


def _place(signs: Signs, known: Floats, search: Search) -> Floats:
    """Return vectors whose products with known ones have the signs, as far as possible."""
    known = normalise(known)[0]
    inverse = np.linalg.pinv(known).astype(np.float32)
    step = max(1, _MANY // len(known))
    placed = [
        signs[start : start + step].astype(np.float32) @ inverse.T
        for start in range(0, len(signs), step)
    ]
    nearest = np.concatenate(placed).astype(np.float64)
    return (
        place(signs, nearest, known, search)
        if takes_newton(signs.size, known.shape[1])
        else nearest
    )
