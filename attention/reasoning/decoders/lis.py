"""Longest increasing subsequences as networks: numbers in bits, or a class for each number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from samapprox.attention.reasoning.base import BAR, Chain, Task
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.classes import (
    find_greatest,
    find_marks,
    require_classes,
)
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    at_least,
    gate,
    is_zero,
    maximum,
    one_hot,
    spread,
)
from samapprox.attention.reasoning.decoders.program import Program
from samapprox.attention.reasoning.decoders.recall import (
    MOST_LENGTH,
    CopyRecall,
    Recall,
    SparseRecall,
)
from samapprox.attention.reasoning.lis import LongestIncreasingSubsequence


@dataclass(frozen=True, slots=True)
class LisProgram(Program):
    """The longest increasing subsequences of n numbers of at most `greatest`.

    A step needs the greatest dp(i) among all s_i < s_j, of which there may be any number; so the
    programme is none of form (9) of the paper, and Theorems 4.1 and 4.2 do not cover it. Standard
    decoders compare numbers by their bits. Sparse and linear ones have a coordinate for each
    number.
    """

    task: LongestIncreasingSubsequence
    n: int
    greatest: int

    @classmethod
    def for_chain(cls, task: Task, chain: Chain) -> LisProgram:
        """Return the programme for as many numbers, of the range of the task or of the chain."""
        task = cast(LongestIncreasingSubsequence, task)
        numbers = task.read(chain.tokens)[:-1]
        return cls(task, len(numbers), max(task.values, int(numbers.max())))

    @property
    def bits(self) -> int:
        """The number of bits of the greatest number."""
        return self.greatest.bit_length()

    @property
    def length(self) -> int:
        """The number of tokens of a chain."""
        return 2 * self.n + 3

    @property
    def reach(self) -> int:
        """The distance from dp(n) to the first number."""
        return 2 * self.n

    @property
    def bound(self) -> int:
        """A bound on the numbers and on dp."""
        return max(1 << self.bits, self.n)

    def build(self, assembly: Assembly, token: Sequence[Affine], recall: Recall) -> list[Affine]:
        """Add the blocks, and return the parts of the next token; see `Program.build`."""
        sign, _, length, _ = token
        k = assembly.positions[0]
        [real] = assembly.feed(at_least(self.n + 2), [k])  # The token holds some dp(i)
        start, bar, end = (
            assembly.feed(is_zero(), [k - when])[0]
            for when in (self.n + 1, 2 * self.n + 1, 2 * self.n + 2)
        )
        numbers = recall.build(assembly, sign, [k - (self.n + 1), k - self.n])
        if isinstance(recall, CopyRecall):
            best, longest = self._compare_bits(assembly, recall, numbers, length, real, start)
        else:
            require_classes(self.greatest + 1, "numbers")
            own, number = numbers
            [number] = assembly.feed(
                gate(1, recall.largest, 0.5), [number, Affine(constant=0.5) - end]
            )
            assembly.end_block()
            number = number + (self.greatest + 1) * end  # At the end, all dp(i) count
            if isinstance(recall, SparseRecall):
                best = self._read_greatest(assembly, recall, own, number, length)
            else:
                best = self._count_lengths(assembly, own, number, length, real, start)
            longest = best
        table = Affine(constant=0.5) - bar - end
        j, value = assembly.feed(gate(2, self.n + 2, 0.5), [k - self.n, best + 1, table])
        [answer] = assembly.feed(gate(1, self.n + 2, 0.5), [longest, end - 0.5])
        return [BAR * bar, j, value, answer]

    def _compare_bits(
        self,
        assembly: Assembly,
        recall: CopyRecall,
        numbers: Sequence[Affine],
        length: Affine,
        real: Affine,
        start: Affine,
    ) -> tuple[Affine, Affine]:
        """Return the greatest dp(i) of all s_i below a number, and that of all.

        s_i < s_j if and only if, in some place b, s_j has a 1 and s_i a 0, and all higher bits
        agree. For each b, one head finds the greatest dp(i) among these tokens by their bits.
        """
        own_bits, bits = (self._split(assembly, number) for number in numbers)
        signs = [2 * bit - 1 for bit in own_bits]
        signs = assembly.feed(gate(self.bits, 1, 0.5), [*signs, real - 0.5])
        assembly.end_block()
        below = [
            self._longest_below(assembly, recall, place, bits, [*signs, real, start], length)
            for place in range(self.bits)
        ]
        [longest] = recall.copy(assembly, [Affine(constant=1)], [length], [length], self.n)
        assembly.end_block()
        return _greatest(assembly, below), longest

    def _read_greatest(
        self, assembly: Assembly, recall: Recall, own: Affine, number: Affine, length: Affine
    ) -> Affine:
        """Return the greatest dp(i) of all s_i below a number, with sparse attention.

        A token is of the class of every number above its own, and its score is dp(i).
        """
        count = self.greatest + 1
        reached = assembly.feed(at_least(*range(1, count + 1)), [own])
        wanted = assembly.feed(one_hot(count), [number])
        assembly.end_block()
        above = [Affine(constant=1) - one for one in reached]
        lengths = assembly.feed(spread(count, self.n), [length, *above])
        assembly.end_block()
        return find_greatest(
            assembly,
            lengths,
            lengths,
            wanted,
            keys=MOST_LENGTH,
            bound=self.n,
            error=recall.error,
        )

    def _count_lengths(
        self,
        assembly: Assembly,
        own: Affine,
        number: Affine,
        length: Affine,
        real: Affine,
        start: Affine,
    ) -> Affine:
        """Return the greatest dp(i) of all s_i below a number, with linear attention.

        The class of a token is its number, and its mark is dp(i). All lengths up to the greatest
        one occur, so that it is the number of those that occur. The separator is a class of its
        own, which is asked about whatever the number is.
        """
        count = self.greatest + 1
        below = assembly.feed(at_least(*range(1, count + 1)), [number])
        numbers = assembly.feed(one_hot(count), [own + 1])
        marks = assembly.feed(one_hot(min(self.n, count)), [length])
        assembly.end_block()
        numbers = assembly.feed(gate(count, 1, 0.5), [*numbers, real - 0.5])
        assembly.end_block()
        wanted = [Affine(constant=1), *below]
        found = find_marks(assembly, [start, *numbers], wanted, marks, keys=self.length)
        assembly.end_block()
        return sum(found, Affine())

    def _split(self, assembly: Assembly, number: Affine) -> list[Affine]:
        """Return the bits of a number, the highest first: one block for each."""
        bits = []
        for place in reversed(range(self.bits)):
            [bit] = assembly.feed(at_least(2**place), [number])
            assembly.end_block()
            number = number - 2.0**place * bit
            bits.append(bit)
        return bits

    def _longest_below(
        self,
        assembly: Assembly,
        recall: CopyRecall,
        place: int,
        bits: Sequence[Affine],
        key: Sequence[Affine],
        length: Affine,
    ) -> Affine:
        """Return the greatest dp(i) of the s_i that agree with a number down to a 1 of it.

        It is 0 if there is no such number, or if the bit at `place`, from the highest, is 0.

        `key` has the bits of s_i as signs, and indicators of tokens that hold a dp(i) and of the
        last given token. With W = n + 1 and m = place + 2, tokens with all signs wanted score
        W m + dp(i), and all others at most W (m - 2) + n. The last given token, whose dp is 0,
        scores W (m - 1), or W (m + 1) if the bit is 0: in the latter case more than all others.
        """
        weight, features = self.n + 1, place + 2
        wanted = [2 * bit - 1 for bit in bits[:place]]
        rest = [Affine()] * (self.bits - place - 1)
        default = Affine(constant=features + 1) - 2 * bits[place]
        query = [*wanted, Affine(constant=-1), *rest, Affine(constant=1), default]
        [found] = recall.copy(
            assembly,
            [*(weight * entry for entry in query), Affine(constant=1)],
            [*key, length],
            [length],
            self.n,
        )
        return found


def _greatest(assembly: Assembly, numbers: Sequence[Affine]) -> Affine:
    """Return the greatest of some numbers, half as many after each block."""
    while len(numbers) > 1:
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        rest = numbers[len(numbers) // 2 * 2 :]
        numbers = [*(assembly.feed(maximum(), pair)[0] for pair in pairs), *rest]
        assembly.end_block()
    return numbers[0]
