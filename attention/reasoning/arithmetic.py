"""The value of an arithmetic expression over a prime field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.reasoning.base import BAR, Chain, Step, Task, Token, graph_of_lists
from samapprox.errors import InputError
from samapprox.support.parameters import require

SYMBOLS = "+-*/()"
"""The symbols with the codes 1, .. 6; the number v has the code 7 + v."""

ZERO = len(SYMBOLS) + 1
"""The code of the number 0."""

MOST_PRIME = 10**6
"""Primes are below this."""

_WINDOW = 5  # tokens that tell whether a handle begins: those of "(a+b)"

_OPERATORS = range(1, 5)
_TIMES = (SYMBOLS.index("*") + 1, SYMBOLS.index("/") + 1)
_PLUS = (SYMBOLS.index("+") + 1, SYMBOLS.index("-") + 1)
_OPEN, _CLOSE = SYMBOLS.index("(") + 1, SYMBOLS.index(")") + 1

# Expressions as text, for regular expressions: the symbols themselves, and one character a number.
_FIRST = 0x10000
_NUMBER = f"[{chr(_FIRST)}-{chr(_FIRST + MOST_PRIME)}]"
_HANDLE = re.compile(
    rf"\(({_NUMBER})([-+*/])({_NUMBER})\)"
    rf"|({_NUMBER})([*/])({_NUMBER})"
    rf"|({_NUMBER})([-+])({_NUMBER})(?![*/])"
)


@dataclass(frozen=True, slots=True)
class Arithmetic(Task):
    """The value of an expression of numbers, + - * / and brackets modulo a prime p.

    A *handle* is an operator between two numbers that can be evaluated, with the brackets around
    it. The chain evaluates the leftmost handle, writes the whole new expression, and so on; ``=``
    stands between the expressions, the last of which is the answer.

    Parameters
    ----------
    p : int
        A prime.

    Notes
    -----
    Brackets surround at least one operator, and no pair immediately surrounds another pair or is
    the whole expression. A chain of m operators then has at most 2 m^2 + 2 m + 1 tokens; see
    docs/theory/reasoning.md.

    The state of a token is the position where the next token continues to read the expression
    before it, and whether the handle was evaluated already (1). While it is 0, a token needs the
    five tokens there (fewer at the end), which tell whether a handle begins; later, it needs one.
    Every token also needs the one before it, for the state.

    In random expressions, a random number is replaced m times by an operator and two numbers of the
    same value, with brackets where the order of evaluation requires them.

    References
    ----------
    Feng et al. (2023), "Towards revealing the mystery behind chain of thought"; Yang et al. (2024),
    Section 5.1 and Appendix C.

    Examples
    --------
    >>> task = Arithmetic()
    >>> chain = task.chain(task.parse("2*(1+5)/4"))
    >>> " ".join(task.words(chain.tokens)), chain.answer
    ('2 * ( 1 + 5 ) / 4 = 2 * 6 / 4 = 1 / 4 = 3', 3)
    >>> [task.longest(m) for m in task.sizes]
    [85, 221, 365, 545]
    """

    name: ClassVar[str] = "arithmetic"
    parts: ClassVar[tuple[str, ...]] = ("input", "next", "evaluated", "value", "answer")
    sizes: ClassVar[tuple[int, ...]] = (6, 10, 13, 16)

    p: int = 11

    def __post_init__(self) -> None:
        require(
            2 <= self.p < MOST_PRIME and _is_prime(self.p),
            f"p must be a prime below {MOST_PRIME}, not {self.p}",
        )

    def longest(self, size: int) -> int:
        """Return 2 m^2 + 2 m + 1."""
        return 2 * size * size + 2 * size + 1

    # ---------------------------------------------------------------- inputs

    def draw(self, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
        """Draw an expression by expanding random numbers."""
        p = self.p
        draws = rng.randint(0, 1 << 30, size=(size, 3), dtype=np.int64).tolist()
        codes = [ZERO + int(rng.randint(0, p, dtype=np.int64))]
        for k, (place, operator, number) in enumerate(draws):
            places = [at for at, code in enumerate(codes) if code >= ZERO]
            at = places[place % (k + 1)]
            sign = _OPERATORS[operator % 4]
            one, other = _split(codes[at] - ZERO, SYMBOLS[sign - 1], number, p)
            expanded = [ZERO + one, sign, ZERO + other]
            before = codes[at - 1] if at else 0
            after = codes[at + 1] if at + 1 < len(codes) else 0
            if (
                before in _TIMES
                or (after in _TIMES and sign in _PLUS)
                or (before in _PLUS and sign in _PLUS)
            ):
                expanded = [_OPEN, *expanded, _CLOSE]
            codes[at : at + 1] = expanded
        return np.array([*codes, BAR], dtype=np.int64)

    def parse(self, text: str) -> NDArray[np.int64]:
        """Read an expression such as 2*(1+5)/4; spaces are allowed, and so are the signs of
        print.
        """
        plain = text.replace("\u00d7", "*").replace("\u00f7", "/").replace("\u2212", "-")
        codes = []
        for word in re.findall(r"[0-9]+|\S", plain):
            if word in SYMBOLS:
                codes.append(SYMBOLS.index(word) + 1)
            elif not (word.isascii() and word.isdigit()):
                raise InputError(
                    f"symbol {len(codes)} must be a number or one of {' '.join(SYMBOLS)}, "
                    f"not {word!r}"
                )
            elif len(word) > 7 or int(word) >= self.p:
                raise InputError(
                    f"symbol {len(codes)}: a number must be in 0..{self.p - 1}, not {word[:40]}"
                )
            else:
                codes.append(ZERO + int(word))
        inputs = np.array([*codes, BAR], dtype=np.int64)
        self.check(inputs)
        return inputs

    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse what is no expression, redundant brackets, and division by zero."""
        codes = inputs[:-1].tolist()
        if inputs[-1:].tolist() != [BAR]:
            raise InputError(f"the input must end with the separator {BAR}")
        if not codes:
            raise InputError("the expression is empty; give one such as 1+2")
        for at, code in enumerate(codes):
            if not 1 <= code < ZERO + self.p:
                raise InputError(
                    f"symbol {at}: a code must be in 1..{ZERO + self.p - 1}, not {code}"
                )
        operators = sum(code in _OPERATORS for code in codes)
        if not operators:
            raise InputError("the expression has no operator; give one such as 1+2")
        self.check_length(self.longest(operators))
        _check_syntax(codes)
        text = _to_text(codes)
        for _ in range(operators):
            text, _, _ = self._reduce(text)

    # ---------------------------------------------------------------- chains

    def _reduce(self, text: str) -> tuple[str, int, int]:
        """Evaluate the leftmost handle; return the new text, and where the handle was."""
        handle = _HANDLE.search(text)
        assert handle is not None  # a valid expression with an operator has one
        one, sign, other = (part for part in handle.groups() if part is not None)
        value = calculate(ord(one) - _FIRST, sign, ord(other) - _FIRST, self.p)
        start, end = handle.span()
        return text[:start] + chr(_FIRST + value) + text[end:], start, end

    def solve(self, inputs: Sequence[NDArray[np.int64]]) -> list[Chain]:
        """Write the chains, one after the other: O(m) searches and O(m^2) tokens each."""
        return [self._solve_one(one) for one in inputs]

    def _solve_one(self, inputs: NDArray[np.int64]) -> Chain:
        given = len(inputs)
        text = _to_text(inputs[:-1].tolist())
        source = 0  # where the expression that is read begins
        needs: list[Sequence[int]] = [()] * given
        following: list[int] = []
        evaluated: list[int] = []
        texts: list[str] = []
        while len(text) > 1:
            equals = source + len(text)
            text, start, end = self._reduce(text)
            here = equals + 1
            for at in range(start + 1):
                window = range(source + at, min(source + at + _WINDOW, equals + 1))
                last = here + at - 1
                needs.append(window if last in window else (*window, last))
            rest = range(source + end, equals + (len(text) > 1))
            needs += zip(rest, range(here + start, here + start + len(rest)), strict=True)
            following += [*range(source + 1, source + start + 1), source + end]
            following += range(source + end + 1, equals + 1)
            evaluated += [0] * start + [1] * (len(text) - start)
            texts.append(text)
            if len(text) > 1:
                following.append(here)
                evaluated.append(0)
            source = here
        tokens = self.write_tokens(inputs[None], given + len(following), 1)[0]
        tokens[given:, 1] = following
        tokens[given:, 2] = evaluated
        codes = _to_codes("=".join(texts))
        tokens[given:, 0][codes == BAR] = BAR
        tokens[given:, 3] = np.maximum(codes, 0)
        answer = ord(text) - _FIRST
        tokens[-1, 4] = answer
        return Chain(tokens, given, graph_of_lists(needs), answer)

    def steps(self, tokens: Sequence[Token]) -> Iterator[Step]:
        """Yield a step for each token: copy, evaluate, or end the expression."""
        last = next(position for position, token in enumerate(tokens) if token[0] == BAR)
        while True:
            _, source, evaluated, _, _ = tokens[last]
            window = [source]
            while not evaluated and len(window) < _WINDOW and tokens[window[-1]][0] != BAR:
                window.append(window[-1] + 1)
            needs = window if last in window else [*window, last]
            yield Step(tuple(needs), partial(self._continue, source, len(window)))
            _, following, evaluated, _, _ = tokens[last + 1]
            if tokens[last][0] == BAR and evaluated and tokens[following][0] == BAR:
                return  # the handle was the whole expression
            last += 1

    def _continue(self, source: int, width: int, seen: Sequence[Token]) -> Token:
        """Return the token that follows ``seen[-1]``, from the window that it reads at `source`."""
        last = seen[-1]
        codes = [token[3] if token[3] else token[0] for token in seen[:width]]
        if last[2]:  # the handle was evaluated: copy the rest
            if codes[0] == BAR:
                return (BAR, source + 1, 0, 0, 0)
            return (0, source + 1, 1, codes[0], 0)
        bracket = codes[0] == _OPEN
        handle = codes[bracket : bracket + 3]
        after = codes[bracket + 3] if len(codes) > bracket + 3 else 0
        ready = (
            len(handle) == 3
            and handle[0] >= ZERO
            and handle[1] in _OPERATORS
            and handle[2] >= ZERO
            and (after == _CLOSE if bracket else handle[1] in _TIMES or after not in _TIMES)
        )
        if not ready:
            return (0, source + 1, 0, codes[0], 0)
        value = calculate(handle[0] - ZERO, SYMBOLS[handle[1] - 1], handle[2] - ZERO, self.p)
        whole = last[0] == BAR and after == BAR
        return (0, source + 3 + 2 * bracket, 1, ZERO + value, value if whole else 0)

    def words(self, tokens: NDArray[np.int64]) -> list[str]:
        """Write numbers and symbols."""
        words = []
        for sign, _, _, value, _ in tokens.tolist():
            code = value or sign
            words.append("=" if code == BAR else _show(code))
        return words


