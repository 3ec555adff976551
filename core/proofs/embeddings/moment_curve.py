"""An order of keys or queries along the moment curve: a proof of YES without numbers.

To compute the numbers, put the elements (columns, or rows with row 0; see
`samapprox.proofs.embeddings.covectors`) at w_e = s_e (1, t_e, .., t_e^d), the t_e ascending in some
order, each s_e = +1 or -1. A covector is then a polynomial of degree d with the sign s_e A_ce at
t_e: there is one iff these signs change at most d times along the order. Row 0 is a covector like
the others, or an element like the others.

Moving the last element to the front, its sign multiplied by (-1)^d, changes nothing: the order is
circular.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Side, Witness
from samapprox.proofs.embeddings.covectors import Changes, Covectors
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, Places, exact_matmul, require_writable
from samapprox.proofs.members import Choice, Whole
from samapprox.support.arrays import Order, Signs
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.proofs.parts.simplify import Simplification


_MOST_SHOWN = 40

Numbers = tuple[ExactArray, ExactArray, ExactArray]
"""Queries, keys and thresholds."""


_MOST_ROUNDED = 1 << 22
"""Logits that are computed, mostly in long integers, to round keys of both signs."""


def embed(pattern: Pattern, elements: Side, order: Order, flips: Signs) -> Numbers:
    """Compute queries, keys and thresholds from an order of signed elements on the moment curve.

    `order` (shape (elements,)): a permutation: the elements as they stand along the curve. `flips`
    (shape (elements,)): s_e, +1 or -1. The result are queries, keys and thresholds of the dimension
    that the covectors' sign changes along the order ask for, at least 1.

    Numbers of O(d log N) bits for N elements. Only columns of both signs need more: their keys
    are rational and get rounded, with the fewest bits in powers of two that keep all signs.

    Reference: Gale (1963), "Neighborly and cyclic polytopes"; Alon, Frankl, Rödl (1985),
    "Geometrical realization of set systems and probabilistic communication complexity", for sign
    changes.
    """
    covectors = Covectors(pattern, elements)
    degree = max(1, int(covectors.count_changes(order, flips).max()))
    vectors = sum(pattern.shape) + 1
    length = degree * (len(order).bit_length() + 2)  # bits of a power or coefficient, at most
    require_writable(vectors * (degree + 1), vectors * (degree + 1) * length)
    kind = np.int64 if 2 * length < 60 else object  # products of two of them are computed below
    if elements == "rows":
        order, flips = _row_0_last(order, flips, degree)
    changes = _join(covectors.blocks_of_changes(order, flips))
    # Neighbours between which nothing changes stand at one point.
    apart = np.unique(changes.places)
    size = len(apart) + 1
    points = 2 * np.searchsorted(apart, np.arange(len(order))).astype(kind) - (size - 1)
    curve = np.empty((len(order), degree + 1), dtype=kind)
    for power in range(degree + 1):
        curve[order, power] = flips[order] * points**power
    roots = 2 * np.searchsorted(apart, changes.places) - (size - 2)
    if elements == "columns":
        polynomials = _expand(_spread(roots, changes.counts, degree, 0, kind), changes.counts)
        return _affine(polynomials * changes.last.astype(kind)[:, None], curve, pattern)
    # Row 0 is at infinity, where a polynomial has the sign of its leading coefficient; roots before
    # the first element make all of them monic of full degree.
    curve[0] = [0] * degree + [1]
    full = np.full(covectors.count, degree)
    monic = _expand(_spread(roots, changes.counts, degree, -size, kind), full)
    return _affine(curve, monic, pattern)


def _row_0_last(order: Order, flips: Signs, degree: int) -> tuple[Order, Signs]:
    """Return the same circular order, read so that row 0 comes last, and its sign is +."""
    after = int(np.flatnonzero(order == 0)[0]) + 1
    flips = flips.copy()
    flips[order[:after]] *= (-1) ** degree
    return np.roll(order, -after), flips * flips[0]


def _join(blocks: Iterable[Changes]) -> Changes:
    """Return the changes of all covectors."""
    parts = [(block.counts, block.places, block.last) for block in blocks]
    return Changes(*map(np.concatenate, zip(*parts, strict=True)))


def _spread(
    roots: NDArray[np.int64], counts: NDArray[np.int64], degree: int, outside: int, kind: type
) -> ExactArray:
    """Return the roots of each polynomial as a row of `degree` numbers, padded by `outside`."""
    spread: ExactArray = np.full((len(counts), degree), outside, dtype=kind)
    spread[np.arange(degree) < counts[:, None]] = roots
    return spread


def _expand(roots: ExactArray, counts: NDArray[np.int64]) -> ExactArray:
    """Expand monic polynomials from the first so many roots, constant term first."""
    coefficients = np.zeros((len(roots), roots.shape[1] + 1), dtype=roots.dtype)
    coefficients[:, 0] = 1
    for number, root in enumerate(roots.T):
        times = coefficients * -root[:, None]
        times[:, 1:] += coefficients[:, :-1]
        coefficients = np.where((number < counts)[:, None], times, coefficients)
    return coefficients


def _affine(U: ExactArray, V: ExactArray, pattern: Pattern) -> Numbers:
    """Return queries, keys and thresholds with the signs of U V^T, whose row 0 is positive.

    The last coordinate in which row 0 is not 0, there 1 or -1, gives way to the product with row 0;
    then every key is scaled to have a 1 in it.
    """
    axis = int(np.flatnonzero(U[0])[-1])
    heights = exact_matmul(V, U[0])
    slopes = U[1:, axis] * U[0, axis]
    queries = np.delete(U[1:] - slopes[:, None] * U[0], axis, axis=1)
    keys = np.delete(V, axis, axis=1)
    if (heights == 1).all():
        return queries, keys, -slopes
    rows, columns = pattern.shape
    if rows * columns > _MOST_ROUNDED:
        raise InputError(
            f"keys of both signs have to be rounded, which {rows} x {columns} logits are too many "
            "for; the certificate proves the answer without numbers"
        )
    wanted = exact_matmul(U[1:], V.T) > 0
    for exponent in count(1):
        scale = 1 << (1 << exponent)
        rounded = (2 * scale * keys.astype(object) + heights[:, None]) // (2 * heights[:, None])
        if ((exact_matmul(queries, rounded.T) > -scale * slopes[:, None]) == wanted).all():
            break
    return queries, rounded, -scale * slopes.astype(object)


@dataclass(frozen=True, slots=True, eq=False)
class MomentCurve(Witness):
    r"""An order of the keys (queries) along which no query (key) changes sign over d times.

    In homogeneous form, with a row 0 of + on top of the pattern, the elements are its columns, or
    its rows with row 0. They stand at s_e (1, t_e, .., t_e^d) with t_e ascending along the order,
    and s_e = -1 for those that are flipped. Each line of the other side is a polynomial of degree
    d in t with a root at each change of its sign. So the proof holds if every line, row 0 included,
    changes at most d times; * takes the sign of its left neighbour.

    Parameters
    ----------
    d : int
        The largest number of changes: the degree of the polynomials.
    elements : {"columns", "rows"}
        Whether the keys stand on the curve, or the queries with row 0.
    order : array_like of int
        All of the elements: columns 0..n-1; or 0 for row 0, and 1 + i for row i.
    flipped : array_like of int, optional
        Those with the sign -1.

    References
    ----------
    Gale (1963), "Neighborly and cyclic polytopes"; Alon, Frankl, Rödl (1985), "Geometrical
    realization of set systems and probabilistic communication complexity".

    Examples
    --------
    >>> from samapprox import Pattern
    >>> proof = MomentCurve(2, "columns", [0, 2, 1])
    >>> proof.embedding(Pattern.from_text("110\n011")).keys.tolist()
    [[-2, 4], [2, 4], [0, 0]]
    """

    KIND = "moment-curve"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "YES, free case: elements (columns, or row 0 of + and the rows, as 0 and 1 + i) in their "
        "order along the moment curve, some with their sign flipped. With row 0 on top of the "
        "pattern, and 1, 0 as signs +, -, no line of the other side changes its sign more than d "
        "times along the order; * takes the sign of its left neighbour."
    )
    MEMBERS = (
        Whole("d"),
        Choice("elements", ("columns", "rows")),
        Places("order"),
        Places("flipped"),
    )

    d: int
    elements: Side
    order: NDArray[np.int64]
    flipped: NDArray[np.int64]

    def __init__(self, d: int, elements: Side, order: ArrayLike, flipped: ArrayLike = ()) -> None:
        self._fill(d, elements, order, flipped)

    @property
    def dimension(self) -> int:
        """The degree of the polynomials, d."""
        return self.d

    @property
    def flips(self) -> NDArray[np.int8]:
        """The sign of each element."""
        flips = np.ones(len(self.order), dtype=np.int8)
        flips[self.flipped] = -1
        return flips

    def fault_of_order(self, size: int) -> str | None:
        """Return the reason why the order does not list exactly the elements, or None."""
        by_columns = self.elements == "columns"
        what = f"the {size} keys" if by_columns else f"row 0 and the {size - 1} queries"
        if len(self.order) != size or self.order.max(initial=-1) >= size:
            return f"its order is not one of {what}"
        if self.flipped.max(initial=-1) >= size:
            return f"it flips an element that is not one of {what}"
        return None

    def embedding(self, pattern: Pattern) -> Embedding:
        """Write queries, keys and thresholds as whole numbers.

        Parameters
        ----------
        pattern : Pattern
            One that it represents.

        Raises
        ------
        InputError
            It is about another number of rows or columns, or does not represent the pattern in d;
            or the numbers are too large to be written out.

        Notes
        -----
        The dimension is smaller if the lines change less than d times.
        """
        fault = self.fault_of_order(
            pattern.shape[1] if self.elements == "columns" else pattern.shape[0] + 1
        )
        if fault is not None:
            raise InputError(fault)
        found = Embedding(*embed(pattern, self.elements, self.order, self.flips))
        if found.dimension > self.d:
            raise InputError(f"some line changes {found.dimension} times, more than d = {self.d}")
        return found

    def lift(self, simplification: Simplification, /) -> MomentCurve:
        """Carry the order for a simplified pattern over to the original.

        Notes
        -----
        Equal lines stand side by side, complements with the opposite sign, and rows without a 0
        beside row 0. Then lines of the other side change where the merged ones did.
        """
        if self.elements == "columns":
            merged = simplification.column_of
            turned = np.zeros(len(merged), dtype=np.bool_)
        else:  # row_of is -1 for a row without a 0
            merged = np.concatenate(([0], 1 + simplification.row_of))
            turned = np.concatenate(([False], simplification.flipped))
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        order = np.argsort(place[merged], kind="stable")
        flipped = np.flatnonzero((self.flips[merged] < 0) ^ turned)
        return MomentCurve(self.d, self.elements, order, flipped)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the order does not represent the pattern, or None.

        O(k log k + m + n) time for a sparse pattern of k ones, O(m n) else. Nothing is as large as
        the pattern written out.
        """
        rows, columns = problem.pattern.shape
        by_columns = self.elements == "columns"
        fault = self.fault_of_order(columns if by_columns else rows + 1)
        if fault is not None:
            return fault
        counts = Covectors(problem.pattern, self.elements).count_changes(self.order, self.flips)
        worst = int(counts.argmax())
        if counts[worst] <= self.d:
            return None
        if not by_columns:
            line = problem.pattern.column_label(worst)
        elif worst:
            line = problem.pattern.row_label(worst - 1)
        else:
            line = "the row of +"
        times = plural(int(counts[worst]), "time")
        return f"{line} changes its sign {times} along the order, more than d = {self.d}"

    def explain(self, problem: Problem) -> list[str]:
        keys = self.elements == "columns"
        ours, others = ("keys", "row") if keys else ("queries", "column")
        curve = ", ".join(["t", "t^2", "t^3"][: self.d]) if self.d <= 3 else f"t, .., t^{self.d}"
        notes = [] if keys else ["+ is an extra query that is positive on all keys"]
        if len(self.flipped):
            notes.append("a minus marks the opposite sign")
        return [
            f"The {ours} lie on the moment curve ({curve}) in this order, along which "
            f"no {others} changes value more than {plural(self.d, 'time')}"
            + (f" ({'; '.join(notes)}):" if notes else ":"),
            f"  {self._describe_order(problem.pattern)}",
        ]

    def _describe_order(self, pattern: Pattern) -> str:
        """Write the order; runs of consecutive elements without names or signs are abbreviated."""
        order = self.order
        names = pattern.column_names if self.elements == "columns" else pattern.row_names
        plain = np.full(len(order), names is None)
        plain[self.flipped] = False
        plain[0] &= self.elements == "columns"  # the extra query is no row
        ascending = (np.diff(order) == 1) & plain[order[1:]] & plain[order[:-1]]
        starts = np.concatenate(([0], 1 + np.flatnonzero(~ascending), [len(order)]))
        shown: list[str] = []
        for start, end in itertools.pairwise(starts.tolist()):
            if len(shown) >= _MOST_SHOWN:
                return " < ".join([*shown, f".. and {len(order) - start} more"])
            run = [self._name(element, pattern) for element in order[start : min(end, start + 4)]]
            if end - start > len(run):
                run[2:] = ["..", self._name(int(order[end - 1]), pattern)]
            shown += run
        return " < ".join(shown)

    def _name(self, element: int, pattern: Pattern) -> str:
        """Return an element, with a minus where it is flipped."""
        minus = "-" if element in self.flipped else ""
        by_columns = self.elements == "columns"
        if element == 0 and not by_columns:
            return f"{minus}+"
        line = element if by_columns else element - 1
        names = pattern.column_names if by_columns else pattern.row_names
        return f"{minus}{line}" + ("" if names is None else f" {names[line]!r}")
