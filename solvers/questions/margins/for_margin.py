"""The least dimension in which unit queries and keys have a given margin."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from samapprox.errors import interrupts_hold
from samapprox.formats import PatternLike, as_pattern
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.questions import Margin
from samapprox.results.margin_dimension import MarginDimension, read_margin
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.any_dimension import AnyDimension
from samapprox.solvers.questions.margins.ascent import project
from samapprox.solvers.questions.margins.margin import require_size
from samapprox.solvers.questions.margins.one_dimension import Lifting, SingleDimensions
from samapprox.solvers.questions.margins.rounding import round_vectors
from samapprox.support.progress import OnProgress, Reporter

# Parts of the time: for bounds in any dimension, and for each dimension that is probed.
_SHARE, _PROBE = 0.2, 4
# The smallest share of a margin by which vectors must exceed it, for the rounding.
_ROUNDING = 1e-6


def dimension_for_margin(
    entries: PatternLike,
    margin: float | str | Fraction,
    *,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> MarginDimension:
    """Bound the least dimension in which unit queries and keys have a margin.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    margin : float, str or Fraction
        The margin, which is positive; a float or a text stands for its decimal number, in
        millionths.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with a `Progress` that says which dimension is searched.

    Returns
    -------
    MarginDimension
        With certificates for both bounds.

    Raises
    ------
    InputError
        The pattern or the margin is unusable, or the pattern has more than 4 million entries.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the bounds so far.

    Notes
    -----
    Below, codes on the sphere and packings of balls exclude dimensions; above, dimensions are
    probed by geometric bisection. See docs/theory/margins.md.

    Examples
    --------
    >>> import numpy as np
    >>> found = dimension_for_margin(np.eye(9), "0.2")
    >>> found.lower, found.upper
    (2, 3)
    """
    value = read_margin(margin)
    pattern = as_pattern(entries, causal=causal)
    lifting = Lifting(pattern, simplify(pattern))
    if lifting.simplified.pattern is None:  # no row has both a one and a zero
        rows, columns = pattern.shape
        high = -(-value.numerator // value.denominator)
        free = UnitEmbedding(1, 1, [[0]] * rows, [[0]] * columns, [-high] * rows)
        question = Margin(pattern, value.numerator, value.denominator, 1)
        return MarginDimension(pattern, value, 1, 1, Certificate.of(question, free), None)
    require_size(lifting.simplified.pattern.shape)
    run = _LeastDimension(lifting, value, Search.within(time_limit, seed), Reporter(progress))
    with interrupts_hold(run.result), one_blas_thread():
        run.close()
    return run.result()


class _LeastDimension:
    """A search that closes the interval of the least dimension with a margin."""

    def __init__(
        self, lifting: Lifting, value: Fraction, search: Search, reporter: Reporter
    ) -> None:
        assert lifting.simplified.pattern is not None
        self._lifting, self._value, self._search = lifting, value, search
        self._reporter = reporter
        self._entries = lifting.simplified.pattern.to_array()
        self._most = min(self._entries.shape)  # more dimensions help no more
        self.lower: int | None = 1
        self.upper: int | None = None
        self.yes: Certificate | None = None
        self.no: Certificate | None = None

    def result(self) -> MarginDimension:
        """Return what is proven so far."""
        pattern = self._lifting.pattern
        return MarginDimension(pattern, self._value, self.lower, self.upper, self.yes, self.no)

    def close(self) -> None:
        """Bound the dimension from below, then from above."""
        self._exclude()
        whole = AnyDimension(self._entries, self._search, lambda: None)
        whole.run(_SHARE)
        if whole.no[0] < self._value:
            self.lower, self.upper, self.yes = None, None, None
            self.no = self._lifting.certify_margin(*whole.no)
            return
        if whole.vectors is not None:
            found, proof = round_vectors(self._entries, project(whole.vectors, self._most))
            if found >= self._value:
                self.upper = self._most
                self.yes = self._lifting.certify_margin(self._value, proof, self.upper)
        assert self.lower is not None
        dimensions = range(self.lower, self._most + 1)
        single = SingleDimensions(self._lifting, self._entries, self._search, dimensions)
        single.begin(whole.vectors)
        if (refuted := single.refuted) is not None:
            self.lower, self.no = refuted.d + 1, refuted
        self._probe(single)

    def _exclude(self) -> None:
        """Exclude dimensions by ceilings, from the smallest one on."""
        unturned = self._lifting.unturned
        ceilings = unturned.ceilings
        for d in range(1, self._most):
            if self._search.out_of_time or (found := ceilings.best(d, self._value)) is None:
                break
            self.lower, self.no = d + 1, unturned.certify_margin(*found, d)

    def _probe(self, single: SingleDimensions) -> None:
        """Search the margin further and further up, or between a failure and a success."""
        assert self.lower is not None
        failed, step = self.lower - 1, 1
        while failed + 1 < (self._most + 1 if self.upper is None else self.upper):
            if self._search.out_of_time:
                return
            if self.upper is None:
                d = min(failed + step, self._most)
            else:  # closer to the failure, but successes come sooner than failures
                d = min(max(failed + 1, isqrt(max(failed, 1) * self.upper)), self.upper - 1)
            self._reporter.report(f"d = {d}", (self.lower, self.upper), self.result)
            wanted = float(self._value) * (1 + _ROUNDING)
            seconds = self._search.remaining / _PROBE
            yes = single.certify(d, self._value) if single.reach(d, wanted, seconds) else None
            if yes is None:
                failed, step = d, 2 * step
            else:
                self.upper, self.yes = d, yes
