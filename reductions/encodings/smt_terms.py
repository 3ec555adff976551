"""Models of SMT solvers: S-expressions, and rational numbers for their real terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from samapprox.errors import InputError

__all__ = ["read_model"]

Term = str | list["Term"]

_OPERATIONS = {"+": add, "-": sub, "*": mul, "/": truediv}

_DEEPEST = 60
_MOST_DEGREE = 64
_MOST_DIGITS = 4000
_FINEST = 10**40  # largest denominator of a root's rational neighbour
_TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|]*\||[()]|[^\s()|";]+|\S')


def read_model(answer: str, unknowns: Container[str]) -> tuple[str | None, dict[str, Fraction]]:
    r"""Return the status and the unknowns' values in an SMT solver's answer.

    >>> read_model("sat\n((define-fun x () Real (- (/ 1.0 3.0))))", ["x"])
    ('sat', {'x': Fraction(-1, 3)})
    """
    status, values = None, {}
    for form in _forms(answer):
        if form in ("sat", "unsat", "unknown"):
            status = str(form)
        for definition in _definitions(form):
            name = str(definition[1]).strip("|") if len(definition) == 5 else ""
            if name in unknowns and definition[2:4] in ([[], "Real"], [[], "Int"]):
                try:
                    values[name] = _number(definition[4])
                except InputError as error:
                    raise error.within(name[:40]) from None
    return status, values


def _definitions(form: Term) -> Iterator[list[Term]]:
    """Yield the define-funs in a form, which solvers wrap in a list or in (model ..)."""
    if isinstance(form, list):
        for part in [form] if form[:1] == ["define-fun"] else form:
            if isinstance(part, list) and part[:1] == ["define-fun"]:
                yield part


def _forms(text: str) -> Iterator[Term]:
    """Yield the S-expressions of a text, one by one."""
    open_lists: list[list[Term]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0] == ";":
            continue
        if token == "(":
            if len(open_lists) == _DEEPEST:
                raise InputError(f"parentheses nest deeper than {_DEEPEST}: no model of reals does")
            open_lists.append([])
            continue
        form: Term = token
        if token == ")":
            if not open_lists:
                raise InputError("a parenthesis is closed that was never opened")
            form = open_lists.pop()
        if open_lists:
            open_lists[-1].append(form)
        else:
            yield form
    if open_lists:
        raise InputError(f"{len(open_lists)} parentheses are never closed: the answer is cut off")


def _number(term: Term) -> Fraction:
    """Return a constant real term."""
    if isinstance(term, str):
        if re.fullmatch(r"\d+(\.\d+)?", term) is None or len(term) > _MOST_DIGITS:
            raise InputError(f"{term[:40]!r} is no number in SMT-LIB's sense")
        return Fraction(term)
    head, rest = (term[0], term[1:]) if term else ("", [])
    if head == "root-obj" and len(rest) == 2:
        return _root(_polynomial(rest[0]), _number(rest[1]))
    if head == "to_real" and len(rest) == 1:
        return _number(rest[0])
    if not isinstance(head, str) or head not in _OPERATIONS or not rest:
        raise InputError(f"terms with {str(head)[:40]!r} are not read; z3 and rationals are")
    first, *others = map(_number, rest)
    if not others:
        return -first if head == "-" else first
    for other in others:
        if head == "/" and other == 0:
            raise InputError("a division by 0")
        first = _OPERATIONS[head](first, other)
        if first.denominator.bit_length() + first.numerator.bit_length() > 8 * _MOST_DIGITS:
            raise InputError("a number of too many digits")
    return first


Polynomial = NDArray[Any]
"""Coefficients, which are fractions, constant term first."""

_POLYNOMIAL_OPERATIONS: dict[str, Callable[[Polynomial, Polynomial], Polynomial]] = {
    "+": polynomial.polyadd,
    "-": polynomial.polysub,
    "*": polynomial.polymul,
}


def _polynomial(term: Term) -> Polynomial:
    """Return a polynomial in x."""
    if term == "x":
        return np.array([Fraction(0), Fraction(1)])
    if isinstance(term, list) and len(term) == 3 and term[:2] == ["^", "x"]:
        degree = _number(term[2])
        if degree.denominator > 1 or not 0 <= degree <= _MOST_DEGREE:
            raise InputError(f"a root of a polynomial of a degree that is not 0..{_MOST_DEGREE}")
        return np.array([Fraction(0)] * int(degree) + [Fraction(1)])
    head = term[0] if isinstance(term, list) and len(term) > 1 else None
    if not isinstance(head, str) or head not in _POLYNOMIAL_OPERATIONS:
        return np.array([_number(term)])
    first, *others = map(_polynomial, term[1:])
    if not others:
        return -first if head == "-" else first
    for other in others:
        first = _POLYNOMIAL_OPERATIONS[head](first, other)
        if len(first) > _MOST_DEGREE + 1:
            raise InputError(f"a root of a polynomial of degree beyond {_MOST_DEGREE}")
    return first


def _root(coefficients: Polynomial, number: Fraction) -> Fraction:
    """Return a rational next to the real root of this number, counted from 1 upward.

    Need not be right: what comes of it is checked.
    """
    largest = max(abs(coefficients))
    if largest == 0:
        raise InputError("a root of the polynomial 0")
    roots = polynomial.polyroots((coefficients / largest).astype(np.float64))
    real = np.sort(roots.real[abs(roots.imag) <= 1e-9 * (1 + abs(roots.real))])
    if number.denominator > 1 or not 1 <= number <= len(real):
        raise InputError(f"root {number} of a polynomial that has {len(real)} real ones")
    value = Fraction(float(real[int(number) - 1]))
    derivative = polynomial.polyder(coefficients)
    for _ in range(4):  # Newton's steps, to many more digits than a float has
        slope: Any = polynomial.polyval(value, derivative)
        if slope == 0:
            break
        step = polynomial.polyval(value, coefficients) / slope
        value = (value - step).limit_denominator(_FINEST)
    return value
