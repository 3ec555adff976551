"""Bounds on the margin of a pattern, and what is found for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from samapprox.errors import InputError, Interrupted
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.problem import require_dimension
from samapprox.proofs.simplify import simplify
from samapprox.results.margins import DimensionMargin, MarginBounds
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.any_dimension import AnyDimension
from samapprox.solvers.questions.margins.one_dimension import Lifting, SingleDimensions
from samapprox.support.clock import search_clock

__all__ = ["Improved", "Progress", "margin"]

Progress = Callable[[str], None]

Improved = Callable[[MarginBounds], None]
"""Takes the bounds so far, with their certificates, when they are better than before."""

# Entries of the largest pattern: its logits, and their gradients, are held in memory.
_MOST_ENTRIES = 1 << 22


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
        of `samapprox.precision.EMBEDDING_FORMATS`.
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
    Interrupted
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
                run.search(d, 1 / (len(chosen) - number), bits=bits)
        except KeyboardInterrupt:
            raise Interrupted(run.result()) from None
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
    """Searches on the simplified pattern: in any dimension, then in single ones.

    There are none if no row has both a one and a zero.
    """

    def __init__(
        self,
        pattern: Pattern,
        search: Search,
        progress: Progress | None,
        improved: Improved | None,
    ) -> None:
        self._started = search_clock.now()
        self._pattern, self._search = pattern, search
        self._progress = progress or (lambda _words: None)
        self._improved = improved
        self._lifting = Lifting(pattern, simplify(pattern))
        self._bounding: AnyDimension | None = None
        self._single: SingleDimensions | None = None
        self._skipped: list[DimensionMargin] = []
        self._reported = self._bounds
        smaller = self._lifting.simplified.pattern
        if smaller is None:
            return
        rows, columns = smaller.shape
        if rows * columns > _MOST_ENTRIES:
            raise InputError(
                f"{rows} x {columns} different rows and columns are too many for a search of "
                f"margins; at most {_MOST_ENTRIES} entries are searched"
            )
        entries = smaller.to_array()
        self._bounding = AnyDimension(entries, search, self._report)
        self._single = SingleDimensions(self._lifting, entries, search)

    def bound(self, share: float) -> None:
        """Close the interval of the margin in any dimension, within a share of the time."""
        if self._bounding is not None:
            self._bounding.run(share)

    def search(self, d: int, share: float, *, bits: bool) -> None:
        """Search a large margin in dimension d, and few bits if asked, in a share of the time."""
        self._progress(f"{self._words()} | d = {d}")
        if self._bounding is None or self._single is None:
            self._skipped.append(DimensionMargin(d))
        else:
            self._single.search(d, share, self._bounding.vectors, bits=bits)

    def result(self) -> MarginBounds:
        """Return what is proven so far."""
        yes = no = None
        if self._bounding is not None:
            no = self._lifting.certify_margin(*self._bounding.no)
            if self._bounding.yes is not None:
                yes = self._lifting.certify_margin(*self._bounding.yes)
        found = self._skipped if self._single is None else self._single.found
        seconds = search_clock.now() - self._started
        return MarginBounds(self._pattern, yes, no, tuple(found), seconds)

    def _report(self) -> None:
        """Pass on the bounds so far; after the deadline, the result itself is about to come."""
        self._progress(self._words())
        if self._improved is None or self._reported == self._bounds or self._search.out_of_time:
            return
        self._reported = self._bounds
        self._improved(self.result())

    @property
    def _bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """The largest margin so far, and the smallest bound."""
        if self._bounding is None:
            return None, None
        yes = self._bounding.yes
        return None if yes is None else yes[0], self._bounding.no[0]

    def _words(self) -> str:
        lower, upper = self._bounds
        return f"{float(lower or 0):.4f}..{'' if upper is None else f'{float(upper):.4f}'}"
