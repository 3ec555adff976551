"""Reductions between stretching pseudolines and embedding patterns in the plane.

An arrangement of pseudolines is stretchable exactly if its line-cell pattern has an embedding with
d = 2: docs/theory/stretchability.md proves it, and what follows for the hardness of deciding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import combinations, pairwise
from math import floor

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError, require_list, require_type
from samapprox.pattern import Pattern
from samapprox.problem import require_dimension
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, exact
from samapprox.reductions.oriented_matroid import OrientedMatroid
from samapprox.support.text import plural


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A simple arrangement of n pseudolines in the plane, by the order in which they meet.

    The pseudolines run from left to right, every two cross exactly once, and no three in one point.
    They are numbered from top to bottom as they stand at the left.

    Attributes
    ----------
    sequences : tuple of tuple of int
        Local sequences: which others line i meets, from left to right.

    Raises
    ------
    InputError
        No arrangement has these sequences.

    References
    ----------
    Goodman and Pollack (1984), "Semispaces of configurations, cell complexes of arrangements".

    Examples
    --------
    >>> Arrangement([[1, 2], [0, 2], [0, 1]]).wiring()
    [0, 1, 0]
    >>> Arrangement([[1, 2], [2, 0], [0, 1]])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: no arrangement has these local sequences: 0 crossings fit ...
    """

    sequences: tuple[tuple[int, ...], ...]

    def __init__(self, sequences: Sequence[Sequence[int]]) -> None:
        require_list("sequences", sequences, "local sequences")
        sequences = list(sequences)
        for sequence in sequences:
            require_list("a local sequence", sequence, "numbers of lines")
        lines = len(sequences)
        exact([label for sequence in sequences for label in sequence], 1, "local sequences")
        for line, sequence in enumerate(sequences):
            if sorted(sequence) != [other for other in range(lines) if other != line]:
                raise InputError(f"line {line} must meet each of the other {lines - 1} lines once")
        if lines < 1:
            raise InputError("an arrangement needs a line")
        object.__setattr__(self, "sequences", tuple(tuple(map(int, row)) for row in sequences))
        if len(self.wiring()) < lines * (lines - 1) // 2:
            raise InputError(
                f"no arrangement has these local sequences: {len(self.wiring())} crossings fit "
                "together, then none is next on both of its lines"
            )

    @property
    def lines(self) -> int:
        """The number of pseudolines."""
        return len(self.sequences)

    @classmethod
    def from_wiring(cls, lines: int, swaps: Sequence[int]) -> Arrangement:
        """Make the arrangement of a wiring diagram.

        Parameters
        ----------
        lines : int
            How many pseudolines there are.
        swaps : sequence of int
            From left to right, the crossings: p for that of the pth line from the top (p >= 0) with
            the one below it.

        Raises
        ------
        InputError
            Not every two lines cross exactly once.

        Examples
        --------
        >>> Arrangement.from_wiring(3, [1, 0, 1]).sequences
        ((2, 1), (2, 0), (1, 0))
        """
        require_dimension("lines", lines)
        places = exact(list(swaps), 1, "swaps").tolist()
        if len(places) < lines - 1:
            raise InputError(f"{lines} lines need more than {plural(len(places), 'swap')}")
        order = list(range(lines))
        sequences: list[list[int]] = [[] for _ in order]
        for place in places:
            if not 0 <= place < lines - 1:
                raise InputError(f"a swap of {lines} lines is in 0..{lines - 2}, not {place}")
            upper, lower = order[place : place + 2]
            order[place : place + 2] = lower, upper
            sequences[upper].append(lower)
            sequences[lower].append(upper)
        return cls(sequences)

    @classmethod
    def from_lines(cls, lines: ArrayLike) -> Arrangement:
        """Make the arrangement of straight lines.

        Parameters
        ----------
        lines : array_like of int, shape (n, 3)
            Rows a, b, c with b > 0: the line a x + b y = c. From top to bottom at the left: the
            slopes -a / b ascend.

        Raises
        ------
        InputError
            Vertical, parallel or badly ordered lines, or three in one point.

        Examples
        --------
        >>> Arrangement.from_lines([[1, 1, 0], [0, 1, 1], [-1, 1, 0]]).wiring()
        [0, 1, 0]
        """
        sequences = []
        for line, crossings in enumerate(_crossings(_graphs(lines))):
            ascending = sorted((x, other) for other, x in crossings.items())
            for (x, first), (y, second) in pairwise(ascending):
                if x == y:
                    raise InputError(f"lines {line}, {first} and {second} meet in one point")
            sequences.append([other for _, other in ascending])
        return cls(sequences)

    @classmethod
    def from_oriented_matroid(cls, matroid: OrientedMatroid, infinity: int = 0) -> Arrangement:
        """Make the arrangement of a uniform oriented matroid of rank 3, with one line at infinity.

        Parameters
        ----------
        matroid : OrientedMatroid
            Its elements are pseudolines of the projective plane (Folkman and Lawrence).
        infinity : int
            The element that becomes the line at infinity. The others are reoriented, and numbered
            anew from top to bottom.

        Raises
        ------
        InputError
            Another rank, or no such element.

        Examples
        --------
        >>> Arrangement.from_oriented_matroid(OrientedMatroid(3, 4, "++++")).wiring()
        [0, 1, 0]
        """
        if matroid.rank != 3 or not 0 <= infinity < matroid.elements:
            raise InputError("pseudolines are elements of an oriented matroid of rank 3")
        first, *others = (e for e in range(matroid.elements) if e != infinity)
        # Reoriented so that `first` is the top line; then the rest is a linear order.
        facing = {e: matroid.sign(infinity, first, e) for e in others} | {first: 1}

        def below(e: int, f: int) -> int:
            return -facing[e] * facing[f] * matroid.sign(infinity, e, f)

        order = [first, *sorted(others, key=cmp_to_key(below))]

        def along(line: int, one: int, two: int) -> int:
            """Return whether the line meets `one` later than `two`."""
            a, b, c = sorted((line, one, two))
            sign = matroid.sign(order[a], order[b], order[c])
            sign *= facing[order[a]] * facing[order[b]] * facing[order[c]]
            # A positive triple a < b < c crosses in the order ab, ac, bc, a negative one backwards.
            return sign if sorted((line, one)) > sorted((line, two)) else -sign

        return cls(
            [
                sorted(
                    (other for other in range(len(order)) if other != line),
                    key=cmp_to_key(partial(along, line)),
                )
                for line in range(len(order))
            ]
        )

    def wiring(self) -> list[int]:
        """Compute a wiring diagram, as in `from_wiring`: always the topmost possible crossing.

        Notes
        -----
        O(n^3).
        """
        order, met = list(range(self.lines)), [0] * self.lines
        swaps: list[int] = []

        def is_next(upper: int, lower: int) -> bool:
            return (
                met[upper] < self.lines - 1
                and self.sequences[upper][met[upper]] == lower
                and met[lower] < self.lines - 1
                and self.sequences[lower][met[lower]] == upper
            )

        while True:
            place = next((p for p, pair in enumerate(pairwise(order)) if is_next(*pair)), None)
            if place is None:
                return swaps
            upper, lower = order[place : place + 2]
            order[place : place + 2] = lower, upper
            met[upper] += 1
            met[lower] += 1
            swaps.append(place)


