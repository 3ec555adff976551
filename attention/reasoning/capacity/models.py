"""Efficient transformers, and how much of the input reaches the tokens that they generate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from samapprox.support.parameters import require

__all__ = ["MODELS", "LinearModel", "Model", "SparseModel"]

_MOST = 10**9
"""The largest number of layers, heads and bits."""

_WIDEST = 10**18
"""The largest dimension; numbers of thousands of digits could not be printed."""


@dataclass(frozen=True, slots=True)
class Model(ABC):
    """A decoder whose generated tokens depend on the input through few numbers.

    Parameters
    ----------
    layers, heads : int
    bits : int
        Bits of each number that the model stores.

    Raises
    ------
    InputError
        Any of them is below 1 or above 10^9.
    """

    name: ClassVar[str]
    """The key in `MODELS`."""

    layers: int
    heads: int
    bits: int

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "bits"):
            value = getattr(self, name)
            require(value >= 1, f"the model's {name} must be at least 1, not {value}")
            require(value <= _MOST, f"the model's {name} must be at most {_MOST}, not {value}")

    def numbers(self, dimension: int) -> int:
        """Return how many stored numbers determine the generated tokens.

        Parameters
        ----------
        dimension : int
            The dimension D of the model, a multiple of the number of heads.

        Raises
        ------
        InputError
        """
        require(dimension >= 1, f"the dimension must be at least 1, not {dimension}")
        require(dimension <= _WIDEST, f"the dimension must be at most {_WIDEST}, not {dimension}")
        require(
            dimension % self.heads == 0,
            f"dimension {dimension} is not a multiple of {self.heads} heads; give one that is",
        )
        return self._numbers(dimension)

    @abstractmethod
    def _numbers(self, dimension: int) -> int: ...

    def capacity(self, dimension: int) -> int:
        """Return the bits of these numbers."""
        return self.bits * self.numbers(dimension)

    def least_dimension(self, chains: int) -> int:
        """Return the least D for which the numbers can distinguish so many chains.

        Parameters
        ----------
        chains : int
            At least 1.

        Notes
        -----
        By doubling and bisection: D may be large.

        Examples
        --------
        >>> LinearModel(layers=3, heads=4, bits=32).least_dimension(2**1206)
        8
        """
        needed = (chains - 1).bit_length()
        low, high = 0, 1
        while self.capacity(high * self.heads) < needed:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if self.capacity(middle * self.heads) < needed:
                low = middle
            else:
                high = middle
        return high * self.heads


@dataclass(frozen=True, slots=True)
class LinearModel(Model):
    """Linear attention: each head sees the input through two sums.

    The sum of v phi(k)^T over the tokens so far has (D/H)^2 numbers and the sum of phi(k) has D/H.

    References
    ----------
    Yang et al. (2024), Equations (7) and (8), Lemma A.8 and Theorem B.5.

    Examples
    --------
    >>> model = LinearModel(layers=3, heads=4, bits=32)
    >>> model.numbers(8), model.capacity(8)
    (72, 2304)
    """

    name: ClassVar[str] = "linear"

    def _numbers(self, dimension: int) -> int:
        width = dimension // self.heads
        return self.layers * self.heads * (width * width + width)


@dataclass(frozen=True, slots=True)
class SparseModel(Model):
    """Block-sparse attention: generated tokens see few tokens of the input.

    Token i attends to the last B tokens, and to the last c tokens of each block of B.

    Parameters
    ----------
    block : int
        B.
    summaries : int
        c, at most B.
    given : int
        Tokens of the input, with the separator that ends it, which is always the same token.

    References
    ----------
    Yang et al. (2024), Equation (6) and Theorem B.6.

    Examples
    --------
    >>> model = SparseModel(layers=3, heads=4, bits=32, block=4, summaries=1, given=11)
    >>> model.visible, model.numbers(8)
    (4, 96)
    """

    name: ClassVar[str] = "sparse"

    block: int
    given: int
    summaries: int = 1

    def __post_init__(self) -> None:
        # slots=True makes a new class, so a bare super() fails here
        Model.__post_init__(self)
        require(self.block >= 1, f"the block must be at least 1 token, not {self.block}")
        require(
            0 <= self.summaries <= self.block,
            f"a block of {self.block} tokens has 0..{self.block} summaries, not {self.summaries}",
        )
        require(self.given >= 2, f"the input has at least 2 tokens, not {self.given}")
        require(
            self.visible > 0,
            "generated tokens see no token of the input; give a larger block or more summaries",
        )

    @property
    def visible(self) -> int:
        """The tokens of the input that its last token or a later one attends to, but the last."""
        first_near = max(0, self.given - self.block)
        blocks, rest = divmod(first_near, self.block)
        far = blocks * self.summaries + max(0, rest - (self.block - self.summaries))
        return far + self.given - 1 - first_near

    def _numbers(self, dimension: int) -> int:
        return self.layers * self.visible * dimension


MODELS: dict[str, type[Model]] = {model.name: model for model in (LinearModel, SparseModel)}
"""Name -> model."""
