"""The edit distance of two strings, and the same within a band around the diagonal."""

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
    COMMA,
    MOST_TOKENS,
    Chain,
    Step,
    Task,
    Token,
    equal_lengths,
    graph_of_lists,
    make_chains,
)
from samapprox.errors import InputError
from samapprox.support.parameters import require

MOST_COST = 1000
"""The largest cost of an edit."""

LETTERS = 26

State = tuple[int, int]
"""(i, j): the first i letters of the first string, and the first j letters of the second one."""


@dataclass(frozen=True, slots=True)
class EditDistance(Task):
    """The least cost of edits that turn one string into another.

    dp(i, j) is the least of dp(i - 1, j) + delete, dp(i, j - 1) + insert and dp(i - 1, j - 1),
    the latter plus replace unless the letters i and j are equal; dp(i, 0) = i delete and
    dp(0, j) = j insert follow from the state alone. The tokens are the letters of the first
    string (a = 1, .. z = 26), ``|``, those of the second one, ``|``, the rows i = 1, 2, .. of
    the table, each ended by ``,``, then ``|`` and the answer. For strings of a and b letters this
    is a + b + a (b + 1) + 4, so (n + 2)(n + 3) for a = n and b = n + 2.

    Parameters
    ----------
    insert, delete, replace : int
        Costs of the edits.
    letters : int
        Random strings have the first letters of the alphabet, so many.

    Notes
    -----
    The state part of ``,`` in row i is (i, b + 1). A token needs the letters i and j and the
    tokens of dp(i - 1, j - 1), dp(i - 1, j) and dp(i, j - 1) that exist. In random inputs, the
    second string has two letters more than the first, and shares a random number of letters with
    it, in the same order.

    References
    ----------
    Feng et al. (2023), "Towards revealing the mystery behind chain of thought"; Yang et al. (2024),
    Section 6.1.

    Examples
    --------
    >>> task = EditDistance()
    >>> chain = task.chain(task.parse("ab abc"))
    >>> " ".join(task.words(chain.tokens)), chain.answer
    ('a b | a b c | 0 2 4 , 2 0 2 , | 2', 2)
    >>> [task.longest(n) for n in task.sizes]
    [72, 210, 342, 506]
    """

    name: ClassVar[str] = "edit-distance"
    parts: ClassVar[tuple[str, ...]] = ("input", "i", "j", "value", "answer")
    separators: ClassVar[int] = 2
    sizes: ClassVar[tuple[int, ...]] = (6, 12, 16, 20)

    insert: int = 2
    delete: int = 2
    replace: int = 3
    letters: int = 8

    def __post_init__(self) -> None:
        for edit in ("insert", "delete", "replace"):
            cost = getattr(self, edit)
            require(0 <= cost <= MOST_COST, f"{edit} must be in 0..{MOST_COST}, not {cost}")
        require(
            1 <= self.letters <= LETTERS, f"letters must be in 1..{LETTERS}, not {self.letters}"
        )

    # ---------------------------------------------------------------- states

    @property
    def reach(self) -> int:
        """The greatest |i - j| of a state: as far as strings go."""
        return MOST_TOKENS

    def inside(self, i: int, j: int) -> bool:
        """Return whether the task has the state (i, j), 0 included."""
        return abs(i - j) <= self.reach

    def columns(self, i: int, b: int) -> range:
        """Return the columns j >= 1 of row i, for a second string of b letters."""
        return range(max(1, i - self.reach), min(b, i + self.reach) + 1)

    def count_entries(self, a: int, b: int) -> int:
        """Return the number of states (i, j) with i, j >= 1, without a loop over them."""
        return a * b

    def states(self, a: int, b: int) -> list[State]:
        """Return the states of the table in order; (i, b + 1) is ``,``."""
        return [(i, j) for i in range(1, a + 1) for j in (*self.columns(i, b), b + 1)]

    def second_length(self, size: int) -> int:
        """Return the length of the second string of random inputs: two letters more, or fewer."""
        return size + min(2, self.reach)

    # ---------------------------------------------------------------- inputs

    def longest(self, size: int) -> int:
        """Return the number of tokens for strings of n and n + 2 letters: (n + 2)(n + 3)."""
        return self._length(size, self.second_length(size))

    def draw(self, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
        """Draw uniform strings, and copy a random number of letters in order."""
        b = self.second_length(size)
        inputs = rng.randint(1, self.letters + 1, size=size + b + 2, dtype=np.int64)
        kept = rng.randint(0, size + 1, dtype=np.int64)
        source = np.sort(rng.permutation(size)[:kept])
        target = np.sort(rng.permutation(b)[:kept])
        inputs[size + 1 + target] = inputs[source]
        inputs[size] = inputs[-1] = BAR
        return inputs

    def parse(self, text: str) -> NDArray[np.int64]:
        """Read two words of the letters a to z with a space between them."""
        strings = text.split()
        if len(strings) != 2:
            raise InputError(
                f"give two strings with a space between them, such as 'kitten sitting', "
                f"not {len(strings)}"
            )
        inputs: list[int] = []
        for which, string in zip(("first", "second"), strings, strict=True):
            for place, letter in enumerate(string):
                if not "a" <= letter <= "z":
                    raise InputError(
                        f"letter {place} of the {which} string must be in a..z, not {letter!r}"
                    )
            inputs += [ord(letter) - ord("a") + 1 for letter in string] + [BAR]
        parsed = np.array(inputs, dtype=np.int64)
        self.check(parsed)
        return parsed

    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse empty strings, and letters that are not in 1..26."""
        bars = np.flatnonzero(inputs == BAR)
        if len(bars) != 2 or bars[1] != len(inputs) - 1:
            raise InputError(f"the input must be two strings, each ended by the separator {BAR}")
        a, b = split_lengths(inputs)
        if not (a and b):
            raise InputError(f"the {'second' if a else 'first'} string is empty; give it a letter")
        wrong = np.flatnonzero((inputs != BAR) & ((inputs < 1) | (inputs > LETTERS)))
        if wrong.size:
            raise InputError(
                f"token {wrong[0]}: a letter must be in 1..{LETTERS}, not {inputs[wrong[0]]}"
            )
        self.check_length(self._length(a, b))

    def _length(self, a: int, b: int) -> int:
        return a + b + 4 + a + self.count_entries(a, b)

    # ---------------------------------------------------------------- chains

    def solve(self, inputs: Sequence[NDArray[np.int64]]) -> list[Chain]:
        """Write the chains, all of one shape at once: O(a b) numpy operations."""
        return equal_lengths(inputs, self._solve_block, split_lengths)

    def _solve_block(self, inputs: NDArray[np.int64]) -> list[Chain]:
        instances, given = inputs.shape
        a, b = split_lengths(inputs[0])
        states = np.array(self.states(a, b))
        values = self._values(inputs[:, :a], inputs[:, a + 1 : -1])
        tokens = self.write_tokens(inputs, given + len(states) + 2, instances)
        tokens[:, given:-2, 1:3] = states
        tokens[:, given:-2, 3] = values.T
        tokens[:, given:-2, 0][:, states[:, 1] > b] = COMMA
        tokens[:, -2, 0] = BAR
        answers = values[-2]  # before the last comma
        tokens[:, -1, 4] = answers
        return make_chains(tokens, given, _needs(self, a, b), answers)

    def _values(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return dp of every state, and 0 of commas, row by row: shape (states, instances)."""
        instances, a = first.shape
        b = second.shape[1]
        values: list[NDArray[np.int64]] = []
        above = {j: np.full(instances, j * self.insert) for j in range(b + 1) if self.inside(0, j)}
        for i in range(1, a + 1):
            row = {0: np.full(instances, i * self.delete)} if self.inside(i, 0) else {}
            for j in self.columns(i, b):
                best = above[j - 1] + self.replace * (first[:, i - 1] != second[:, j - 1])
                if j in above:
                    np.minimum(best, above[j] + self.delete, out=best)
                if j - 1 in row:
                    np.minimum(best, row[j - 1] + self.insert, out=best)
                row[j] = best
                values.append(best)
            values.append(np.zeros(instances, dtype=np.int64))
            above = row
        return np.array(values)

    def steps(self, tokens: Sequence[Token]) -> Iterator[Step]:
        """Yield the steps of the table row by row, the separators, and the answer."""
        bars = [position for position, token in enumerate(tokens) if token[0] == BAR]
        a, b = bars[0], bars[1] - bars[0] - 1
        place: dict[State, int] = {}
        position = bars[1] + 1
        last = None
        for i, j in self.states(a, b):
            if j > b:
                yield Step((), partial(_end_row, i, b))
            else:
                near = [(i - 1, j - 1), (i - 1, j), (i, j - 1)]
                known = [state for state in near if state in place]
                needs = (i - 1, a + j, *(place[state] for state in known))
                yield Step(needs, partial(self._entry, i, j, known))
                place[i, j] = last = position
            position += 1
        yield Step((), lambda _: (BAR, 0, 0, 0, 0))
        assert last is not None
        yield Step((last,), lambda seen: (0, 0, 0, 0, seen[0][3]))

    def _entry(self, i: int, j: int, known: list[State], seen: Sequence[Token]) -> Token:
        """Return the token of dp(i, j) from both letters and the tokens of neighbouring states."""
        one, other, *values = (seen[0][0], seen[1][0], *(token[3] for token in seen[2:]))
        near = dict(zip(known, values, strict=True))
        near |= {(0, k): k * self.insert for k in (j - 1, j) if self.inside(0, k)}
        near |= {(k, 0): k * self.delete for k in (i - 1, i) if self.inside(k, 0)}
        edits = {
            (i - 1, j - 1): 0 if one == other else self.replace,
            (i - 1, j): self.delete,
            (i, j - 1): self.insert,
        }
        return (0, i, j, min(near[s] + cost for s, cost in edits.items() if s in near), 0)

    def words(self, tokens: NDArray[np.int64]) -> list[str]:
        """Write letters, values, and the separators | and , between them."""
        seen = 0
        words = []
        for sign, _, _, value, answer in tokens.tolist():
            if sign == BAR:
                seen += 1
            marks = {BAR: "|", COMMA: ","}
            letter = seen < 2 and 1 <= sign <= LETTERS
            words.append(
                chr(sign + ord("a") - 1) if letter else marks.get(sign, str(value + answer))
            )
        return words


def _end_row(i: int, b: int, _needed: Sequence[Token]) -> Token:
    """Return the comma after row i, which follows from its place alone."""
    return (COMMA, i, b + 1, 0, 0)


def split_lengths(inputs: NDArray[np.int64]) -> State:
    """Return the lengths of both strings of an input."""
    first = int(np.flatnonzero(inputs == BAR)[0])
    return first, len(inputs) - first - 2


@lru_cache(maxsize=16)
def _needs(task: EditDistance, a: int, b: int) -> AttentionGraph:
    """Return the needs of all pairs of strings of a and b letters."""
    given = a + b + 2
    states = task.states(a, b)
    place = {state: given + k for k, state in enumerate(states) if state[1] <= b}
    keys: list[list[int]] = [[] for _ in range(given)]
    for i, j in states:
        near = ((i - 1, j - 1), (i - 1, j), (i, j - 1))
        before = [place[state] for state in near if state in place]
        keys.append([] if j > b else [i - 1, a + j, *before])
    keys += [[], [place[states[-2]]]]
    return graph_of_lists(keys)


MOST_WIDTH = 10**4
"""The largest width of a band."""


@dataclass(frozen=True, slots=True)
class BandedEditDistance(EditDistance):
    """The least cost of edits whose states (i, j) all satisfy |i - j| <= w.

    The chain is that of `EditDistance` without the other states. Yang et al. (2024) measure a task
    ED_Local, "modified to have a higher locality", and define it nowhere; this one is ours.

    Parameters
    ----------
    insert, delete, replace, letters : int
        As in `EditDistance`.
    w : int
        Width of the band; the lengths of the strings differ by at most w.

    Examples
    --------
    >>> task = BandedEditDistance(w=1)
    >>> chain = task.chain(task.parse("abc abd"))
    >>> " ".join(task.words(chain.tokens)), chain.answer
    ('a b c | a b d | 0 2 , 2 0 2 , 2 3 , | 3', 3)
    """

    name: ClassVar[str] = "banded-edit-distance"

    w: int = 3

    def __post_init__(self) -> None:
        EditDistance.__post_init__(self)
        require(0 <= self.w <= MOST_WIDTH, f"w must be in 0..{MOST_WIDTH}, not {self.w}")

    @property
    def reach(self) -> int:
        """The width of the band."""
        return self.w

    def count_entries(self, a: int, b: int) -> int:
        """Return the number of states (i, j) with i, j >= 1, diagonal by diagonal."""
        diagonals = range(-self.w, self.w + 1)
        return sum(max(0, min(a, b - d) - max(1, 1 - d) + 1) for d in diagonals)

    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse what `EditDistance` refuses, and strings whose lengths differ by more than w."""
        EditDistance.check(self, inputs)
        a, b = split_lengths(inputs)
        if not self.inside(a, b):
            raise InputError(
                f"the strings have {a} and {b} letters, which differ by more than w = {self.w}; "
                "choose a larger w"
            )
