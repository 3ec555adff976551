"""Efficient transformers, and the least dimension that generates all chains of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from samapprox.attention.reasoning.base import Task
from samapprox.attention.reasoning.capacity.costs import default_block
from samapprox.attention.reasoning.capacity.counts import ChainCount, count_chains
from samapprox.errors import InputError
from samapprox.support.documents import document_head
from samapprox.support.packages import unknown_name
from samapprox.support.parameters import require

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
        Numbers of layers, and of heads in each.
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
            The dimension is out of range, or no multiple of the number of heads.
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
        By bisection: D may be large.

        Examples
        --------
        >>> LinearModel(layers=3, heads=4, bits=32).least_dimension(2**1206)
        8
        """
        dimensions = range(self.heads, _WIDEST + 1, self.heads)
        needed = (chains - 1).bit_length()
        return dimensions[bisect_left(dimensions, needed, key=self.capacity)]


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


TRIED = (32, 64, 128, 256, 512, 1024)
"""The dimensions D that Yang et al. (2024) trained, with feed-forward layers of 4 D neurons."""


@dataclass(frozen=True, slots=True)
class DimensionBound:
    """A lower bound on the dimension of models that generate every chain of a task correctly.

    Attributes
    ----------
    task : Task
        The task whose chains are generated.
    size : int
        The size of the inputs, as the task counts it.
    count : ChainCount
        A lower bound on the number of different chains.
    model : Model
        The kind of transformer, without its dimension.
    """

    task: Task
    size: int
    count: ChainCount
    model: Model

    @property
    def dimension(self) -> int:
        """The least D that is not excluded, a multiple of the number of heads."""
        return self.model.least_dimension(self.count.chains)

    def to_json(self, dimensions: Sequence[int] = TRIED) -> dict[str, Any]:
        """Return the document whose schema is `samapprox schema cot-bound`.

        Parameters
        ----------
        dimensions : sequence of int
            Dimensions to compare with the bound, multiples of the number of heads.
        """
        return {
            **document_head("cot-bound"),
            "task": self.task.name,
            "parameters": self.task.parameters,
            "size": self.size,
            "chains": {
                "log2": self.count.round_bits(3),
                "exact": self.count.is_exact,
                "reason": self.count.reason,
            },
            "model": {"kind": self.model.name, **asdict(self.model)},
            "least_dimension": self.dimension,
            "tried": [
                {
                    "dimension": dimension,
                    "numbers": self.model.numbers(dimension),
                    "bits": self.model.capacity(dimension),
                    "excluded": dimension < self.dimension,
                }
                for dimension in dimensions
            ],
        }


def bound_dimension(task: Task, size: int, model: Model) -> DimensionBound:
    """Bound the dimension of models that generate all chains for inputs of a size.

    Parameters
    ----------
    task : Task
        The task whose chains are generated.
    size : int
        The size of the inputs, as the task counts it.
    model : Model
        The kind of transformer, without its dimension.

    Returns
    -------
    DimensionBound
        The least dimension that is not excluded, with the count behind it.

    Raises
    ------
    InputError
        A size out of range, or a task without a known bound.

    Notes
    -----
    The numbers of the model determine all generated tokens. So they take at least as many values as
    there are different chains: 2^(bits numbers(D)) >= chains.

    References
    ----------
    Yang et al. (2024), Theorems B.5 and B.6; docs/theory/reasoning.md has explicit constants.

    Examples
    --------
    >>> from samapprox.attention.reasoning import parse_task
    >>> lis = parse_task("lis")
    >>> [bound_dimension(lis, 250, LinearModel(3, 4, bits)).dimension for bits in (32, 16)]
    [8, 12]
    """
    return DimensionBound(task, size, count_chains(task, size), model)


def make_model(
    kind: str,
    task: Task,
    size: int,
    *,
    layers: int,
    heads: int,
    bits: int,
    block: int | None = None,
    summaries: int | None = None,
) -> Model:
    """Make a model for inputs of a task.

    Parameters
    ----------
    kind : {"linear", "sparse"}
        Linear attention, or block-sparse attention.
    task : Task
        The task that fixes how many tokens are given.
    size : int
        The size of the inputs, as the task counts it.
    layers, heads, bits : int
        See `Model`.
    block : int, optional
        Tokens of a block of the sparse model; by default the paper's, `default_block`.
    summaries : int, optional
        Tokens of each block that all later tokens attend to in the sparse model; 1 by default.

    Returns
    -------
    Model
        A `LinearModel` or a `SparseModel`.

    Raises
    ------
    InputError
        An unknown kind, or a value out of range.

    Examples
    --------
    >>> from samapprox.attention.reasoning import parse_task
    >>> model = make_model("sparse", parse_task("lis"), 250, layers=3, heads=4, bits=32)
    >>> model.block, model.visible
    (16, 29)
    """
    if kind not in MODELS:
        raise unknown_name("model", kind, MODELS)
    if kind == "linear":
        if block is not None or summaries is not None:
            raise InputError("only a sparse model has blocks and summaries; leave them out")
        return LinearModel(layers, heads, bits)
    given = count_chains(task, size).given
    block = default_block(task.longest(size)) if block is None else block
    return SparseModel(layers, heads, bits, block, given, 1 if summaries is None else summaries)
