"""Chains of thought, reasoning tasks, and the tokens that each token needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph, check_edges, check_tokens
from samapprox.errors import InputError
from samapprox.support.parameters import random_stream, require

BAR = -1
"""The input part of a separator: ``|``, in equations ``=``."""

COMMA = -2
"""The input part of the separator that ends a row of a table: ``,``."""

MOST_TOKENS = 1 << 22
"""Most tokens of a chain."""

MOST_NEEDS = 1 << 25
"""Most edges of the needs of a chain: as JSON, they take some 200 MB."""

_BATCH = 256  # instances that are solved at once, fewer if they are long

Token = tuple[int, ...]
"""The parts of a token."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """An instance and its solution as one sequence of tokens.

    Attributes
    ----------
    tokens : ndarray of int64, shape (L, parts)
        The parts of every token, as in Equation (10) of Yang et al. (2024): input, state (one or
        more columns), value and answer; 0 where a part is not defined. The input part of a
        separator is `BAR` or `COMMA`.
    given : int
        The first tokens, which are the input of the model, with its separators. The others are
        generated one after the other.
    needs : AttentionGraph
        An edge (i, j), j < i, means that token i is computed from token j. Given tokens need none.
    answer : int
        The answer part of the last token.

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 2], [0, 1])
    >>> chain = Chain(np.array([[3], [4], [7]]), given=2, needs=needs, answer=7)
    >>> len(chain), chain.needs.keys(2).tolist()
    (3, [0, 1])
    """

    tokens: NDArray[np.int64]
    given: int
    needs: AttentionGraph
    answer: int

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class Step:
    """The computation of one token from those that it needs."""

    needs: tuple[int, ...]  # Positions of earlier tokens, ascending
    # Takes the tokens at these positions, in this order, and returns the token.
    rule: Callable[[Sequence[Token]], Token]


@dataclass(frozen=True, slots=True)
class Task(ABC):
    """A reasoning task with its parameters: instances, chains of thought, and single steps.

    A new task is a frozen dataclass in a module of its own, whose fields are the parameters, and
    one line in `TASKS`.

    `solve` writes whole chains, for many instances at once. `steps` computes one token at a time
    from the tokens that it needs; `samapprox.attention.reasoning.replay` compares the two. They
    share what defines the task, such as the order of its states, but not the computation.
    """

    name: ClassVar[str]
    """The key in `TASKS`."""

    parts: ClassVar[tuple[str, ...]]
    """Names of the columns of `Chain.tokens`: the first is input, the last two value and answer."""

    separators: ClassVar[int] = 1
    """Number of separators `BAR` in the input; the last of them ends it."""

    sizes: ClassVar[tuple[int, ...]] = ()
    """The sizes that Yang et al. (2024) measured."""

    # ---------------------------------------------------------------- each task's own

    @abstractmethod
    def longest(self, size: int) -> int:
        """Return the number of tokens of the longest chain of a random instance of this size."""

    @abstractmethod
    def draw(self, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
        """Draw a random input of this size: the input parts of the given tokens."""

    @abstractmethod
    def parse(self, text: str) -> NDArray[np.int64]:
        """Read an input that a user wrote.

        Raises
        ------
        InputError
            The text is no input of the task.
        """

    @abstractmethod
    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse input parts that are no instance.

        Parameters
        ----------
        inputs : ndarray of int64, shape (given,)
            With `separators` separators, of which the last one ends it.

        Raises
        ------
        InputError
            The parts are no instance, or one whose chain is too long.
        """

    @abstractmethod
    def solve(self, inputs: Sequence[NDArray[np.int64]]) -> list[Chain]:
        """Write the chains of valid inputs."""

    @abstractmethod
    def steps(self, tokens: Sequence[Token]) -> Iterator[Step]:
        """Yield one step for each generated token of a chain, in order.

        Parameters
        ----------
        tokens : sequence of Token
            The given tokens are valid. Steps may look at earlier tokens only to find the positions
            that they need; the caller compares a token with its step before it asks for the next.
        """

    @abstractmethod
    def words(self, tokens: NDArray[np.int64]) -> list[str]:
        """Write every token as a short word, as users read it."""

    # ---------------------------------------------------------------- common to all

    @property
    def parameters(self) -> dict[str, int | str]:
        """The parameters by name."""
        return asdict(self)

    def generate(self, size: int, seed: int = 0, count: int = 1) -> Iterator[Chain]:
        """Generate random instances with their chains, the same on every machine.

        Parameters
        ----------
        size : int
            Of the input: numbers, letters of the first string, operators, or tape cells.
        seed : int
            Of the first instance; the others have the numbers that follow.
        count : int
            How many instances.

        Raises
        ------
        InputError
            A size, seed or count out of range.

        Examples
        --------
        >>> from samapprox.attention.reasoning.lis import LongestIncreasingSubsequence
        >>> [chain] = LongestIncreasingSubsequence().generate(40, seed=7)
        >>> len(chain)
        83
        """
        require(size >= 1, f"the size must be at least 1, not {size}")
        require(count >= 1, f"the number of instances must be at least 1, not {count}")
        self.check_size(size)
        random_stream(seed)
        random_stream(seed + count - 1)
        batch = max(1, min(_BATCH, MOST_TOKENS // self.longest(size)))
        for first in range(seed, seed + count, batch):
            seeds = range(first, min(first + batch, seed + count))
            yield from self.solve([self.draw(size, random_stream(one)) for one in seeds])

    def chain(self, inputs: Any) -> Chain:
        """Return the chain of one input, after a check.

        Parameters
        ----------
        inputs : array_like of int, shape (given,)
            As from `parse`.

        Raises
        ------
        InputError
            As from `check`.
        """
        values = np.array(inputs, dtype=np.int64)
        self.check(values)
        return self.solve([values])[0]

    def read(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the input that begins a sequence of tokens, after a check.

        Raises
        ------
        InputError
            The tokens have other parts, no separator ends the input, a given token has parts beside
            its input, or the input is no instance.
        """
        if tokens.ndim != 2 or tokens.shape[1] != len(self.parts):
            raise InputError(f"each token must have the parts {', '.join(self.parts)}")
        ends = np.flatnonzero(tokens[:, 0] == BAR)
        if len(ends) < self.separators:
            raise InputError(
                f"the input has {len(ends)} separators ({BAR}); {self.separators} must be there"
            )
        given = tokens[: ends[self.separators - 1] + 1]
        loose = np.flatnonzero(given[:, 1:].any(axis=1))
        if loose.size:
            raise InputError(
                f"token {loose[0]}: all parts of a given token but the first must be 0"
            )
        self.check(given[:, 0])
        return given[:, 0]

    def check_size(self, size: int) -> None:
        """Refuse a size whose chains are too long, before anything is allocated.

        Raises
        ------
        InputError
            The longest chain has too many tokens or needs.
        """
        self.check_length(self.longest(size))

    def check_length(self, tokens: int) -> None:
        """Refuse chains of so many tokens, or with too many needs, before anything is allocated.

        Raises
        ------
        InputError
            There are too many tokens, or perhaps too many needs.
        """
        needs = self.most_edges(tokens)
        for what, count, most in (("tokens", tokens, MOST_TOKENS), ("needs", needs, MOST_NEEDS)):
            if count > most:
                raise InputError(
                    f"the chain has up to {count} {what}; at most {most} are written: give a "
                    "smaller instance"
                )

    def most_edges(self, tokens: int) -> int:
        """Return a bound on the edges of `Chain.needs` for chains of so many tokens."""
        return 6 * tokens

    def write_tokens(
        self, inputs: NDArray[np.int64], length: int, instances: int
    ) -> NDArray[np.int64]:
        """Return tokens that hold the inputs and are 0 elsewhere.

        Parameters
        ----------
        inputs : ndarray of int64, shape (instances, given)
            The given tokens of each instance.
        length, instances : int
            The number of tokens of a chain, and of chains.

        Returns
        -------
        ndarray of int64, shape (instances, length, parts)
        """
        tokens = np.zeros((instances, length, len(self.parts)), dtype=np.int64)
        tokens[:, : inputs.shape[1], 0] = inputs
        return tokens


def make_chains(
    tokens: NDArray[np.int64], given: int, needs: AttentionGraph, answers: NDArray[np.int64]
) -> list[Chain]:
    """Make the chains of instances that share their needs; `tokens` has one after the other."""
    return [
        Chain(own, given, needs, answer)
        for own, answer in zip(tokens, answers.tolist(), strict=True)
    ]


def equal_lengths(
    inputs: Sequence[NDArray[np.int64]],
    solve: Callable[[NDArray[np.int64]], list[Chain]],
    shape: Callable[[NDArray[np.int64]], object] = len,
) -> list[Chain]:
    """Solve inputs of the same shape together, and return the chains in the order of the inputs."""
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for place, one in enumerate(inputs):
        groups[shape(one)].append(place)
    chains: dict[int, Chain] = {}
    for places in groups.values():
        solved = solve(np.stack([inputs[place] for place in places]))
        chains.update(zip(places, solved, strict=True))
    return [chains[place] for place in range(len(inputs))]


def needs_graph(needs: Sequence[Sequence[int]]) -> AttentionGraph:
    """Return the graph in which token i needs the tokens ``needs[i]``, all of them before i."""
    check_tokens(len(needs))
    check_edges(sum(map(len, needs)))
    for token, keys in enumerate(needs):
        if not keys:
            continue
        late = next((key for key in keys if not 0 <= key < token), None)
        if late is not None:
            raise InputError(
                f"token {token} needs token {late}, which does not come before it (a cycle or a "
                "forward edge); a token needs earlier tokens only"
            )
        if any(one >= other for one, other in pairwise(keys)):
            raise InputError(f"the needs of token {token} must ascend, each named once")
    return graph_of_lists(needs)


def graph_of_lists(needs: Sequence[Sequence[int]]) -> AttentionGraph:
    """Return the same graph, without a check."""
    indptr = np.zeros(len(needs) + 1, dtype=np.int64)
    np.cumsum([len(keys) for keys in needs], out=indptr[1:])
    indices = np.fromiter((key for keys in needs for key in keys), np.int32, int(indptr[-1]))
    return AttentionGraph(indptr, indices)


def list_needs(graph: AttentionGraph) -> list[list[int]]:
    """Return the needs of each token as a list; `needs_graph` takes them back."""
    keys = graph.indices.tolist()
    return [keys[start:end] for start, end in pairwise(graph.indptr.tolist())]
