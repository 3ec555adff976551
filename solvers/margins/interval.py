"""Bounds on the margin of a pattern, and what is found for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats import PatternLike, as_pattern
from samapprox.margins import DimensionMargin, MarginBounds, MarginsInterrupted
from samapprox.pattern import Pattern
from samapprox.problem import Problem, require_dimension
from samapprox.proofs.base import Proof
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.kinds.margins.margin_dual import MarginDual
from samapprox.proofs.kinds.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.questions.margin import Margin
from samapprox.proofs.simplify import Simplified, simplify
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.decide import decide
from samapprox.solvers.margins.bits import find_few_bits, finely, surviving_formats
from samapprox.solvers.margins.fixed import climb, normalize, project, widen
from samapprox.solvers.margins.parts import MOST_LINES, draw_part, heaviest_rows
from samapprox.solvers.margins.rounding import bound_of, dual_of, round_vectors
from samapprox.solvers.margins.smooth import (
    Vectors,
    ascend,
    margin_of,
    random_vectors,
    unit_vectors,
    weigh,
)
from samapprox.solvers.search import Search
from samapprox.support.clock import search_clock
from samapprox.verdict import Status, Verdict

__all__ = ["Improved", "Progress", "margin"]

Progress = Callable[[str], None]

Improved = Callable[[MarginBounds], None]
"""Takes the bounds so far, with their certificates, when they are better than before."""

_CLOSE = 0.005
"""The relative distance of the bounds that ends the search."""

_FIRST, _FIRST_OF_LARGE, _LAST = 640.0, 20.0, 1e6
"""Soft searches end earlier: good for large patterns, but most of their work is done again."""

_NOISE = 0.05
_SPARE = 3
"""Coordinates beyond min(m, n), which suffice: ascents in few dimensions get stuck more easily."""

_MOST_ENTRIES = 1 << 22
_MOST_PRODUCTS = 1 << 30
"""Products of all logits, which bound the coordinates for large patterns: less than 0.2 s."""

_SECONDS_A_PRODUCT = 0.6 / _MOST_PRODUCTS
"""Time in which logits are computed once more, vectors are rounded, and the proof is checked."""

_DECIDED = 4.0  # seconds
_WRITTEN = 0.5  # seconds in which an embedding is written out
_GRACE = 0.5  # seconds after the limit in which single dimensions still get a first answer


def margin(
    entries: PatternLike,
    *,
    causal: bool = False,
    dimensions: int | Sequence[int] = (),
    bits: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
    improved: Improved | None = None,
) -> MarginBounds:
    """Bound the largest margin of unit queries and keys, and find margins in few dimensions.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    causal : bool
        Only entries on and below the diagonal count.
    dimensions : int or sequence of int
        The dimensions in which margins are searched, too; a number k stands for 1, .., k.
    bits : bool
        For each of these, search integer embeddings in few bits, and embeddings in the formats
        of `samapprox.arithmetic.EMBEDDING_FORMATS`.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with a few words on the bounds so far.
    improved : callable, optional
        Called with the result so far whenever a bound in any dimension is better.

    Returns
    -------
    MarginBounds
        With certificates for both bounds and for all that was found.

    Raises
    ------
    InputError
        The pattern or an option is unusable, or the pattern has more than 4 million entries.
    MarginsInterrupted
        Ctrl-C; a KeyboardInterrupt that holds the bounds so far.

    Notes
    -----
    A soft minimum of all distances from the thresholds is maximized by L-BFGS, sharper and sharper;
    its gradient, made whole, is a proof that no margin is much larger. See docs/theory/margins.md.
    Each step costs O(m n min(m, n)).

    Examples
    --------
    >>> import numpy as np
    >>> found = margin(np.eye(4))
    >>> found.lower <= Fraction(2, 3) <= found.upper
    True
    """
    pattern = as_pattern(entries, causal=causal)
    chosen = _choose(dimensions, pattern.shape)
    if bits and not chosen:
        raise InputError("bits are searched for each dimension: state the dimensions")
    run = _Run(pattern, Search.within(time_limit, seed), progress, improved)
    with one_blas_thread():
        try:
            run.bound(0.5 if chosen else 1.0)
            for number, d in enumerate(chosen):
                run.search_dimension(d, 1 / (len(chosen) - number), bits=bits)
        except KeyboardInterrupt:
            raise MarginsInterrupted(run.result()) from None
        return run.result()


def _choose(dimensions: int | Sequence[int], shape: tuple[int, int]) -> tuple[int, ...]:
    """Return the dimensions in ascending order."""
    given = [dimensions] if isinstance(dimensions, int) else list(dimensions)
    for d in given:
        require_dimension("dimensions", d)
    if max(given, default=0) > min(shape):
        raise InputError(
            f"dimensions: {max(given)} exceeds min(m, n) = {min(shape)}, in which margins are as "
            "large as in any dimension"
        )
    chosen = range(1, dimensions + 1) if isinstance(dimensions, int) else given
    return tuple(sorted(set(chosen)))


class _Run:
    """A search on the simplified pattern, whose proofs are lifted as they are found."""

    def __init__(
        self,
        pattern: Pattern,
        search: Search,
        progress: Progress | None,
        improved: Improved | None,
    ) -> None:
        self._started = search_clock.now()
        self._pattern, self._search = pattern, search
        self._yes: tuple[Fraction, UnitEmbedding] | None = None
        self._no: tuple[Fraction, Proof] | None = None
        self._progress = progress or (lambda _words: None)
        self._improved, self._reported = improved, self._bounds
        self._simplified: Simplified = simplify(pattern)
        self._dimensions: list[DimensionMargin] = []
        self._vectors: Vectors | None = None
        smaller = self._simplified.pattern
        if smaller is None:
            return
        rows, columns = smaller.shape
        if rows * columns > _MOST_ENTRIES:
            raise InputError(
                f"{rows} x {columns} different rows and columns are too many for a search of "
                f"margins; at most {_MOST_ENTRIES} entries are searched"
            )
        self._entries: NDArray[np.int8] = smaller.to_array()
        self._no = Fraction(1), _trivial_bound(self._entries)

    def result(self) -> MarginBounds:
        """Return what is proven so far."""
        yes, no = self._yes, self._no
        return MarginBounds(
            self._pattern,
            None if yes is None else self._certify(yes[0], yes[1]),
            None if no is None else self._certify(no[0], no[1]),
            tuple(self._dimensions),
            search_clock.now() - self._started,
        )

    def _certify(self, value: Fraction, proof: Proof, d: int | None = None) -> Certificate:
        lifted = proof.lift(self._simplified)
        assert not isinstance(lifted, str)
        question = Margin(self._pattern, value.numerator, value.denominator, d)
        return Certificate.of(question, lifted)

    # ---------------------------------------------------------------- any dimension

    def bound(self, share: float) -> None:
        """Close the interval of the margin in any dimension, within a share of the time."""
        if self._no is None:
            return
        tidying = _SECONDS_A_PRODUCT * self._entries.size * _coordinates(self._entries)
        search = self._search.slice(share * self._search.remaining - tidying, 0)
        random = np.random.default_rng(self._search.seed)
        if (part := draw_part(self._entries, random)) is not None:
            self._bound_part(*part, search.slice(search.remaining / 2, 0), random)
        for vectors, sharpness in _ascents(self._entries, search, random, _FIRST):
            self._note(vectors, sharpness)
            self._report()
            if self._closed:
                break

    def _bound_part(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        search: Search,
        random: np.random.Generator,
    ) -> None:
        """Bound the margin of a part, which is a bound for the whole."""
        assert self._no is not None
        entries = self._entries[np.ix_(rows, columns)]
        for vectors, sharpness in _ascents(entries, search, random, _FIRST_OF_LARGE):
            self._prove(rows, columns, vectors, sharpness)
            self._report()
            least = Fraction(margin_of(entries, vectors.logits))
            if self._no[0] - least <= _CLOSE * self._no[0]:
                break

    def _report(self) -> None:
        """Pass on the bounds so far; after the deadline, the result itself is about to come."""
        self._progress(self._words())
        if self._improved is None or self._reported == self._bounds or self._search.out_of_time:
            return
        self._reported = self._bounds
        self._improved(self.result())

    @property
    def _bounds(self) -> tuple[Fraction | None, ...]:
        return tuple(None if known is None else known[0] for known in (self._yes, self._no))

    @property
    def _closed(self) -> bool:
        if self._yes is None or self._no is None:
            return False
        return self._no[0] - self._yes[0] <= _CLOSE * self._no[0]

    def _words(self) -> str:
        upper = "" if self._no is None else f"{float(self._no[0]):.4f}"
        lower = 0.0 if self._yes is None else float(self._yes[0])
        return f"{lower:.4f}..{upper}"

    def _note(self, vectors: Vectors, sharpness: float) -> None:
        """Keep the margin of these vectors, and the bound that they give, if they are better."""
        least = self._yes[0] if self._yes is not None else Fraction(0)
        if margin_of(self._entries, vectors.logits) > least:
            rounded = round_vectors(self._entries, vectors)
            if rounded[0] > least:
                self._yes, self._vectors = rounded, vectors
        if self._entries.shape[1] < MOST_LINES:
            _, weights = weigh(self._entries, vectors.logits, sharpness)
            rows, columns = heaviest_rows(weights), np.arange(len(vectors.keys))
            core = Vectors(vectors.queries[rows], vectors.keys)
            self._prove(rows, columns, core, sharpness)

    def _prove(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        vectors: Vectors,
        sharpness: float,
    ) -> None:
        """Keep the bound that vectors for some rows and columns give, if it is better."""
        assert self._no is not None
        entries = self._entries[np.ix_(rows, columns)]
        bound, weights, diagonal = bound_of(entries, vectors, sharpness)
        if bound >= self._no[0]:
            return
        if (found := dual_of(entries, weights, diagonal)) and found[0] < self._no[0]:
            self._no = found[0], found[1].place(rows, columns)

    # ---------------------------------------------------------------- one dimension

    def search_dimension(self, d: int, share: float, *, bits: bool) -> None:
        """Search a large margin in dimension d, and few bits if asked, in a share of the time."""
        self._progress(f"{self._words()} | d = {d}")
        smaller = self._simplified.pattern
        search = self._search.slice(share * self._search.remaining, d)
        if smaller is None or self._search.remaining < -_GRACE:
            self._dimensions.append(DimensionMargin(d))
            return
        verdict = self._decide(d, smaller, search)
        if verdict is not None and verdict.status is Status.NO:
            self._dimensions.append(DimensionMargin(d, no=self._lift(d, verdict.proof)))
            return
        candidates = self._candidates(d, None if verdict is None else verdict.proof, search)
        best = max(candidates, key=lambda found: margin_of(self._entries, found.logits))
        value, proof = round_vectors(self._entries, best)
        yes = self._certify(value, proof, d) if value > 0 else None
        found = DimensionMargin(d, yes)
        if bits and yes is not None:
            found = self._with_bits(found, smaller, candidates)
        self._dimensions.append(found)

    def _decide(self, d: int, smaller: Pattern, search: Search) -> Verdict | None:
        """Decide shortly whether d suffices, unless a smaller dimension does."""
        seconds = min(search.remaining / 2, _DECIDED)
        if seconds < _WRITTEN or any(each.found for each in self._dimensions):
            return None
        return decide(smaller, d, time_limit=seconds, seed=self._search.seed)

    def _lift(self, d: int, proof: Proof | None) -> Certificate | None:
        """Return the certificate of a proof for the simplified pattern, if it can be lifted."""
        lifted = None if proof is None else proof.lift(self._simplified)
        if lifted is None or isinstance(lifted, str):
            return None
        return Certificate.of(Problem(self._pattern, d), lifted)

    def _candidates(self, d: int, exact: Proof | None, search: Search) -> list[Vectors]:
        """Find vectors in dimension d by climbs, and from an exact embedding if these find none."""
        starts = [] if self._vectors is None else [project(self._vectors, d)]
        previous = self._dimensions[-1].yes if self._dimensions else None
        if previous is not None and isinstance(previous.proof, UnitEmbedding):
            starts.append(self._restrict(previous.proof, d))
        found = [widen(self._entries, d, search, starts)]
        if margin_of(self._entries, found[0].logits) > 0:
            return found
        if isinstance(exact, Embedding) and (start := normalize(exact, d)):
            least = margin_of(self._entries, start.logits)
            sharpness = 1 / least if least > 0 else _FIRST
            found += [start, climb(self._entries, start, search, min(sharpness, 1e9))]
        return found

    def _restrict(self, proof: UnitEmbedding, d: int) -> Vectors:
        """Return the vectors of the dimension below, on the rows and columns that differ."""
        embedding = Embedding(
            proof.queries[self._simplified.rows],
            proof.keys[self._simplified.columns],
            proof.thresholds[self._simplified.rows],
        )
        vectors = normalize(embedding, d)
        assert vectors is not None
        turned = np.where(self._simplified.turned, -1, 1)[:, None]
        return Vectors(vectors.queries * turned, vectors.keys)

    def _with_bits(
        self, found: DimensionMargin, smaller: Pattern, candidates: list[Vectors]
    ) -> DimensionMargin:
        """Add the fewest bits and the formats for which an embedding was found."""
        from samapprox.arithmetic import EMBEDDING_FORMATS

        whole = [embedding for vectors in candidates for embedding in finely(smaller, vectors)]
        fewest = find_few_bits(smaller, candidates)
        certificate = None
        if fewest is not None:
            whole.append(fewest[1])
            certificate = self._lift(found.d, fewest[1])
        return replace(
            found,
            embedding=certificate,
            bits=None if fewest is None else fewest[0],
            formats=surviving_formats(smaller, whole, EMBEDDING_FORMATS),
        )


def _coordinates(entries: NDArray[np.int8]) -> int:
    """Return the dimension in which the vectors of any dimension are searched."""
    height, width = entries.shape
    return int(min(min(height, width) + _SPARE, _MOST_PRODUCTS // (height * width)))


def _ascents(
    entries: NDArray[np.int8], search: Search, random: np.random.Generator, sharpness: float
) -> Iterator[tuple[Vectors, float]]:
    """Yield vectors of larger and larger smoothed margins, with the sharpness of each."""
    height, width = entries.shape
    d = _coordinates(entries)
    if d >= min(height, width):
        vectors = unit_vectors(entries, d)
    else:
        vectors, sharpness = random_vectors((height, width), d, random), _FIRST_OF_LARGE
    yield vectors, sharpness
    while sharpness < _LAST and not search.out_of_time:
        # Vectors that lie in a subspace would stay there, though others may be better.
        noise = random.standard_normal(vectors.queries.shape) * (_NOISE / np.sqrt(d))
        vectors = Vectors(vectors.queries + noise, vectors.keys)
        vectors = ascend(entries, vectors, sharpness, search)
        yield vectors, sharpness
        sharpness *= 2


def _trivial_bound(entries: NDArray[np.int8]) -> MarginDual:
    """Prove by a one and a zero of one row that no margin exceeds 1."""
    columns = [int(np.flatnonzero(entries[0] == value)[0]) for value in (1, 0)]
    return MarginDual([0], columns, [[1, 1]], [2], [1, 1], [[1, -1, 0], [1, 0, 1]])