def line_cell_pattern(arrangement: Arrangement) -> Pattern:
    """Make the pattern with pseudolines as rows and cells as columns; 1 if the cell lies above.

    Parameters
    ----------
    arrangement : Arrangement
        An arrangement of n pseudolines, stretchable exactly if the pattern is a YES for d = 2.

    Returns
    -------
    Pattern
        n x (1 + n + C(n, 2)); its columns descend lexicographically, from the cell above all
        pseudolines to the one below them all.

    Notes
    -----
    O(n^3), the size of the pattern.

    Examples
    --------
    >>> print(line_cell_pattern(Arrangement.from_wiring(3, [0, 1, 0])).to_text())
    1111000
    1100100
    1010110
    """
    require_type("the arrangement", arrangement, Arrangement, "an Arrangement")
    lines = arrangement.lines
    order = list(range(lines))
    cells = [_cell(order, level) for level in range(lines + 1)]
    for place in arrangement.wiring():
        order[place : place + 2] = order[place + 1], order[place]
        cells.append(_cell(order, place + 1))  # it opens to the right of the crossing
    return Pattern.from_array(np.array(sorted(cells, reverse=True)).T)


def embed_lines(lines: ArrayLike) -> Embedding:
    """Embed the line-cell pattern of straight lines: a point in every cell.

    Parameters
    ----------
    lines : array_like of int, shape (n, 3)
        As for `Arrangement.from_lines`.

    Returns
    -------
    Embedding
        An embedding in dimension 2, with the lines themselves as queries.

    Raises
    ------
    InputError
        As from `Arrangement.from_lines`.

    Examples
    --------
    >>> embed_lines([[1, 1, 0], [-1, 1, 0]]).keys.tolist()
    [[-1, 2], [1, 0], [-1, 0], [-1, -2]]
    """
    Arrangement.from_lines(lines)  # the lines are in general position
    rows = _graphs(lines)
    crossings = sorted({x for others in _crossings(rows) for x in others.values()})
    points: dict[tuple[int, ...], tuple[Fraction, Fraction]] = {}
    for left, right in pairwise([None, *crossings, None]):
        x = _between(left, right)
        heights = sorted((Fraction(c) - a * x) / b for a, b, c in rows)
        for low, high in pairwise([None, *heights, None]):
            y = _between(low, high)
            points.setdefault(tuple(int(a * x + b * y > c) for a, b, c in rows), (x, y))
    common = max(number.denominator for point in points.values() for number in point)  # powers of 2
    keys = [[int(number * common) for number in points[cell]] for cell in sorted(points)[::-1]]
    return Embedding([[a, b] for a, b, _ in rows], keys, [c * common for _, _, c in rows])


