"""Transformers assembled from heads and small networks, each with coordinates of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

import numpy as np

from samapprox.attention.reasoning.decoders.affine import Affine, as_matrix
from samapprox.attention.reasoning.decoders.mlp import Floats, Mlp
from samapprox.attention.transformers import FeedForward, Head, gelu

__all__ = ["Assembly", "Block"]

Functions = Sequence[Affine]


@dataclass(frozen=True, slots=True)
class Block:
    """The heads of an attention layer, and the feed-forward layer that follows."""

    heads: tuple[Head, ...]
    feed_forward: FeedForward


@dataclass(slots=True)
class _Parts:
    """The parts of a block: what each head and each network reads, and where it writes."""

    heads: list[tuple[Functions, Functions, Functions, slice]] = field(default_factory=list)
    networks: list[tuple[Mlp, Functions, slice]] = field(default_factory=list)


class Assembly:
    """A transformer in the making.

    Appendix B of the paper replaces residual connections by concatenation. Here every head and
    every network adds its outputs to coordinates that are reserved for it and 0 before, so that the
    residual connections concatenate.

    Attributes
    ----------
    scale : float
        Networks with ReLU become networks with gelu(scale x)/scale (Lemma A.2).
    d : int
        The number of coordinates so far. Coordinate 0 is 1 in every token.

    References
    ----------
    Yang et al. (2024), appendix B.

    Examples
    --------
    >>> assembly = Assembly(scale=16)
    >>> [x] = assembly.reserve(1)
    >>> [step] = assembly.feed(Mlp.from_lists([[3], [3]], [2, 1], [[1, -1]]), [x - 4])
    >>> [block] = assembly.build()
    >>> tokens = np.array([[[1.0, 1.0]], [[3.0, 4.0]], [[0.0, 0.0]]])
    >>> block.feed_forward.apply(tokens)[2] > 0.5
    array([[False,  True]])
    """

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.d = 1
        self._blocks = [_Parts()]

    def reserve(self, count: int) -> list[Affine]:
        """Reserve coordinates, and return the functions that read them."""
        self.d += count
        return [Affine({place: 1.0}) for place in range(self.d - count, self.d)]

    def attend(self, query: Functions, key: Functions, value: Functions) -> list[Affine]:
        """Add a head to the attention layer of this block, and return what it writes.

        The heads of a block read the outputs of earlier blocks, its networks also those of its
        heads.

        Raises
        ------
        ValueError
            A function of coordinates that this block writes.
        """
        parts = self._blocks[-1]
        pending = [head[-1] for head in parts.heads] + [network[-1] for network in parts.networks]
        _require_ready([*query, *key, *value], pending)
        written = self.reserve(len(value))
        self._blocks[-1].heads.append((query, key, value, self._last(written)))
        return written

    def feed(self, network: Mlp, inputs: Functions) -> list[Affine]:
        """Add a network to the feed-forward layer of this block, and return what it writes.

        Raises
        ------
        ValueError
            A function of coordinates that a network of this block writes.
        """
        _require_ready(inputs, [network[-1] for network in self._blocks[-1].networks])
        written = self.reserve(network.outputs)
        mlp = network.with_gelu(self.scale)
        self._blocks[-1].networks.append((mlp, inputs, self._last(written)))
        return written

    def end_block(self) -> None:
        """End this block and begin the next one."""
        self._blocks.append(_Parts())

    def build(self) -> list[Block]:
        """Return all blocks."""
        return [
            Block(
                tuple(self._build_head(*head) for head in parts.heads),
                self._build_feed_forward(parts.networks),
            )
            for parts in self._blocks
        ]

    def _last(self, written: Functions) -> slice:
        return slice(self.d - len(written), self.d)

    def _build_head(
        self, query: Functions, key: Functions, value: Functions, written: slice
    ) -> Head:
        return Head(
            self._matrix(query), self._matrix(key), self._matrix(value), np.eye(self.d)[:, written]
        )

    def _matrix(self, functions: Functions) -> Floats:
        """Return the matrix of functions, whose constants multiply coordinate 0."""
        matrix, constants = as_matrix(functions, self.d)
        matrix[:, 0] += constants
        return matrix

    def _build_feed_forward(self, networks: Sequence[tuple[Mlp, Functions, slice]]) -> FeedForward:
        identity = np.eye(self.d)
        wired = [
            network.read(*as_matrix(inputs, self.d)).write(identity[:, written])
            for network, inputs, written in networks
        ]
        nothing = Mlp.from_lists(np.zeros((1, self.d)), [0], np.zeros((self.d, 1)), activation=gelu)
        whole = reduce(add, wired) if wired else nothing
        return FeedForward(whole.w_1, whole.b_1, whole.w_2, whole.b_2, gelu)


def _require_ready(functions: Functions, pending: Sequence[slice]) -> None:
    """Refuse functions of coordinates that are written no earlier than they are read."""
    for place in {place for function in functions for place in function.terms}:
        if any(written.start <= place < written.stop for written in pending):
            raise ValueError(f"coordinate {place} is there for later blocks; end this one first")