def calculate(one: int, sign: str, other: int, p: int) -> int:
    """Apply an operator modulo p."""
    if sign == "/":
        if other % p == 0:
            raise InputError(f"division by zero: {one}/{other} modulo {p}")
        return one * pow(other, -1, p) % p
    return {"+": one + other, "-": one - other, "*": one * other}[sign] % p


def _split(value: int, sign: str, number: int, p: int) -> tuple[int, int]:
    """Return two numbers with this value, chosen by a random number."""
    if sign == "+":
        one = number % p
        return one, (value - one) % p
    if sign == "-":
        one = number % p
        return one, (one - value) % p
    if sign == "/":
        other = 1 + number % (p - 1)
        return value * other % p, other
    if value == 0:  # one factor is 0
        other = number // 2 % p
        return (0, other) if number % 2 else (other, 0)
    one = 1 + number % (p - 1)
    return one, value * pow(one, -1, p) % p


def _is_prime(p: int) -> bool:
    return p >= 2 and all(p % k for k in range(2, isqrt(p) + 1))


# ---------------------------------------------------------------- text


def _to_text(codes: Sequence[int]) -> str:
    """Write codes as text, one character each."""
    return "".join(
        SYMBOLS[code - 1] if code < ZERO else chr(_FIRST + code - ZERO) for code in codes
    )


