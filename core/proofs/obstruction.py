"""Proofs of NO: a few named rows and columns that no embedding can show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.proofs.exact import ExactArray, exact
from samapprox.proofs.final_polynomial import FinalPolynomial

__all__ = [
    "Chirotope",
    "Counting",
    "Forster",
    "Obstruction",
    "Radon",
    "SharedChirotope",
    "SharedSplit",
    "Shattering",
    "Side",
    "SignClash",
]

Side = Literal["rows", "columns"]
"""Which lines of a pattern an argument is about."""


def _indices(values: Iterable[int], what: str) -> tuple[int, ...]:
    """Distinct non-negative integers."""
    numbers = tuple(int(value) for value in exact(list(values), 1, what))
    if min(numbers, default=0) < 0 or len(set(numbers)) < len(numbers):
        raise InputError(f"{what} must be distinct numbers of at least 0, not {list(numbers)}")
    return numbers


@dataclass(frozen=True, slots=True)
class Radon:
    """d + 2 columns that the rows split in every way: NO in dimension d.

    Any d + 2 points of R^d fall into two parts whose convex hulls meet (Radon 1921), so no
    halfspace holds one part and leaves out the other; yet some row here asks for just that.

    Parameters
    ----------
    rows : iterable of int
        Rows that show all 2^(d+1) - 1 splits of the columns into two nonempty parts.
    columns : iterable of int

    Examples
    --------
    >>> Radon(rows=[0, 1, 2], columns=[0, 1, 2]).dimension
    1
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        object.__setattr__(self, "rows", _indices(rows, "rows"))
        object.__setattr__(self, "columns", _indices(columns, "columns"))

    @property
    def dimension(self) -> int:
        """The d that it excludes, and with it every smaller one."""
        return len(self.columns) - 2


