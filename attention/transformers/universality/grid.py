"""The grid of inputs, with entries that are multiples of delta in [0, 1), and functions on it."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.universality import require_grid
from samapprox.attention.transformers.columns import Matrix
from samapprox.errors import InputError
from samapprox.formats.arrays import open_archive, open_array
from samapprox.support.parameters import random_stream, require

MOST_TOKENS = 1 << 20
"""Most tokens of all grid points together, each of which needs a value layer."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The grid G_delta of d x n matrices, in units of delta: entries 0, 1, .., 1/delta - 1.

    Grid points are numbered in the order of `itertools.product`: the last entry of the last row
    changes fastest.

    Attributes
    ----------
    n : int
        Tokens.
    d : int
        Embedding dimension.
    steps : int
        1 / delta.

    Raises
    ------
    InputError
        n or d below 1, or steps below 2.

    References
    ----------
    Yun et al. (2020), 4.1 and appendix C.

    Examples
    --------
    >>> grid = Grid(n=2, d=1, steps=3)
    >>> grid.size, grid.points(3, 5).tolist()
    (9, [[[1, 0]], [[1, 1]]])
    """

    n: int
    d: int
    steps: int

    def __post_init__(self) -> None:
        require(self.n >= 1, f"the number of tokens n must be at least 1, not {self.n}")
        require_grid(self.d, self.steps)

    @property
    def size(self) -> int:
        """The number of grid points, (1 / delta)^(d n)."""
        return int(self.steps ** (self.d * self.n))

    def require_enumerable(self) -> None:
        """Refuse a grid with too many points to enumerate, before anything is allocated.

        Raises
        ------
        InputError
            More points than are enumerated.

        Examples
        --------
        >>> Grid(n=64, d=2, steps=8).require_enumerable()
        Traceback (most recent call last):
        ...
        samapprox.errors.InputError: the grid has 8^128 points of 64 tokens, ...
        """
        entries = self.d * self.n
        few = entries < MOST_TOKENS.bit_length() and self.n * self.size <= MOST_TOKENS
        require(
            few,
            f"the grid has {self.steps}^{entries} points of {self.n} tokens, each with a value "
            f"layer; at most {MOST_TOKENS} tokens are enumerated: reduce n, d or 1 / delta",
        )

    def points(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return some grid points, in units of delta.

        Parameters
        ----------
        start, stop : int
            Numbers of the first point and of that after the last.

        Returns
        -------
        ndarray of int64, shape (stop - start, d, n)
            The points, in units of delta.

        Notes
        -----
        O((stop - start) d n). The grid must be enumerable.
        """
        numbers = np.arange(start, stop, dtype=np.int64)
        powers = self.steps ** np.arange(self.d * self.n, dtype=np.int64)[::-1]
        return (numbers[:, None] // powers % self.steps).reshape(-1, self.d, self.n)


_EXPONENT = re.compile(r"[eE][+-]?0*(\d{4,})")


def random_function(grid: Grid, seed: int = 0) -> Matrix:
    """Draw a function whose values are thousandths in [-1, 1].

    Parameters
    ----------
    grid : Grid
        The points at which the function has values.
    seed : int
        Chooses the values.

    Returns
    -------
    ndarray of object, shape (grid points, d, n)
        Fractions.

    Raises
    ------
    InputError
        The grid is too large, or the seed is out of range.

    Examples
    --------
    >>> values = random_function(Grid(n=2, d=1, steps=2), seed=0)
    >>> values.shape, str(values[0, 0, 0])
    ((4, 1, 2), '-79/250')
    """
    grid.require_enumerable()
    drawn = random_stream(seed).randint(-1000, 1001, size=(grid.size, grid.d, grid.n))
    thousandths = [Fraction(k, 1000) for k in range(-1000, 1001)]
    return np.array(thousandths, dtype=object)[drawn + 1000]


def parse_function(content: bytes, grid: Grid) -> Matrix:
    """Read the values of a function from the content of an npy, npz or JSON file.

    Parameters
    ----------
    content : bytes
        An array of shape (grid points, d, n), in the order of `Grid.points`: npy; npz with a single
        array; or JSON, nested lists of numbers and of fractions such as "1/3".
    grid : Grid
        The points at which the function is evaluated.

    Returns
    -------
    ndarray of object, shape (grid points, d, n)
        Integers and fractions, exactly the numbers of the file.

    Raises
    ------
    InputError
        The file cannot be read, its shape is wrong, or a value is no finite number.

    Examples
    --------
    >>> content = b'[[["1/3", 0.5]], [[1, 2]], [[3, 4]], [[5, -6]]]'
    >>> print(*parse_function(content, Grid(n=2, d=1, steps=2))[0, 0])
    1/3 1/2
    """
    grid.require_enumerable()
    if content.startswith(b"\x93NUMPY"):
        with open_array(io.BytesIO(content)) as stored:
            _check_shape(stored.shape, grid)
            values = stored.read()
    elif content.startswith(b"PK"):
        with open_archive(io.BytesIO(content)) as archive:
            if len(archive.names) != 1:
                raise InputError(
                    f"the npz file has {len(archive.names)} arrays; a function is a single one"
                )
            with archive.open(archive.names[0]) as stored:
                _check_shape(stored.shape, grid)
                values = stored.read()
    else:
        values = _parse_json(content)
    return check_function(values, grid)


def check_function(values: Any, grid: Grid) -> Matrix:
    """Check the values of a function on a grid, and make them exact."""
    array = np.asarray(values)
    _check_shape(array.shape, grid)
    if array.dtype.kind not in "iufbO":
        raise InputError(f"the values of a function must be real numbers, not {array.dtype}")
    if array.dtype.kind == "f":
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            raise _not_a_number(bad[0].tolist(), array[tuple(bad[0])])
        array = array.astype(object)
    exact = np.empty(array.shape, dtype=object)
    for place, value in np.ndenumerate(array.astype(object)):
        exact[place] = _exact(place, value)
    return exact


def _check_shape(shape: tuple[int, ...], grid: Grid) -> None:
    """Refuse the shape of an array that does not hold one matrix for each grid point."""
    one = (grid.d, grid.n)
    if len(shape) != 3 or shape[1:] != one:
        raise InputError(
            f"the function has shape {shape}; it must be (grid points, d, n), that is "
            f"{(grid.size, *one)}"
        )
    if shape[0] != grid.size:
        raise InputError(
            f"the function has values for {shape[0]} of {grid.size} grid points; give one "
            f"{grid.d} x {grid.n} matrix for each, the last entry changing fastest"
        )


def _exact(place: tuple[int, ...], value: Any) -> int | Fraction:
    """Return a value as an integer or fraction."""
    if isinstance(value, int | Fraction):
        return int(value) if isinstance(value, bool) else value
    try:
        if isinstance(value, np.floating):  # of more bits than a float
            return Fraction(*value.as_integer_ratio())
        return _decimal(value) if isinstance(value, str) else Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise _not_a_number(list(place), value) from None


def _not_a_number(place: list[int], value: Any) -> InputError:
    point, row, token = place
    shown = repr(value) if isinstance(value, str) else value
    return InputError(f"grid point {point}, row {row}, token {token}: {shown} is no finite number")


def _parse_json(content: bytes) -> Matrix:
    """Read nested lists, with all numbers exact."""
    try:
        document = json.loads(content, parse_float=_decimal)
    except (ValueError, RecursionError):
        raise InputError(
            "the function is no npy, npz or JSON file; JSON holds nested lists of numbers or of "
            'fractions such as "1/3"'
        ) from None
    if not isinstance(document, list):
        raise InputError("the function must be a list of matrices, one for each grid point")
    return np.array(document, dtype=object)


def _decimal(text: str) -> Fraction:
    """Return a number in text as a fraction, unless its exponent is out of all proportion."""
    if _EXPONENT.search(text.replace("_", "")):  # Fraction skips underscores
        raise ValueError
    return Fraction(text)