def _to_codes(text: str) -> NDArray[np.int64]:
    """Return the codes of text; `BAR` for ``=``."""
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    codes = points - _FIRST + ZERO
    for symbol, code in (*((s, k + 1) for k, s in enumerate(SYMBOLS)), ("=", BAR)):
        codes[points == ord(symbol)] = code
    return codes


def _check_syntax(codes: Sequence[int]) -> None:
    """Refuse what is no expression, and redundant brackets."""
    opened: list[int] = []
    partner: dict[int, int] = {}
    for at, (before, code) in enumerate(pairwise([0, *codes])):
        begins = before == 0 or before in _OPERATORS or before == _OPEN
        if (code >= ZERO or code == _OPEN) != begins:
            wanted = "a number or (" if begins else "an operator or )"
            raise InputError(f"symbol {at} must be {wanted}, not {_show(code)}")
        if code == _OPEN:
            opened.append(at)
        elif code == _CLOSE:
            if not opened:
                raise InputError(f"symbol {at}: the bracket ) was never opened")
            partner[opened.pop()] = at
    if codes[-1] in _OPERATORS:
        raise InputError(f"a number or ( must follow the last symbol, {_show(codes[-1])}")
    if opened:
        raise InputError(f"symbol {opened[-1]}: the bracket ( is never closed")
    for start, end in partner.items():
        whole = start == 0 and end == len(codes) - 1
        if whole or end == start + 2 or partner.get(start + 1) == end - 1:
            raise InputError(
                f"the brackets at symbols {start} and {end} are redundant; leave them out"
            )


def _show(code: int) -> str:
    """Write a symbol or a number; other codes, which chains of files may have, as numbers."""
    return SYMBOLS[code - 1] if 0 < code < ZERO else str(code - ZERO)