@dataclass(frozen=True, slots=True)
class Shattering:
    """d + 1 rows that show all 2^(d+1) column patterns: NO in dimension d.

    d + 1 halfspaces cut R^d into fewer than 2^(d+1) cells (the dual of `Radon`).

    Parameters
    ----------
    rows : iterable of int
    columns : iterable of int
        Columns that show every 0/1 vector of length d + 1 on those rows.

    Examples
    --------
    >>> Shattering(rows=[0, 1], columns=[0, 1, 2, 3]).dimension
    1
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        object.__setattr__(self, "rows", _indices(rows, "rows"))
        object.__setattr__(self, "columns", _indices(columns, "columns"))

    @property
    def dimension(self) -> int:
        """The d that it excludes, and with it every smaller one."""
        return len(self.rows) - 1


@dataclass(frozen=True, slots=True)
class SharedSplit:
    """Two rows that both tell two columns apart, hence order them the same or the opposite way.

    With logits c x_i x_j, row i splitting columns j and k (one is 1, the other 0) fixes the sign
    of c x_i (x_j - x_k). Two such rows fix the sign of the product of their tokens' x: positive
    when they agree on the columns, negative when not.

    Parameters
    ----------
    rows : pair of int
    columns : pair of int
    """

    rows: tuple[int, int]
    columns: tuple[int, int]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        for name, values in (("rows", rows), ("columns", columns)):
            pair = _indices(values, f"{name} of a split")
            if len(pair) != 2:
                raise InputError(f"a split has two {name}, not {len(pair)}")
            object.__setattr__(self, name, pair)


@dataclass(frozen=True, slots=True)
class SignClash:
    """Rows that force c > 0 and c < 0 in the logits c x_i x_j: NO for d = d_hid = 1.

    A claim (u, a, b) is about row u and the tokens a and b as its keys, where x_a has the sign of
    x_u and x_b the opposite one (`splits` say why). Then u prefers a to b if and only if c > 0.

    Parameters
    ----------
    positive : (u, a, b)
        Row u has a 1 at a and a 0 at b: c > 0.
    negative : (u, a, b)
        Row u has a 0 at a and a 1 at b: c < 0.
    splits : iterable of SharedSplit
        One for each pair of different tokens among (u, a), (u, b) of either claim.

    Examples
    --------
    The pattern 011 / 110 / 001: rows 0 and 1 disagree about columns 0 and 2, rows 0 and 2 agree.

    >>> clash = SignClash(
    ...     positive=(1, 1, 2), negative=(0, 0, 1),
    ...     splits=[SharedSplit([0, 1], [0, 2]), SharedSplit([1, 2], [0, 2])],
    ... )
    >>> clash.rows, clash.columns
    ((0, 1, 2), (0, 1, 2))
    """

    positive: tuple[int, int, int]
    negative: tuple[int, int, int]
    splits: tuple[SharedSplit, ...]

    def __init__(
        self, positive: Iterable[int], negative: Iterable[int], splits: Iterable[SharedSplit]
    ) -> None:
        for name, values in (("positive", positive), ("negative", negative)):
            claim = tuple(int(value) for value in exact(list(values), 1, f"the {name} claim"))
            if len(claim) != 3 or min(claim) < 0:
                raise InputError(f"the {name} claim must be three numbers of at least 0")
            object.__setattr__(self, name, claim)
        object.__setattr__(self, "splits", tuple(splits))

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows whose entries the argument reads, ascending."""
        rows = {self.positive[0], self.negative[0]}
        rows.update(row for split in self.splits for row in split.rows)
        return tuple(sorted(rows))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns whose entries the argument reads, ascending."""
        columns = {*self.positive[1:], *self.negative[1:]}
        columns.update(column for split in self.splits for column in split.columns)
        return tuple(sorted(columns))

    @property
    def dimension(self) -> int:
        """The d that it excludes, when d_hid = 1 too."""
        return 1


@dataclass(frozen=True, slots=True)
class Counting:
    """More splits of some columns than dimension d has room for.

    Halfspaces of R^d split c points in at most C(c-1, 0) + .. + C(c-1, d) ways, a split and its
    complement counted once, not at all included (Cover 1965). `Radon` is the case c = d + 2. (The
    like on rows says no more than `Shattering`, by the lemma of Sauer and Shelah.)

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
    """

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, d: int, rows: Iterable[int], columns: Iterable[int]) -> None:
        _set_core(self, d, rows, columns)

    @property
    def dimension(self) -> int:
        """D."""
        return self.d


@dataclass(frozen=True, slots=True)
class Chirotope:
    """No orientation of the simplices fits the core: a refutation of its clauses.

    Queries and keys of dimension d are vectors in R^(d+1), the queries with an extra one that is
    positive on all keys. Say that the elements are the keys (or the queries and that one). Moved to
    general position, every d + 1 elements have an orientation, and each query (key) forbids two
    sign patterns on every d + 2 elements. These clauses, and if need be the three-term
    Grassmann-Pluecker relations, are rebuilt from the pattern by
    `samapprox.proofs.orientation_clauses`; the lemmas lead to a contradiction, each by unit
    propagation alone.

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core; their order numbers the variables.
    elements : {"columns", "rows"}
    relations : bool or iterable of int
        Whether the Grassmann-Pluecker relations are needed, or which, ascending: their places in
        `samapprox.proofs.orientation_clauses.three_term_relations`.
    lemmas : iterable of iterables of int
        Clauses in DIMACS literals, in order; the empty clause at the end is understood.
    polynomials : iterable of FinalPolynomial
        Orientations that satisfy the clauses but belong to no vectors; each gives one more clause.

    References
    ----------
    Björner, Las Vergnas, Sturmfels, White, Ziegler, "Oriented Matroids", chapters 1, 3 and 8;
    Bokowski, Richter (1990), "On the finding of final polynomials".
    """

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    elements: Side
    relations: bool | tuple[int, ...]
    lemmas: tuple[tuple[int, ...], ...]
    polynomials: tuple[FinalPolynomial, ...]

    def __init__(
        self,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        elements: Side,
        relations: bool | Iterable[int],
        lemmas: Iterable[Iterable[int]],
        polynomials: Iterable[FinalPolynomial] = (),
    ) -> None:
        _set_core(self, d, rows, columns)
        object.__setattr__(self, "polynomials", tuple(polynomials))
        object.__setattr__(self, "elements", _side(elements))
        object.__setattr__(self, "relations", _relations(relations))
        object.__setattr__(self, "lemmas", _lemmas(lemmas))

    @property
    def dimension(self) -> int:
        """D."""
        return self.d


@dataclass(frozen=True, slots=True)
class SharedChirotope:
    """No orientation of the simplices fits a core whose queries and keys are images of one X.

    The keys with the origin, and the queries with minus their thresholds and an extra one, have
    chirotopes of rank d + 1 that agree around what X does not share. The entries forbid signs to
    the circuits of both. The clauses are rebuilt from the pattern by
    `samapprox.proofs.token_clauses`; the lemmas lead to a contradiction, each by unit propagation
    alone.

    Parameters
    ----------
    d_hid : int
        The hidden dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core; both are tokens, and ascend.
    relations : bool
        Whether the Grassmann-Pluecker relations are needed.
    lemmas : iterable of iterables of int
        Clauses in DIMACS literals, in order; the empty clause at the end is understood.
    d : int, optional
        The query/key dimension that it excludes, and with it every smaller one: d <= d_hid < 2d;
        d_hid by default.
    """

    d_hid: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    relations: bool
    lemmas: tuple[tuple[int, ...], ...]
    d: int

    def __init__(
        self,
        d_hid: int,
        rows: Iterable[int],
        columns: Iterable[int],
        relations: bool,
        lemmas: Iterable[Iterable[int]],
        d: int | None = None,
    ) -> None:
        d = d_hid if d is None else d
        for name, value in (("d_hid", d_hid), ("d", d)):
            if isinstance(value, bool) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1, not {value!r}")
            object.__setattr__(self, name, value)
        if not d <= d_hid < 2 * d:
            raise InputError(f"d <= d_hid < 2d is needed, not d = {d} and d_hid = {d_hid}")
        for name, values in (("rows", rows), ("columns", columns)):
            tokens = _indices(values, name)
            if list(tokens) != sorted(tokens):
                raise InputError(f"the {name} of a shared chirotope must ascend")
            object.__setattr__(self, name, tokens)
        object.__setattr__(self, "relations", relations is True)
        object.__setattr__(self, "lemmas", _lemmas(lemmas))

    @property
    def dimension(self) -> int:
        """The largest d that it excludes, with that d_hid."""
        return self.d


@dataclass(frozen=True, slots=True, eq=False)
class Forster:
    """A matrix with the signs of the core and a norm too small for dimension d.

    Let A have the signs of the core under a row of +1 (the extra query that is positive on all
    keys), |A_ij| >= x_i y_j, and 0 at don't-cares; let X and Y be the sums of the x_i^2 and y_j^2,
    S that of the x_i^2 y_j^2 over the don't-cares. Dimension d allows only
    X Y - (d + 1) S <= (d + 1) sqrt(X Y) ||A||. The padding is put under A (under its transpose,
    if A is wider than high): that only raises the norm, and makes the columns nearly orthogonal, so
    that the largest absolute row sum of their Gram matrix is a good bound on the norm's square.

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core, of r rows and c columns.
    row_weights : array_like of int, shape (r + 1,)
        x, the extra query's first; not negative, as all weights.
    column_weights : array_like of int, shape (c,)
        y.
    matrix : array_like of int, shape (r + 1, c)
        A.
    padding : array_like of int, shape (p, min(r + 1, c)), optional

    Raises
    ------
    InputError
        Not integers, negative weights, or shapes that do not fit together.

    References
    ----------
    Forster (2002), "A linear lower bound on the unbounded error probabilistic communication
    complexity"; docs/forster.md has the proof for weights and don't-cares.

    Examples
    --------
    >>> proof = Forster(1, [0], [0, 1], [1, 1], [1, 1], [[1, 1], [1, -1]])
    >>> proof.padding.shape
    (0, 2)
    """

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_weights: ExactArray
    column_weights: ExactArray
    matrix: ExactArray
    padding: ExactArray

    def __init__(
        self,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        row_weights: ArrayLike,
        column_weights: ArrayLike,
        matrix: ArrayLike,
        padding: Sequence[Sequence[int]] | ExactArray = (),
    ) -> None:
        _set_core(self, d, rows, columns)
        shape = len(self.rows) + 1, len(self.columns)
        for name, values, size in (
            ("row_weights", row_weights, shape[0]),
            ("column_weights", column_weights, shape[1]),
        ):
            weights = exact(values, 1, name)
            if len(weights) != size or (size and weights.min() < 0):
                raise InputError(f"{name} must be {size} numbers of at least 0")
            object.__setattr__(self, name, weights)
        object.__setattr__(self, "matrix", exact(matrix, 2, "the matrix"))
        if self.matrix.shape != shape:
            raise InputError(
                f"the matrix must be {shape[0]} x {shape[1]}: the core and a row of +1"
            )
        width = min(shape)
        none = np.zeros((0, width), dtype=np.int64)
        extra = exact(padding if len(padding) else none, 2, "the padding")
        if extra.shape[1] != width:
            raise InputError(f"the padding must have rows of {width} numbers")
        object.__setattr__(self, "padding", extra)

    @property
    def dimension(self) -> int:
        """D."""
        return self.d


def _side(value: str) -> Side:
    if value not in ("rows", "columns"):
        raise InputError(f"a side is rows or columns, not {str(value)[:20]!r}")
    return "rows" if value == "rows" else "columns"


def _relations(relations: bool | Iterable[int]) -> bool | tuple[int, ...]:
    """All, none, or ascending numbers."""
    if isinstance(relations, bool):
        return relations
    if not isinstance(relations, Iterable):
        raise InputError(f"relations are true, false or numbers, not {str(relations)[:20]!r}")
    numbers = exact(list(relations), 1, "relations")
    if (numbers < 0).any() or (np.diff(numbers) <= 0).any():
        raise InputError("the numbers of relations must be at least 0 and ascend")
    return tuple(numbers.tolist())


def _lemmas(lemmas: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    """Clauses of literals that are not 0."""
    checked = []
    for lemma in lemmas:
        literals = tuple(int(value) for value in exact(list(lemma), 1, "a lemma"))
        if 0 in literals:
            raise InputError("a lemma's literals are not 0")
        checked.append(literals)
    return tuple(checked)


def _set_core(target: object, d: int, rows: Iterable[int], columns: Iterable[int]) -> None:
    """Fill d, rows and columns of a frozen dataclass."""
    if isinstance(d, bool) or d < 1:
        raise InputError(f"d must be a whole number of at least 1, not {d!r}")
    object.__setattr__(target, "d", d)
    object.__setattr__(target, "rows", _indices(rows, "rows"))
    object.__setattr__(target, "columns", _indices(columns, "columns"))


Obstruction = Radon | Shattering | Counting | Forster | Chirotope | SharedChirotope | SignClash
