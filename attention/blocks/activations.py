"""Activations of feed-forward layers: ReLU, GELU, and piecewise linear functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.blocks.columns import Matrix
from samapprox.errors import InputError

__all__ = ["Activation", "PiecewiseLinear", "gelu", "relu"]

Activation = Callable[[Matrix], Matrix]
"""A function of every entry."""


def relu(entries: Matrix) -> Matrix:
    """Compute max(0, t) of every entry; integers, floats and objects stay such.

    Examples
    --------
    >>> relu(np.array([-2, 3])).tolist()
    [0, 3]
    """
    return np.maximum(entries, 0)


def gelu(entries: Matrix) -> Matrix:
    """Compute t times the standard normal distribution function of t.

    Objects are computed in mpmath at its working precision, all else in floats.

    References
    ----------
    Hendrycks and Gimpel (2016), Gaussian error linear units.

    Examples
    --------
    >>> gelu(np.array([0.0, 1.0, -40.0])).round(4).tolist()
    [0.0, 0.8413, -0.0]
    """
    if entries.dtype == object:
        return np.asarray(np.frompyfunc(_gelu, 1, 1)(entries), dtype=object)
    from scipy.special import ndtr

    return np.asarray(entries * ndtr(entries))


def _gelu(number: Any) -> Any:
    import mpmath

    t = mpmath.mpmathify(number)
    return t * mpmath.ncdf(t)


@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """A piecewise linear function of two or three half-open pieces, continuous or not.

    Attributes
    ----------
    starts : tuple of numbers
        Where the second and the third piece start: a piece contains its start, not its end.
    slopes, intercepts : tuples of numbers
        Piece i is slopes[i] t + intercepts[i]; one more each than `starts`.

    Raises
    ------
    InputError
        Other numbers of pieces, or starts that do not ascend.

    References
    ----------
    Yun et al. (2020), appendix D: the class Phi asks for at most three pieces, at least one of them
    constant. Lemma 6 has -t on [0, delta), Lemma 8 has 1 on [-delta/2, delta/2).

    Examples
    --------
    >>> PiecewiseLinear(starts=(0, 4), slopes=(0, -1, 0))(np.array([-1, 0, 3, 4])).tolist()
    [0, 0, -3, 0]
    """

    starts: tuple[Any, ...]
    slopes: tuple[Any, ...] = (0, 0, 0)
    intercepts: tuple[Any, ...] = (0, 0, 0)

    def __post_init__(self) -> None:
        if not (1 <= len(self.starts) <= 2 and len(self.slopes) == len(self.intercepts)):
            raise InputError(
                f"a piecewise linear function needs 1 or 2 starts and as many slopes as "
                f"intercepts, not {len(self.starts)}, {len(self.slopes)}, {len(self.intercepts)}"
            )
        if len(self.slopes) != len(self.starts) + 1:
            raise InputError(
                f"{len(self.starts) + 1} pieces need as many slopes, not {len(self.slopes)}"
            )
        if list(self.starts) != sorted(set(self.starts)) or not all(map(_is_finite, self.starts)):
            raise InputError(f"the starts of pieces must ascend, not {list(self.starts)}")

    def __call__(self, entries: Matrix) -> Matrix:
        """Return the function of every entry.

        Integers and floats stay such where slopes and intercepts are; objects stay exact.
        """
        piece = sum((entries >= start).astype(np.intp) for start in self.starts)
        return np.asarray(
            np.asarray(self.slopes)[piece] * entries + np.asarray(self.intercepts)[piece]
        )


def _is_finite(number: Any) -> bool:
    return bool(-math.inf < number < math.inf)
