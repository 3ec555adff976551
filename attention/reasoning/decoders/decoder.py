"""Decoders, transformers whose output at every token is the next token, and what they write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.decoders.assembly import Block
from samapprox.attention.transformers import (
    AttentionLayer,
    FeedForward,
    Head,
    LinearAttentionLayer,
    LinearState,
    elu_plus_one,
)
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.head import read_values
from samapprox.attention.transformers.maps import Softmax
from samapprox.support.parallel import report_parts
from samapprox.support.progress import OnProgress

if TYPE_CHECKING:
    from samapprox.attention.transformers import Transformer


@dataclass(frozen=True, slots=True, eq=False)
class Decoder:
    """A transformer whose output at every token is the next token.

    Attributes
    ----------
    blocks : tuple of Block
        The layers, first to last.
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
            Some first tokens of each input.
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
            yield from block.feed_forward.arrays
            for head in block.heads:
                yield from head.arrays


def _convert(block: Block, dtype: np.dtype[np.floating]) -> Block:
    """Return a block with weights of another type."""
    heads = []
    for head in block.heads:
        query, key, value, output = (array.astype(dtype) for array in head.arrays)
        heads.append(Head(query, key, value, output))
    w_1, b_1, w_2, b_2 = (array.astype(dtype) for array in block.feed_forward.arrays)
    return Block(tuple(heads), FeedForward(w_1, b_1, w_2, b_2, block.feed_forward.activation))


@dataclass(frozen=True, slots=True, eq=False)
class Generation:
    """Tokens that a decoder wrote.

    Attributes
    ----------
    tokens : ndarray of int64, shape (inputs, L, parts)
        The given tokens, and those generated.
    outputs : ndarray, shape (inputs, L, parts)
        Generated tokens before rounding.
    """

    tokens: NDArray[np.int64]
    outputs: NDArray[np.float64]

    @property
    def margin(self) -> float:
        """The least distance of an output from a half-integer, at which rounding changes."""
        return float(0.5 - np.abs(self.outputs - self.tokens).max())


def generate(
    decoder: Decoder,
    inputs: NDArray[np.int64],
    progress: OnProgress | None = None,
) -> Generation:
    """Generate all tokens after the given ones, each from the tokens before it.

    Parameters
    ----------
    decoder : Decoder
        The transformer that is run.
    inputs : ndarray of int64, shape (inputs, given, parts)
        The given tokens of several instances.
    progress : callable, optional
        Called with a `Progress` that has the share of the L tokens that are there.

    Returns
    -------
    Generation
        All tokens, and the outputs before they were rounded.

    Notes
    -----
    Outputs are rounded to whole numbers, and are the embedding of the next token. Every token
    passes the blocks once. The heads keep what they need of earlier tokens: keys and values for
    sparse attention, the hidden state of Lemma A.8 for linear attention.

    References
    ----------
    Yang et al. (2024), Section 4.1, "Output format".

    Examples
    --------
    >>> from samapprox.attention.reasoning import parse_task
    >>> from samapprox.attention.reasoning.decoders.program import make_program
    >>> from samapprox.attention.reasoning.decoders.program import build_decoder
    >>> task = parse_task("edit-distance")
    >>> chain = task.chain(task.parse("ab ba"))
    >>> decoder = build_decoder(make_program(task, chain), "sparse")
    >>> generated = generate(decoder, chain.tokens[None, : chain.given])
    >>> bool((generated.tokens[0] == chain.tokens).all())
    True
    """
    from threadpoolctl import threadpool_limits

    instances, given, parts = inputs.shape
    kept = [
        [_remember(head, decoder.graph, instances) for head in block.heads]
        for block in decoder.blocks
    ]
    tokens = np.zeros((instances, decoder.length, parts), dtype=np.int64)
    tokens[:, :given] = inputs
    outputs = tokens.astype(np.float64)
    with threadpool_limits(1, user_api="blas"):  # the products are small
        for k in range(decoder.length - 1):
            column = decoder.embed(tokens[:, [k]]).transpose(1, 0, 2)
            column = column + decoder.positions[:, None, [k]]
            for block, memories in zip(decoder.blocks, kept, strict=True):
                written = column
                for memory in memories:
                    read = memory.read(column).astype(column.dtype)
                    written = written + memory.head.write(read[:, :, None])
                column = block.feed_forward.apply(written)
            if k + 1 >= given:
                outputs[:, k + 1] = (decoder.projection @ column[:, :, 0]).T
                tokens[:, k + 1] = np.rint(outputs[:, k + 1])
            report_parts(progress, k + 2, decoder.length)
    return Generation(tokens, outputs)


def _remember(
    head: Head, graph: AttentionGraph | None, instances: int
) -> _SparseMemory | _LinearMemory:
    """Return what a head keeps of earlier tokens; its `read` adds the next one.

    `read` returns what that token reads, shape (v, instances).
    """
    return _LinearMemory(head) if graph is None else _SparseMemory(head, graph, instances)


class _SparseMemory:
    """All keys and values."""

    def __init__(self, head: Head, graph: AttentionGraph, instances: int) -> None:
        self.head, self.graph, self.tokens = head, graph, 0
        self.keys, self.values = (
            np.zeros((len(matrix), instances, graph.n), dtype=matrix.dtype)
            for matrix in (head.key, head.value)
        )

    def read(self, column: Matrix) -> Matrix:
        own, attended = [self.tokens], self.graph.keys(self.tokens)
        self.tokens += 1
        self.keys[:, :, own] = self.head.keys(column)
        self.values[:, :, own] = self.head.values(column)
        scores = (self.keys[:, :, attended] * self.head.queries(column)).sum(axis=0)
        return read_values(Softmax(), scores, self.values[:, :, attended])


class _LinearMemory:
    """The hidden state of linear attention."""

    def __init__(self, head: Head) -> None:
        self.head, self.state = head, LinearState.empty()

    def read(self, column: Matrix) -> Matrix:
        key, value = elu_plus_one(self.head.keys(column)), self.head.values(column)
        self.state = self.state.add(key[:, :, 0], value[:, :, 0])
        return self.state.read(elu_plus_one(self.head.queries(column))[:, :, 0])
