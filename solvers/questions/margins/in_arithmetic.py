"""The least dimension that is found whose embedding comes out right in a number format."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import (
    InputError,
    Interrupted,
    interrupts_hold,
    require_callback,
    require_type,
)
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.results.arithmetic_dimension import ArithmeticDimension
from samapprox.results.dimension import WeakDimension
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.dimension import weak_dimension
from samapprox.solvers.questions.margins.ascent import (
    FAST,
    Vectors,
    climb,
    measure_margin,
    random_vectors,
    restrict,
)
from samapprox.solvers.questions.margins.first_embeddings import (
    give_keys_coordinates,
    give_queries_coordinates,
    spread,
)
from samapprox.solvers.questions.margins.grid_annealing import anneal, has_grid
from samapprox.solvers.questions.margins.key_by_key import round_key_by_key
from samapprox.solvers.questions.margins.linear_steps import climb_linearly, fill_box
from samapprox.solvers.questions.margins.one_dimension import Lifting, SingleDimensions
from samapprox.solvers.questions.margins.rounding import represents, round_finely
from samapprox.solvers.questions.margins.straight_through import (
    count_wrong,
    descend,
)
from samapprox.support.progress import OnProgress, Reporter

# The part of the time for the bounds in exact arithmetic.
_SHARE = 0.5
# The sharpness from which random vectors climb.
_FIRST = 20.0
# The part of the time that is left for a dimension when it is tried first, and for one that is only
# tried so that there is some answer early.
_TRIED, _EARLY = 1 / 3, 0.04
# Random starts in each dimension: more find larger margins, fewer leave
# more time for other dimensions.
_ATTEMPTS = 3
# The sharpness from which the exact embedding is improved: a softer minimum would leave it.
_SHARPNESS = 640.0
# Linear maps of the best vectors, each of which is rounded otherwise, and the logarithmic spread of
# their singular values: formats are finer near 0, and coordinates need not be equally fine.
_MAPS, _SPREAD = 24, 0.7
# Annealings of the best vectors, each of which starts from the best of so many linear maps: most
# maps leave too many rows wrong.
_ANNEALINGS, _DRAWN = 24, 32
# The part of the time in one dimension that annealings may take, and the most entries for which
# they can move enough coordinates.
_ANNEALED, _MOST_ANNEALED = 0.5, 1 << 14
# Margins that only linear programs raise, and too small for annealing; the part of the time for
# this and for rounding, and of these for larger margins; and the growth after which rounding is
# tried, if so few of the rows are wrong.
_TINY, _CLIMB, _MORE, _FEW = 1e-3, 0.7, 1.2, 0.05
# Where the exact dimension does not suffice for a pattern too large for annealing, the part of the
# time for large margins in it and so many dimensions above.
_MARGINS, _ABOVE = 1 / 3, 4
# Entries of the largest pattern: products in a format take too long for more.
_MOST_ENTRIES = 1 << 22


def dimension_in_arithmetic(
    entries: PatternLike,
    arithmetic: str,
    *,
    causal: bool = False,
    weak: WeakDimension | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> ArithmeticDimension:
    """Find a small dimension in which an embedding represents a pattern in a number format.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    arithmetic : str
        One of `samapprox.precision.EMBEDDING_FORMATS`.
    causal : bool
        Only entries on and below the diagonal count.
    weak : WeakDimension, optional
        What is known in exact arithmetic; by default, half of the time goes into it.
    time_limit : float
        Seconds after which the least dimension so far is returned.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with a `Progress` whose `so_far` is the least dimension so far when it is better than
        before.

    Returns
    -------
    ArithmeticDimension
        Its lower bound is proven, and is that of exact arithmetic. Its dimension is found: the
        saved embedding represents every row, exactly and in the format, but a smaller d may do as
        well.

    Raises
    ------
    InputError
        The pattern or the arithmetic is unusable, or the pattern has more than 4 million entries.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds what was found so far.

    Notes
    -----
    Dimensions from the best exact embedding's on are tried in doubling steps, then by bisection. If
    the first one fails for a large pattern, large margins in the next ones are searched together,
    and rounded. In each, gradient descent through the rounding starts from the exact embedding,
    from embeddings with a large margin, and from linear maps of both. For formats of few bits,
    simulated annealing also moves single coordinates of linear maps, in the last open dimension. If
    the exact embedding has a tiny margin there, linear programs raise it, and keys are rounded one
    by one.

    Examples
    --------
    >>> import numpy as np
    >>> found = dimension_in_arithmetic(np.eye(6), "bfloat16")
    >>> found.lower, found.d
    (2, 2)
    """
    from samapprox.precision import require_arithmetic

    require_arithmetic(arithmetic)
    require_callback("progress", progress)
    if weak is not None:
        require_type("weak", weak, WeakDimension, "what weak_dimension returns")
    pattern = as_pattern(entries, causal=causal)
    if pattern.size > _MOST_ENTRIES:
        raise InputError(
            f"{pattern.shape[0]} x {pattern.shape[1]} entries are too many to be tested in "
            f"{arithmetic}; at most {_MOST_ENTRIES} are"
        )
    search = Search.within(time_limit, seed)
    if weak is not None and weak.pattern.sha256 != pattern.sha256:
        raise InputError("the weak dimension is that of another pattern")
    if weak is None:
        try:
            weak = weak_dimension(pattern, time_limit=_SHARE * time_limit, seed=seed)
        except Interrupted as interrupt:
            begun = _FormatSearch(pattern, arithmetic, interrupt.so_far, search, progress)
            raise Interrupted(begun.result()) from None
    run = _FormatSearch(pattern, arithmetic, weak, search, progress)
    with interrupts_hold(run.result), one_blas_thread():
        run.close()
    return run.result()


class _FormatSearch:
    """A search for small dimensions in one number format."""

    def __init__(
        self,
        pattern: Pattern,
        arithmetic: str,
        weak: WeakDimension,
        search: Search,
        progress: OnProgress | None,
    ) -> None:
        self._pattern, self._arithmetic, self._weak = pattern, arithmetic, weak
        self._search, self._reporter = search, Reporter(progress)
        self._simplified: Simplification = simplify(pattern)
        self._best = give_queries_coordinates(pattern)
        self._weak_embedding = _explicit(weak, pattern)
        self._keep(self._weak_embedding)
        if self._weak_embedding is not None:
            self._keep(spread(pattern, self._weak_embedding, arithmetic))
        smaller = self._simplified.pattern
        if smaller is not None and smaller.shape[1] < self._best.dimension:
            self._keep(give_keys_coordinates(smaller).lift(self._simplified))

    def result(self) -> ArithmeticDimension:
        """Return the smallest dimension so far."""
        problem = Problem(self._pattern, self._best.dimension)
        certificate = Certificate.of(problem, self._best)
        return ArithmeticDimension(self._pattern, self._arithmetic, self._weak, certificate)

    def close(self) -> None:
        """Try dimensions in doubling steps, then between the last two, then the last one again."""
        self._find_some()
        failed, step = self._weak.upper - 1, 1  # below, no embedding is known at all
        while failed + 1 < self._best.dimension and not self._search.out_of_time:
            d = min(failed + step, self._best.dimension - 1)
            top = self._best.dimension
            self._reporter.report(f"{self._arithmetic}, d = {d}", top, self.result)
            if self._try(d, _TRIED, d, anneals=False):
                step = max(1, (self._best.dimension - failed) // 2)
            else:
                if failed < self._weak.upper:
                    self._try_margins()
                failed, step = d, min(2 * step, max(1, (top - d) // 2))
        last = self._best.dimension - 1
        if last >= self._weak.upper and not self._search.out_of_time:
            self._try(last, 1.0, 0, anneals=True)  # with other random choices, and all of the time

    def _find_some(self) -> None:
        """Search briefly in doubled dimensions, so that short limits end with more than n."""
        d = 2 * self._weak.upper
        while d < self._best.dimension and not self._try(d, _EARLY, d, anneals=False):
            d *= 2

    def _try(self, d: int, share: float, turn: int, *, anneals: bool) -> bool:
        """Search an embedding in dimension d, for a share of the time that is left."""
        smaller = self._simplified.pattern
        assert smaller is not None  # without a zero, d = 1 is found at once
        search = self._search.slice(share * self._search.remaining, turn)
        for embedding in self._embeddings(smaller, d, search, anneals):
            if represents(smaller, embedding, self._arithmetic):
                return self._keep(embedding.lift(self._simplified))
        return False

    def _try_margins(self) -> None:
        """Search large margins in several dimensions, which help each other, and round them."""
        smaller, lower = self._simplified.pattern, self._weak.upper
        assert smaller is not None
        if smaller.size <= _MOST_ANNEALED:
            return
        most = min(lower + _ABOVE, self._best.dimension - 1, *smaller.shape)
        part = self._search.slice(_MARGINS * self._search.remaining, 0)
        single = SingleDimensions(
            Lifting(self._pattern, self._simplified),
            smaller.to_array(),
            part,
            range(lower, most + 1),
        )
        single.begin(None)
        single.improve(lambda _: None, 1.0)
        rounding = self._search.slice(_MARGINS * self._search.remaining, 0)
        for vectors in single.best:
            for embedding in self._rounded(smaller, vectors, rounding):
                if represents(smaller, embedding, self._arithmetic):
                    self._keep(embedding.lift(self._simplified))
                    return

    def _keep(self, embedding: Embedding | None) -> bool:
        """Keep an embedding of a smaller dimension if it represents the pattern in the format."""
        if embedding is None or embedding.dimension >= self._best.dimension:
            return False
        if not represents(self._pattern, embedding, self._arithmetic):
            return False
        self._best = embedding
        return True

    def _embeddings(
        self, smaller: Pattern, d: int, search: Search, anneals: bool
    ) -> Iterator[Embedding]:
        """Yield embeddings near the exact one, near ones of a large margin, and near their maps."""
        entries = smaller.to_array()
        random = np.random.default_rng(search.seed + d)
        known = self._exact(d)
        if known is not None:
            yield from descend(entries, known, self._arithmetic, search)
        best, most = known, 0.0
        for start, sharpness in self._starts(known, entries.shape, d, random):
            found = climb(entries, start, search, sharpness, FAST)
            margin = measure_margin(entries, found.logits)
            yield from self._rounded(smaller, found, search)
            if margin > most:
                best, most = found, margin
                # Annealing takes time from descents, which succeed more often.
                if anneals and margin > _TINY:
                    yield from self._annealed(entries, found, search, random)
            if not anneals and start is known and margin <= _TINY:
                yield from self._climbed(smaller, found, random)
            if search.out_of_time:
                break
        for _ in range(_MAPS if best is not None else 0):
            assert best is not None
            yield from self._rounded(smaller, _map(best, random), search)

    def _rounded(self, smaller: Pattern, vectors: Vectors, search: Search) -> Iterator[Embedding]:
        """Yield embeddings close to some vectors, then some that roundings lead to."""
        yield from round_finely(smaller, vectors)
        yield from descend(smaller.to_array(), vectors, self._arithmetic, search)

    def _annealed(
        self,
        entries: NDArray[np.int8],
        vectors: Vectors,
        search: Search,
        random: np.random.Generator,
    ) -> Iterator[Embedding]:
        """Yield embeddings that annealing finds from linear maps of some vectors."""
        if entries.size > _MOST_ANNEALED or not has_grid(self._arithmetic):
            return
        part = search.slice(_ANNEALED * search.remaining, 0)
        for _ in range(_ANNEALINGS):
            if part.out_of_time:
                return
            start = min(
                (_map(vectors, random) for _ in range(_DRAWN)),
                key=lambda mapped: count_wrong(entries, mapped, self._arithmetic),
            )
            found = anneal(entries, start, self._arithmetic, part, random)
            if found is not None:
                yield found

    def _climbed(
        self, smaller: Pattern, start: Vectors, random: np.random.Generator
    ) -> Iterator[Embedding]:
        """Yield embeddings near vectors of larger and larger margins, then round key by key.

        Takes a part of all time that is left: where the exact embedding just represents the
        pattern, other starts in its dimension lead nowhere.
        """
        entries, margin = smaller.to_array(), 0.0
        search = self._search.slice(_CLIMB * self._search.remaining, 0)
        vectors, part = fill_box(start), search.slice(_CLIMB * search.remaining, 0)
        for larger in climb_linearly(entries, vectors, part):
            vectors = larger
            if measure_margin(entries, vectors.logits) < _MORE * margin:
                continue
            margin = measure_margin(entries, vectors.logits)
            if count_wrong(entries, vectors, self._arithmetic) <= _FEW * len(entries):
                yield from self._rounded(smaller, vectors, search)
        if has_grid(self._arithmetic):
            yield from round_key_by_key(entries, vectors, self._arithmetic, search, random)

    def _exact(self, d: int) -> Vectors | None:
        """Return the vectors of the exact embedding, if it has this dimension."""
        known = self._weak_embedding
        if known is None or known.dimension != d:
            return None
        return restrict(known, self._simplified, d)

    def _starts(
        self, known: Vectors | None, shape: tuple[int, ...], d: int, random: np.random.Generator
    ) -> Iterator[tuple[Vectors, float]]:
        """Yield vectors and a sharpness to start from: the exact embedding, and random ones."""
        if known is not None:
            yield known, _SHARPNESS
        for _ in range(_ATTEMPTS):
            yield random_vectors((shape[0], shape[1]), d, random), _FIRST


def _map(vectors: Vectors, random: np.random.Generator) -> Vectors:
    """Map keys linearly, at random, and queries such that all logits stay the same."""
    d = vectors.dimension
    before, after = (np.linalg.qr(random.standard_normal((d, d)))[0] for _ in range(2))
    sizes = np.exp(random.normal(0, _SPREAD, d))
    return Vectors(
        vectors.queries @ (before / sizes) @ after, vectors.keys @ (before * sizes) @ after
    )


def _explicit(weak: WeakDimension, pattern: Pattern) -> Embedding | None:
    """Return the numbers of an upper bound's proof, if it can state them."""
    if weak.yes is None or not isinstance(weak.yes.proof, Witness):
        return None
    try:
        return weak.yes.proof.embedding(pattern)
    except InputError:  # too many numbers, or too long ones
        return None
