"""The least dimension of a model that generates all chains of a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isqrt
from typing import Any

from samapprox.attention.reasoning.base import Task
from samapprox.attention.reasoning.capacity.counts import ChainCount, count_chains
from samapprox.attention.reasoning.capacity.models import MODELS, LinearModel, Model, SparseModel
from samapprox.errors import InputError
from samapprox.support.json_text import document_head
from samapprox.support.lookup import unknown_name

__all__ = ["TRIED", "DimensionBound", "bound_dimension", "make_model", "paper_block"]

TRIED = (32, 64, 128, 256, 512, 1024)
"""The dimensions D that Yang et al. (2024) trained, with feed-forward layers of 4 D neurons."""


@dataclass(frozen=True, slots=True)
class DimensionBound:
    """A lower bound on the dimension of models that generate every chain of a task correctly.

    Attributes
    ----------
    task : Task
    size : int
    count : ChainCount
    model : Model
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
        """Return the document described by ``schemas/cot-bound.schema.json``.

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
    size : int
    model : Model

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
    task : Task
    size : int
    layers, heads, bits : int
    block : int, optional
        Tokens of a block of the sparse model; by default the paper's, `paper_block`.
    summaries : int, optional
        Tokens of each block that all later tokens attend to in the sparse model; 1 by default.

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
        raise InputError(unknown_name("model", kind, MODELS))
    if kind == "linear":
        if block is not None or summaries is not None:
            raise InputError("only a sparse model has blocks and summaries; leave them out")
        return LinearModel(layers, heads, bits)
    given = count_chains(task, size).given
    block = paper_block(task.longest(size)) if block is None else block
    return SparseModel(layers, heads, bits, block, given, 1 if summaries is None else summaries)


def paper_block(tokens: int) -> int:
    """Return the block of the paper's experiments for chains of so many tokens.

    The largest power of two that is at most the root of the length.

    Examples
    --------
    >>> [paper_block(tokens) for tokens in (83, 223, 353, 503)]
    [8, 8, 16, 16]
    """
    return 1 << isqrt(tokens).bit_length() - 1
