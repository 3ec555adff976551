"""Generation of tokens by a decoder, one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.decoders.decoder import Decoder
from samapprox.attention.transformers import Head, LinearState, elu_plus_one
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.head import read_values
from samapprox.attention.transformers.maps import Softmax

__all__ = ["Generation", "generate"]


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
    progress: Callable[[int, int], None] | None = None,
) -> Generation:
    """Generate all tokens after the given ones, each from the tokens before it.

    Parameters
    ----------
    decoder : Decoder
    inputs : ndarray of int64, shape (inputs, given, parts)
        The given tokens of several instances.
    progress : callable, optional
        Takes the number of tokens that are there, and L.

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
    >>> from samapprox.attention.reasoning.decoders.known_programs import make_program
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
    streams = _Streams(decoder, instances)
    tokens = np.zeros((instances, decoder.length, parts), dtype=np.int64)
    tokens[:, :given] = inputs
    outputs = tokens.astype(np.float64)
    with threadpool_limits(1, user_api="blas"):  # the products are small
        for k in range(decoder.length - 1):
            state = streams.step(tokens[:, [k]], k)
            if k + 1 >= given:
                outputs[:, k + 1] = (decoder.projection @ state).T
                tokens[:, k + 1] = np.rint(outputs[:, k + 1])
            if progress is not None:
                progress(k + 2, decoder.length)
    return Generation(tokens, outputs)


class _Streams:
    """The blocks of a decoder, with what their heads keep of the tokens so far."""

    def __init__(self, decoder: Decoder, instances: int) -> None:
        def remember(head: Head) -> _Memory:
            if decoder.graph is None:
                return _LinearMemory()
            return _SparseMemory(head, decoder.graph, instances)

        self.decoder = decoder
        self.memories = [[remember(head) for head in block.heads] for block in decoder.blocks]

    def step(self, tokens: NDArray[np.int64], k: int) -> Matrix:
        """Pass the k-th token of every instance through the blocks, to its state (D, instances)."""
        column = self.decoder.embed(tokens).transpose(1, 0, 2)
        column = column + self.decoder.positions[:, None, [k]]
        for block, memories in zip(self.decoder.blocks, self.memories, strict=True):
            written = column
            for head, memory in zip(block.heads, memories, strict=True):
                read = memory.read(head, column).astype(column.dtype)
                written = written + head.write(read[:, :, None])
            column = block.feed_forward.apply(written)
        return np.asarray(column[:, :, 0])


class _Memory(ABC):
    """The state that a head keeps of earlier tokens."""

    @abstractmethod
    def read(self, head: Head, column: Matrix) -> Matrix:
        """Return what the next token reads, shape (v, instances), and keep what it adds."""


class _SparseMemory(_Memory):
    """All keys and values."""

    def __init__(self, head: Head, graph: AttentionGraph, instances: int) -> None:
        self.graph = graph
        self.tokens = 0
        self.keys, self.values = (
            np.zeros((len(matrix), instances, graph.n), dtype=matrix.dtype)
            for matrix in (head.key, head.value)
        )

    def read(self, head: Head, column: Matrix) -> Matrix:
        own, attended = [self.tokens], self.graph.keys(self.tokens)
        self.tokens += 1
        self.keys[:, :, own], self.values[:, :, own] = head.keys(column), head.values(column)
        scores = (self.keys[:, :, attended] * head.queries(column)).sum(axis=0)
        return read_values(Softmax(), scores, self.values[:, :, attended])


class _LinearMemory(_Memory):
    """The hidden state of linear attention."""

    def __init__(self) -> None:
        self.state = LinearState.empty()

    def read(self, head: Head, column: Matrix) -> Matrix:
        query, key, value = (
            part[:, :, 0]
            for part in (
                elu_plus_one(head.queries(column)),
                elu_plus_one(head.keys(column)),
                head.values(column),
            )
        )
        self.state = self.state.add(key, value)
        return self.state.read(query)
