"""Bounds on the margin of a pattern, in any dimension and in single ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samapprox.errors import InputError, interrupts_hold, require_flag
from samapprox.formats import PatternLike, as_pattern
from samapprox.problem import require_dimension
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.questions import Margin
from samapprox.results.margins import DimensionMargin, MarginBounds
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.any_dimension import AnyDimension
from samapprox.solvers.questions.margins.one_dimension import Lifting, SingleDimensions
from samapprox.support.limits import search_clock
from samapprox.support.progress import OnProgress, Reporter

# Entries of the largest pattern: its logits, and their gradients, are held in memory.
_MOST_ENTRIES = 1 << 22
# The part of the time for bounds in any dimension, if single ones are asked for, too.
_SHARE = 0.25
# The part of the rest for larger margins, if embeddings in number formats are asked for, too.
_CLIMBS = 0.7


def margin(
    entries: PatternLike,
    *,
    causal: bool = False,
    dimensions: int | Sequence[int] = (),
    bits: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> MarginBounds:
    """Bound the largest margin of unit queries and keys, in any dimension and in single ones.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    causal : bool
        Only entries on and below the diagonal count.
    dimensions : int or sequence of int
        The dimensions in which margins are bounded, too; a number k stands for 1, .., k.
    bits : bool
        For each of these, search integer embeddings in few bits, and embeddings in the formats
        of `samapprox.precision.EMBEDDING_FORMATS`.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with a `Progress` that says what is tried next. Its `so_far` is the result so far
        when a bound in any dimension is better than before, as long as this takes little time.

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
    >>> from fractions import Fraction
    >>> found = margin(np.eye(4))
    >>> found.lower <= Fraction(2, 3) <= found.upper
    True
    """
    require_flag("bits", bits)
    pattern = as_pattern(entries, causal=causal)
    chosen = _choose(dimensions, pattern.shape)
    if bits and not chosen:
        raise InputError("bits are searched for each dimension: state the dimensions")
    lifting = Lifting(pattern, simplify(pattern))
    if lifting.simplified.pattern is None:  # no row has both a one and a zero
        return MarginBounds(pattern, None, None, tuple(map(DimensionMargin, chosen)))
    run = _MarginSearch(lifting, chosen, Search.within(time_limit, seed), progress)
    with one_blas_thread():
        with interrupts_hold(run.result):
            run.bound(_SHARE if chosen else 1.0)
            if chosen:
                run.search(bits=bits)
        return run.result()


def require_size(shape: tuple[int, int]) -> None:
    """Refuse simplified patterns that are too large for a search of margins."""
    rows, columns = shape
    if rows * columns > _MOST_ENTRIES:
        raise InputError(
            f"{rows} x {columns} different rows and columns are too many for a search of "
            f"margins; at most {_MOST_ENTRIES} entries are searched"
        )


def _choose(dimensions: int | Sequence[int], shape: tuple[int, int]) -> tuple[int, ...]:
    """Return the dimensions in ascending order."""
    given: list[int] = np.ravel(np.asarray(dimensions, dtype=object)).tolist()
    for d in given:
        require_dimension("dimensions", d)
    if max(given, default=0) > min(shape):
        raise InputError(
            f"dimensions: {max(given)} exceeds min(m, n) = {min(shape)}, in which margins are as "
            "large as in any dimension"
        )
    chosen = given if np.ndim(dimensions) else range(1, int(given[0]) + 1)
    return tuple(sorted(map(int, set(chosen))))


class _MarginSearch:
    """Searches on the simplified pattern: in any dimension, then in single ones."""

    def __init__(
        self,
        lifting: Lifting,
        dimensions: Sequence[int],
        search: Search,
        progress: OnProgress | None,
    ) -> None:
        assert lifting.simplified.pattern is not None
        require_size(lifting.simplified.pattern.shape)
        self._started = search_clock.now()
        self._lifting, self._search, self._reporter = lifting, search, Reporter(progress)
        entries = lifting.simplified.pattern.to_array()
        self._any = AnyDimension(entries, search, lambda: self._report("any dimension"))
        self._single = SingleDimensions(lifting, entries, search, dimensions)

    def bound(self, share: float) -> None:
        """Close the interval of the margin in any dimension, within a share of the time."""
        self._any.run(share)

    def search(self, *, bits: bool) -> None:
        """Search large margins and bounds in single dimensions, and few bits if asked."""
        self._single.begin(self._any.vectors)
        self._single.bound(self._any.no[0])
        self._single.improve(self._report, _CLIMBS if bits else 1.0)
        if bits:
            self._report("few bits")
            self._single.round_to_bits()

    def result(self) -> MarginBounds:
        """Return what is proven so far."""
        yes = None if self._any.yes is None else self._lifting.certify_margin(*self._any.yes)
        no = self._lifting.certify_margin(*self._any.no)
        seconds = search_clock.now() - self._started
        single = tuple(self._single.result(no))
        if single and single[-1].yes is not None:  # a margin in d is one in any dimension
            largest = single[-1].lower
            if self._any.yes is None or self._any.yes[0] < largest:
                question = Margin(self._lifting.pattern, largest.numerator, largest.denominator)
                yes = Certificate.of(question, single[-1].yes.proof)
        return MarginBounds(self._lifting.pattern, yes, no, single, seconds)

    def _report(self, what: str) -> None:
        """Report the bounds so far; after the deadline, the result itself is about to come."""
        bounds = None
        if not self._search.out_of_time:
            yes, no = self._any.yes, self._any.no
            bounds = None if yes is None else yes[0], no[0]
        self._reporter.report(what, bounds, self.result)