def stretch(arrangement: Arrangement, embedding: Embedding) -> ExactArray:
    """Find straight lines with an arrangement from an embedding of its line-cell pattern.

    Parameters
    ----------
    arrangement : Arrangement
        The order in which the lines have to cross.
    embedding : Embedding
        Of `line_cell_pattern(arrangement)`, of dimension 2.

    Returns
    -------
    ndarray of int, shape (n, 3)
        As for `Arrangement.from_lines`, which gives the arrangement back.

    Raises
    ------
    InputError
        It is an embedding of another pattern, or of another dimension.

    Notes
    -----
    From the cell below all lines to the one above them all every line is crossed upwards: that
    direction becomes the vertical axis. O(n^2 log n).

    Examples
    --------
    >>> arrangement = Arrangement.from_wiring(2, [0])
    >>> lines = stretch(arrangement, embed_lines([[5, 1, 0], [9, 3, 1]]))
    >>> Arrangement.from_lines(lines) == arrangement
    True
    """
    require_type("the arrangement", arrangement, Arrangement, "an Arrangement")
    require_type("the embedding", embedding, Embedding, "an Embedding")
    cells = 1 + arrangement.lines * (arrangement.lines + 1) // 2
    if embedding.keys.shape != (cells, 2):
        raise InputError(
            f"{arrangement.lines} lines are stretched by {cells} keys of dimension 2, "
            f"not {len(embedding.keys)} of dimension {embedding.dimension}"
        )
    queries, keys, thresholds = (
        array.astype(object) for array in (embedding.queries, embedding.keys, embedding.thresholds)
    )
    up = keys[0] - keys[-1]
    across = np.array([up[1], -up[0]], dtype=object)
    for axis in (across, -across):
        # q . k > t means 2 q . k > 2 t + 1 in integers: then no key is on a line.
        lines = np.column_stack([2 * queries @ axis, 2 * queries @ up, 2 * thresholds + 1])
        lines //= np.gcd.reduce(lines, axis=1, keepdims=True)
        try:
            if Arrangement.from_lines(lines) == arrangement:
                return exact(lines, 2, "lines")
        except InputError:
            continue  # mirrored, or no stretching at all
    raise InputError("the embedding does not represent the line-cell pattern of this arrangement")


def _cell(order: Sequence[int], level: int) -> tuple[int, ...]:
    """Return the signs of the cell with so many lines above it; the order is from the top."""
    above = set(order[level:])
    return tuple(int(line in above) for line in range(len(order)))


def _graphs(lines: ArrayLike) -> list[tuple[int, int, int]]:
    """Return the lines as Python integers, checked for their order."""
    rows = exact(lines, 2, "lines")
    if rows.shape[1] != 3 or len(rows) < 1:
        raise InputError("a line is three numbers a, b, c: a x + b y = c")
    graphs = [(int(a), int(b), int(c)) for a, b, c in rows]
    for number, (_, b, _) in enumerate(graphs):
        if b <= 0:
            raise InputError(f"line {number} has b = {b}; b > 0 makes it a graph over x")
    for number, ((a, b, _), (e, f, _)) in enumerate(pairwise(graphs)):
        if a * f <= e * b:
            raise InputError(f"the slope -a/b of line {number + 1} is not above the one before")
    return graphs


def _crossings(rows: Sequence[tuple[int, int, int]]) -> list[dict[int, Fraction]]:
    """Compute where, on the x axis, every line meets the others."""
    met: list[dict[int, Fraction]] = [{} for _ in rows]
    for (i, (a, b, c)), (j, (e, f, g)) in combinations(enumerate(rows), 2):
        met[i][j] = met[j][i] = Fraction(c * f - g * b, a * f - e * b)
    return met


def _between(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Return a number strictly between two, with the fewest binary digits behind the point."""
    if low is None:
        return Fraction(0 if high is None else -floor(-high) - 1)
    if high is None:
        return Fraction(floor(low) + 1)
    scale = 1
    while (floor(low * scale) + 1) >= high * scale:
        scale *= 2
    return Fraction(floor(low * scale) + 1, scale)
