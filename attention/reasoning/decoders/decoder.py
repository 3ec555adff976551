"""Decoders: transformers whose output at every token is the next token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.decoders.assembly import Block
from samapprox.attention.transformers import AttentionLayer, FeedForward, Head, LinearAttentionLayer
from samapprox.attention.transformers.columns import Matrix

if TYPE_CHECKING:
    from samapprox.attention.transformers import Transformer

__all__ = ["Decoder"]


@dataclass(frozen=True, slots=True, eq=False)
class Decoder:
    """A transformer whose output at every token is the next token.

    Attributes
    ----------
    blocks : tuple of Block
    positions : ndarray, shape (D, L)
        The positional embedding.
    parts : slice
        The coordinates of the embedding that hold the parts of a token. The others hold positions
        or 0.
    projection : ndarray, shape (parts, D)
        The output is its product with the last state, rounded to whole numbers.
    graph : AttentionGraph or None
        The tokens that every head of sparse attention attends to, with softmax. None: linear
        attention to all tokens so far.
    """

    blocks: tuple[Block, ...]
    positions: Matrix
    parts: slice
    projection: Matrix
    graph: AttentionGraph | None

    @property
    def length(self) -> int:
        """L, the number of tokens of a chain."""
        return int(self.positions.shape[1])

    @property
    def width(self) -> int:
        """D, the dimension of tokens."""
        return len(self.positions)

    @property
    def depth(self) -> int:
        """M, the number of blocks."""
        return len(self.blocks)

    @property
    def heads(self) -> int:
        """H, the most heads of a block."""
        return max(len(block.heads) for block in self.blocks)

    @property
    def hidden(self) -> int:
        """The most hidden units of a feed-forward layer."""
        return max(len(block.feed_forward.w_1) for block in self.blocks)

    @property
    def largest_weight(self) -> float:
        """The largest absolute value of all weights and positions."""
        return max(float(np.abs(array).max()) for array in self._arrays())

    def embed(self, tokens: NDArray[np.int64]) -> Matrix:
        """Return the embedding without positions, shape (inputs, D, tokens).

        Parameters
        ----------
        tokens : ndarray of int64, shape (inputs, tokens, parts)
        """
        inputs, count, _ = tokens.shape
        X = np.zeros((inputs, self.width, count), dtype=self.positions.dtype)
        X[:, self.parts] = tokens.transpose(0, 2, 1)
        return X

    def transformer(self) -> Transformer:
        """Return the layers and positions as a transformer on all L tokens."""
        from samapprox.attention.transformers import Transformer

        kind = LinearAttentionLayer if self.graph is None else AttentionLayer
        layers = [
            layer for block in self.blocks for layer in (kind(block.heads), block.feed_forward)
        ]
        return Transformer(tuple(layers), self.positions)

    def with_bits(self, bits: int) -> Decoder:
        """Return the decoder with weights and states of so many bits, 32 or 64."""
        dtype = np.dtype(f"f{bits // 8}")
        return replace(
            self,
            blocks=tuple(_convert(block, dtype) for block in self.blocks),
            positions=self.positions.astype(dtype),
            projection=self.projection.astype(dtype),
        )

    def _arrays(self) -> Iterator[Matrix]:
        yield self.positions
        yield self.projection
        for block in self.blocks:
            yield from _weights(block.feed_forward)
            for head in block.heads:
                yield from _matrices(head)


def _weights(layer: FeedForward) -> tuple[Matrix, ...]:
    return layer.w_1, layer.b_1, layer.w_2, layer.b_2


def _matrices(head: Head) -> tuple[Matrix, ...]:
    return head.query, head.key, head.value, head.output


def _convert(block: Block, dtype: np.dtype[np.floating]) -> Block:
    """Return a block with weights of another type."""
    layer = block.feed_forward
    w_1, b_1, w_2, b_2 = (array.astype(dtype) for array in _weights(layer))
    heads = []
    for head in block.heads:
        query, key, value, output = (matrix.astype(dtype) for matrix in _matrices(head))
        heads.append(Head(query, key, value, output))
    return Block(tuple(heads), FeedForward(w_1, b_1, w_2, b_2, layer.activation))
