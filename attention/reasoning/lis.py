"""The longest increasing subsequence of a sequence of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.base import (
    BAR,
    Chain,
    Step,
    Task,
    Token,
    equal_lengths,
    make_chains,
)
from samapprox.errors import InputError
from samapprox.support.parameters import require

MOST_VALUE = 10**9
"""The largest number of an input."""


@dataclass(frozen=True, slots=True)
class LongestIncreasingSubsequence(Task):
    """The length of the longest strictly increasing subsequence of n numbers.

    dp(j) = 1 + max(0, dp(i) for i < j with s_i < s_j), and the answer is max dp(j). The tokens are
    s_1 .. s_n, ``|``, dp(1) .. dp(n), ``|``, the answer: 2 n + 3.

    Parameters
    ----------
    values : int
        Random numbers are in 1..values.

    Notes
    -----
    dp(j) needs s_1 .. s_j and dp(1) .. dp(j - 1). Random inputs hold a sorted sample of random
    size, since the answers of uniform inputs are nearly all the same.

    References
    ----------
    Feng et al. (2023), "Towards revealing the mystery behind chain of thought"; Yang et al. (2024),
    Section 6.1.

    Examples
    --------
    >>> task = LongestIncreasingSubsequence()
    >>> chain = task.chain(task.parse("3 1 4 1 5"))
    >>> " ".join(task.words(chain.tokens)), chain.answer
    ('3 1 4 1 5 | 1 1 2 1 3 | 3', 3)
    >>> [task.longest(n) for n in task.sizes]
    [83, 223, 353, 503]
    """

    name: ClassVar[str] = "lis"
    parts: ClassVar[tuple[str, ...]] = ("input", "j", "value", "answer")
    sizes: ClassVar[tuple[int, ...]] = (40, 110, 175, 250)

    values: int = 150

    def __post_init__(self) -> None:
        require(
            1 <= self.values <= MOST_VALUE, f"values must be in 1..{MOST_VALUE}, not {self.values}"
        )

    def longest(self, size: int) -> int:
        """Return 2 n + 3."""
        return 2 * size + 3

    def most_edges(self, tokens: int) -> int:
        """Return the number of edges, n^2 + n."""
        n = (tokens - 3) // 2
        return n * n + n

    def draw(self, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
        """Draw uniform numbers, and sort those at a random number of random places."""
        inputs = np.empty(size + 1, dtype=np.int64)
        inputs[:size] = rng.randint(1, self.values + 1, size=size, dtype=np.int64)
        inputs[size] = BAR
        places = np.sort(rng.permutation(size)[: rng.randint(0, size + 1, dtype=np.int64)])
        inputs[places] = np.sort(inputs[places])
        return inputs

    def parse(self, text: str) -> NDArray[np.int64]:
        """Read numbers with spaces or commas between them."""
        numbers = text.replace(",", " ").split()
        for place, number in enumerate(numbers):
            if not (number.isascii() and number.isdigit() and len(number) <= 10):
                raise InputError(
                    f"number {place} must be a whole number in 0..{MOST_VALUE}, not {number[:40]!r}"
                )
        inputs = np.array([*map(int, numbers), BAR], dtype=np.int64)
        self.check(inputs)
        return inputs

    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse an empty sequence, and numbers out of range."""
        if len(inputs) < 2:
            raise InputError("the sequence is empty; give at least one number")
        numbers = inputs[:-1]
        wrong = np.flatnonzero((numbers < 0) | (numbers > MOST_VALUE))
        if wrong.size:
            raise InputError(
                f"number {wrong[0]} must be in 0..{MOST_VALUE}, not {numbers[wrong[0]]}"
            )
        if inputs[-1] != BAR:
            raise InputError(f"the input must end with the separator {BAR}")
        self.check_size(len(numbers))

    def solve(self, inputs: Sequence[NDArray[np.int64]]) -> list[Chain]:
        """Write the chains, all of one length at once: O(n^2) numpy operations an instance."""
        return equal_lengths(inputs, self._solve_block)

    def _solve_block(self, inputs: NDArray[np.int64]) -> list[Chain]:
        instances, given = inputs.shape
        n = given - 1
        lengths = increasing_lengths(inputs[:, :n])
        answers = lengths.max(axis=1)
        tokens = self.write_tokens(inputs, 2 * n + 3, instances)
        tokens[:, given : given + n, 1] = np.arange(1, n + 1)
        tokens[:, given : given + n, 2] = lengths
        tokens[:, -2, 0] = BAR
        tokens[:, -1, 3] = answers
        return make_chains(tokens, given, _needs(n), answers)

    def steps(self, tokens: Sequence[Token]) -> Iterator[Step]:
        """Yield the steps: dp(1) .. dp(n), the separator, the answer."""
        n = next(i for i, token in enumerate(tokens) if token[0] == BAR)
        first = n + 1
        for j in range(n):
            yield Step((*range(j + 1), *range(first, first + j)), partial(_write_length, j))
        yield Step((), lambda _: (BAR, 0, 0, 0))
        yield Step(
            tuple(range(first, first + n)),
            lambda seen: (0, 0, 0, max(token[2] for token in seen)),
        )

    def words(self, tokens: NDArray[np.int64]) -> list[str]:
        """Write numbers, with | as the separator."""
        return [
            "|" if number == BAR else str(number + value + answer)  # two of them are 0
            for number, _, value, answer in tokens.tolist()
        ]


def increasing_lengths(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return dp(j) for every j: the longest increasing subsequence that ends at the j-th number."""
    columns = np.ascontiguousarray(numbers.T)
    lengths = np.ones(columns.shape, dtype=np.int32)
    for j in range(1, len(columns)):
        lengths[j] += np.where(columns[:j] < columns[j], lengths[:j], 0).max(axis=0)
    return lengths.T.astype(np.int64)


def _write_length(j: int, seen: Sequence[Token]) -> Token:
    """Return the token of dp(j + 1) from those of s_1 .. s_(j + 1) and of dp(1) .. dp(j)."""
    last = seen[j][0]
    pairs = zip(seen[:j], seen[j + 1 :], strict=True)
    best = max((length[2] for number, length in pairs if number[0] < last), default=0)
    return 0, j + 1, best + 1, 0


@lru_cache(maxsize=16)
def _needs(n: int) -> AttentionGraph:
    """Return the needs of all sequences of n numbers."""
    first = n + 1
    keys = [np.r_[: j + 1, first : first + j] for j in range(n)]
    keys.append(np.arange(first, first + n))
    indptr = np.cumsum([0] * (first + 1) + [2 * j + 1 for j in range(n)] + [0, n])
    return AttentionGraph(indptr, np.concatenate(keys).astype(np.int32))
