"""Reading earlier tokens by their positions, with standard, sparse or linear attention."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import ClassVar

from samapprox.attention.reasoning.decoders.assembly import (
    Assembly,
    Functions,
    aggregate,
    average_block,
    copy_best,
    copy_latest,
)
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    block_and_offset,
    one_hot,
    pick,
    product,
    selection,
    spread,
)
from samapprox.support.parameters import require

MOST_LENGTH = 4096
"""Most tokens of a chain: the weights take some 30 kilobytes for each, and their number is O(L)."""

MOST_SIDE = 2 * isqrt(MOST_LENGTH)
"""Most tokens of a block that is spread: the weights take some 50 kilobytes for each, times the
side.
"""


@dataclass(frozen=True, slots=True)
class Recall(ABC):
    """Blocks that read the contents of earlier tokens, given their positions 1, 2, ..."""

    powers: ClassVar[int] = 1
    """The powers of its position that every token has."""

    masked: ClassVar[bool] = True
    """Whether the heads attend by softmax to the tokens of a block-sparse mask (Eq. 6 with
    k = c = 1). Otherwise, they are heads of linear attention.
    """

    side: int  # Tokens of a block of the mask
    bound: float  # A bound on the absolute values of contents
    error: float  # A bound on the error of what is read

    @classmethod
    @abstractmethod
    def choose_side(cls, side: int | None, *, length: int, reach: int) -> int:
        """Return the side, or the default if it is None, for chains of at most `length` tokens.

        `reach` bounds the distance from a token to those that it needs.

        Raises
        ------
        InputError
            A side out of range.
        """

    @abstractmethod
    def build(
        self, assembly: Assembly, content: Affine, addresses: Sequence[Affine]
    ) -> list[Affine]:
        """Add the blocks, and return what is read at every address.

        An address where no token is yields some number of at most `largest`.
        """

    @property
    @abstractmethod
    def largest(self) -> float:
        """A bound on the absolute value of what is read, whatever the address."""


class CopyRecall(Recall):
    """One head of softmax attention for each address: a standard transformer (Theorem 4.1).

    The token at position k scores 2 t k - k^2 = t^2 - (t - k)^2 for the address t, so that the
    token there scores best, and all others less by at least 1. Softmax then copies its content
    (COPY, Lemma A.11). The width does not depend on the length.

    The mask has one block, so that every token attends to all before it.
    """

    __slots__ = ()

    powers: ClassVar[int] = 2

    @classmethod
    def choose_side(cls, side: int | None, *, length: int, reach: int) -> int:  # noqa: ARG003
        """Return the length, so that the mask has one block."""
        require(side is None, "a standard decoder has no blocks; leave out the side")
        return length

    def build(
        self, assembly: Assembly, content: Affine, addresses: Sequence[Affine]
    ) -> list[Affine]:
        """Add the heads; see `Recall.build`."""
        k, square = assembly.positions
        found = [
            self.copy(assembly, [2 * t, Affine(constant=-1)], [k, square], [content])[0]
            for t in addresses
        ]
        assembly.end_block()
        return found

    def copy(
        self,
        assembly: Assembly,
        query: Sequence[Affine],
        key: Sequence[Affine],
        values: Sequence[Affine],
        bound: float | None = None,
    ) -> list[Affine]:
        """Add one more head: `copy_best` with the precision of what is read."""
        bound = self.bound if bound is None else bound
        return copy_best(
            assembly, query, key, values, keys=MOST_LENGTH, bound=bound, error=self.error
        )

    @property
    def largest(self) -> float:
        """The bound on contents: what is read is a mean of them."""
        return self.bound


class LocalRecall(CopyRecall):
    """The same heads with a block-sparse mask, whose blocks are as long as needs reach.

    Every token that is needed is then among those of the last block.

    Reference: Yang et al. (2024), Propositions 5.1 and 5.4.
    """

    __slots__ = ()

    @classmethod
    def choose_side(cls, side: int | None, *, length: int, reach: int) -> int:
        """Return the reach by default."""
        side = max(2, reach) if side is None else side
        require(2 <= side <= length, f"the side of a block must be in 2..{length}, not {side}")
        return side


@dataclass(frozen=True, slots=True)
class BlockRecall(Recall):
    """Recall of width O(sqrt(length)).

    The tokens are divided into blocks of `side`. Every token spreads its content: into the r-th of
    `side` coordinates if it is the r-th of its block. The mean over a block so far then holds all
    contents of the block, each divided by their number. A network picks the wanted one, and the
    product with the number undoes the division.

    Picking before multiplying needs one product for each position, where step 2 of the paper
    multiplies whole vectors. Positions out of range give some number of at most bound times side in
    absolute value.

    The side is also the largest number of blocks: the paper's W and B.

    Reference: Yang et al. (2024), Theorems B.3 and B.4.
    """

    @classmethod
    def choose_side(cls, side: int | None, *, length: int, reach: int) -> int:  # noqa: ARG003
        """Return the root of the length, rounded up, by default."""
        side = isqrt(length - 1) + 1 if side is None else side
        most = min(length, MOST_SIDE)
        require(2 <= side <= most, f"the side of a block must be in 2..{most}, not {side}")
        return side

    def build(
        self, assembly: Assembly, content: Affine, addresses: Sequence[Affine]
    ) -> list[Affine]:
        """Add the blocks; see `Recall.build`."""
        positions = [assembly.positions[0], *addresses]
        places = [Place.locate(assembly, self.side, x) for x in positions]
        assembly.end_block()
        places = [place.mark(assembly, self.side) for place in places]
        own, targets = places[0], places[1:]
        assembly.end_block()
        contents = assembly.feed(spread(self.side, self.bound), [content, *own.offset_vector])
        assembly.end_block()
        means = self._read(assembly, own, targets, contents)
        shares = [
            assembly.feed(pick(self.side, self.bound), [*mean.entries, *target.offset_vector])[0]
            for mean, target in zip(means, targets, strict=True)
        ]
        assembly.end_block()
        multiply = product(self.bound + self.side + 1, self.error / 2)
        found = [
            assembly.feed(multiply, [share, mean.count])[0]
            for share, mean in zip(shares, means, strict=True)
        ]
        assembly.end_block()
        return found

    @property
    def largest(self) -> float:
        """A bound on the absolute value of what is read, whatever the address."""
        return self.bound * self.side + self.error

    @property
    def _share(self) -> float:
        """The error of a mean, or of a count: half of the error is left to the product."""
        return self.error / (8 * (self.bound + self.side))

    @abstractmethod
    def _read(
        self, assembly: Assembly, own: Place, targets: Sequence[Place], contents: Functions
    ) -> list[_Mean]:
        """Read the mean over every target's block, from its first token to the present one."""


