"""Transformers assembled from heads (copies and means of blocks) and small networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import log
from operator import add

import numpy as np

from samapprox.attention.reasoning.decoders.mlp import Affine, Mlp, as_matrix
from samapprox.attention.transformers import FeedForward, Head, gelu
from samapprox.support.arrays import Floats

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

    `scale`: Networks with ReLU become networks with gelu(scale x)/scale (Lemma A.2).
    `d`: The number of coordinates so far. Coordinate 0 is 1 in every token.
    `positions`: The first powers k, k^2, .. of the position k of a token, from 1. They are
    coordinates 1, 2, ..

    Reference: Yang et al. (2024), appendix B.
    """

    def __init__(self, scale: float, powers: int = 0) -> None:
        self.scale = scale
        self.d = 1
        self.positions = self.reserve(powers)
        self._blocks = [_Parts()]

    def reserve(self, count: int) -> list[Affine]:
        """Reserve coordinates, and return the functions that read them."""
        self.d += count
        return [Affine({place: 1.0}) for place in range(self.d - count, self.d)]

    def attend(self, query: Functions, key: Functions, value: Functions) -> list[Affine]:
        """Add a head to the attention layer of this block, and return what it writes.

        The heads of a block read the outputs of earlier blocks, its networks also those of its
        heads.
        """
        parts = self._blocks[-1]
        pending = [head[-1] for head in parts.heads] + [network[-1] for network in parts.networks]
        _require_ready([*query, *key, *value], pending)
        written = self.reserve(len(value))
        self._blocks[-1].heads.append((query, key, value, self._last(written)))
        return written

    def feed(self, network: Mlp, inputs: Functions) -> list[Affine]:
        """Add a network to the feed-forward layer of this block, and return what it writes."""
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
            self._matrix(query), self._matrix(key), self._matrix(value), self._write_to(written)
        )

    def _write_to(self, written: slice) -> Floats:
        """Return the matrix that writes into reserved coordinates."""
        places = range(written.start, written.stop)
        matrix = np.zeros((self.d, len(places)))
        matrix[places, range(len(places))] = 1.0
        return matrix

    def _matrix(self, functions: Functions) -> Floats:
        """Return the matrix of functions, whose constants multiply coordinate 0."""
        matrix, constants = as_matrix(functions, self.d)
        matrix[:, 0] += constants
        return matrix

    def _build_feed_forward(self, networks: Sequence[tuple[Mlp, Functions, slice]]) -> FeedForward:
        wired = [
            network.read(*as_matrix(inputs, self.d)).write(self._write_to(written))
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


def average_block(
    assembly: Assembly,
    block: Sequence[Affine],
    values: Sequence[Affine],
    *,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of softmax attention that averages over the tokens so far of the own block.

    See `copy_latest` for the parameters. This is the second layer of Lemma A.12.

    The paper averages over the last B tokens alike. But in Eq. 6, a token also attends to the ends
    of all earlier blocks, so the query must ask for the block.
    """
    gap = copying_gap(len(block) ** 2, bound, error)
    return assembly.attend([gap * entry for entry in block], block, values)


def copy_latest(
    assembly: Assembly,
    target: Sequence[Affine],
    block: Sequence[Affine],
    offset: Affine,
    values: Sequence[Affine],
    *,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of softmax attention that copies the latest token of a block that it attends to.

    `target` and `block` are the unit vectors of the block that a token asks for, and of its own;
    `offset` is the place of a token in its block, from 1. `bound` bounds the absolute values of
    `values`, and `error` the difference from the values of the token.

    The block's score B + 1 and the offset's 1, .., B are both multiplied by `copying_gap`: all
    tokens of other blocks, and earlier ones of this block, score less by at least this gap.

    Reference: Yang et al. (2024), Lemmas A.11 and A.12.
    """
    gap = copying_gap(len(block) ** 2, bound, error)
    query = [gap * (len(block) + 1) * entry for entry in target]
    return assembly.attend([*query, Affine(constant=gap)], [*block, offset], values)


def copy_best(
    assembly: Assembly,
    query: Functions,
    key: Functions,
    values: Functions,
    *,
    keys: int,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of softmax attention that copies the token with the greatest score (COPY).

    Scores are products of `query` and `key`. Those of the best token and of all others differ by at
    least 1; tokens with equal scores may share the best one if their values are equal. `keys`
    bounds the number of tokens, `bound` the absolute values of `values`, and `error` the difference
    from the values of the token.

    Reference: Yang et al. (2024), Lemma A.11.
    """
    gap = copying_gap(keys, bound, error)
    return assembly.attend([gap * entry for entry in query], key, values)


def copying_gap(keys: int, bound: float, error: float) -> float:
    """Return a gap of scores with which softmax differs by at most `error` from the best values.

    Of at most `keys` keys, each that scores less by the gap has at most exp(-gap) of the best one's
    weight, and changes values of at most `bound` by twice as much.
    """
    return log(2 * bound * keys / error)


def aggregate(
    assembly: Assembly,
    target: Sequence[Affine],
    block: Sequence[Affine],
    values: Sequence[Affine],
    *,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of linear attention that averages over the tokens so far of a block (AGG).

    `target` and `block` are the unit vectors of the block that a token asks for, and of its own.
    `bound` bounds the absolute values of `values`, and `error` the difference from the mean. If the
    block has no token so far, the results are some numbers of at most `bound`.

    Queries are mu e_q - mu and keys mu e_k - mu, in m dimensions. With phi = elu + 1, their product
    is 1 + (m - 1) exp(-2 mu) if q = k, where the paper prints exp(-mu), and 2 exp(-mu) + (m - 2)
    exp(-2 mu) otherwise.

    Reference: Yang et al. (2024), Lemma A.9.
    """
    mu = aggregation_scale(len(block), bound, error)
    query, key = ([mu * entry - mu for entry in vector] for vector in (target, block))
    return assembly.attend(query, key, values)


def aggregation_scale(m: int, bound: float, error: float) -> float:
    """Return the mu of `aggregate` for m blocks of at most m tokens."""
    return log(2 * bound * m**3 / error)