@dataclass(frozen=True, slots=True)
class LinearRecall(BlockRecall):
    """One layer of linear attention with a head for each position (Lemma A.9).

    The number of tokens is `side`, or the place of the present token if the block is its own. The
    paper's normaliser of an unfinished block, 1/(i - ceil(t/W) (W - 1)), is right in block W only;
    it must be 1/(i - (ceil(t/W) - 1) W).
    """

    masked: ClassVar[bool] = False

    def _read(
        self, assembly: Assembly, own: Place, targets: Sequence[Place], contents: Functions
    ) -> list[_Mean]:
        means = []
        for target in targets:
            entries = aggregate(
                assembly,
                target.block_vector,
                own.block_vector,
                contents,
                bound=self.bound,
                error=self._share,
            )
            inputs = [own.offset, Affine(constant=self.side), target.block - own.block + 0.5]
            means.append(_Mean(entries, *assembly.feed(selection(1, self.side, 0.5), inputs)))
        return means


@dataclass(frozen=True, slots=True)
class SparseRecall(BlockRecall):
    """Two layers of block-sparse attention, Eq. 6 with k = c = 1 (Lemma A.12, corrected).

    In the first, every token averages over its own block so far. In the second, it copies the
    average of the latest token of the target's block: the last one of the block, which all later
    tokens attend to, or itself.

    The number of tokens is the place of the token that is copied.
    """

    def _read(
        self, assembly: Assembly, own: Place, targets: Sequence[Place], contents: Functions
    ) -> list[_Mean]:
        precision = {"bound": max(self.bound, self.side), "error": self._share}
        block, offset = own.block_vector, own.offset
        entries = average_block(assembly, block, contents, **precision)
        assembly.end_block()
        values, means = [*entries, offset], []
        for target in targets:
            copied = copy_latest(assembly, target.block_vector, block, offset, values, **precision)
            means.append(_Mean(copied[:-1], copied[-1]))
        return means


@dataclass(frozen=True, slots=True)
class _Mean:
    """The mean of the contents of a block so far, and the number of its tokens so far."""

    entries: Sequence[Affine]
    count: Affine


@dataclass(frozen=True, slots=True)
class Place:
    """The block and the place in it of some position: as numbers and, later, as unit vectors."""

    block: Affine
    offset: Affine
    block_vector: Sequence[Affine] = ()
    offset_vector: Sequence[Affine] = ()

    @classmethod
    def locate(cls, assembly: Assembly, side: int, position: Affine) -> Place:
        """Return the block and the place in it, as numbers."""
        block, _, offset = assembly.feed(block_and_offset(side), [position])
        return cls(block, offset)

    def mark(self, assembly: Assembly, side: int) -> Place:
        """Return the same with unit vectors."""
        block, offset = (assembly.feed(one_hot(side), [x]) for x in (self.block, self.offset))
        return Place(self.block, self.offset, block, offset)
