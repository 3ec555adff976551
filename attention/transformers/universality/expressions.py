"""Continuous functions of d x n matrices, given as expressions, in floats and in intervals.

An expression is read as Python's grammar, but only numbers, names of the tables below, arithmetic
and entries of X are allowed. All of them are continuous where they are defined, so every expression
is. Intervals are those of mpmath, rounded outwards: they contain all values on a box of inputs.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from samapprox.attention.transformers.columns import Matrix
from samapprox.errors import InputError
from samapprox.support.packages import suggestion
from samapprox.support.text import plural

_LONGEST = 1000  # characters
_DEEPEST = 50  # levels of brackets
_MOST_POWER = 64
_MOST_KEPT = 1 << 12  # results of a function: entries of many cubes are the same

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}

_CONSTANTS = {"pi": math.pi, "e": math.e}

ELEMENTWISE = ("abs", "cos", "exp", "log", "sin", "sqrt", "tanh")
"""Functions of each entry."""

PAIRWISE = ("maximum", "minimum")
"""Functions of two numbers."""

OVER_TOKENS = ("max", "mean", "min", "sum")
"""Functions of all tokens of a row, with the same value for each token."""

FUNCTIONS = (*ELEMENTWISE, *PAIRWISE, *OVER_TOKENS, "roll")
"""All functions; ``roll(A, k)`` gives token i what token i - k has, in a circle."""

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Expression:
    """A continuous function of d x n matrices, written as an expression in X.

    ``X`` is the whole matrix, and operations apply to each entry; ``X[i]`` is row i, and
    ``X[i, k]`` its entry at token k.

    Attributes
    ----------
    text : str
        Numbers, X, pi, e, the operators + - * / and ** (with a whole exponent), and the functions
        abs, cos, exp, log, sin, sqrt, tanh; maximum and minimum of two; max, mean, min, sum over
        the tokens of a row; roll(A, k).

    Raises
    ------
    InputError
        Anything else.

    Examples
    --------
    >>> Expression("sin(pi * X) + mean(X)").on_floats(np.array([[[0.5, 0.0]]])).tolist()
    [[[1.25, 0.25]]]
    >>> Expression("X.sum()")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: X.sum(): only calls of abs, cos, exp, log, sin, sqrt, tanh, ...
    """

    text: str

    def __post_init__(self) -> None:
        _check(self._tree(), self.text, _DEEPEST)

    def on_floats(self, inputs: Matrix) -> Matrix:
        """Evaluate the function on inputs of shape (inputs, d, n), in float64.

        Parameters
        ----------
        inputs : ndarray of float, shape (inputs, d, n)
            The matrices.

        Raises
        ------
        InputError
            A value that is no finite number, or an entry that X does not have.
        """
        with np.errstate(all="ignore"):
            found = self._evaluate(inputs.astype(np.float64), _FLOATS)
        if not np.isfinite(found).all():
            raise self._undefined()
        return np.asarray(found, dtype=np.float64)

    def on_boxes(self, boxes: Matrix) -> Matrix:
        """Enclose all values of the function on boxes of shape (boxes, d, n).

        Parameters
        ----------
        boxes : ndarray of object, shape (boxes, d, n)
            Intervals of mpmath, one for each entry.

        Returns
        -------
        ndarray of object, shape (boxes, d, n)
            Intervals that contain every value on the box. They may be wider than necessary where an
            entry occurs several times.

        Raises
        ------
        InputError
            A function that is not defined on all of a box, or that is not bounded there.
        """
        try:
            found = self._evaluate(boxes, Intervals.functions())
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise self._undefined() from None
        if not all(math.isfinite(end) for one in found.flat for end in Intervals.ends(one)):
            raise self._undefined()
        return np.asarray(found, dtype=object)

    def _evaluate(self, given: Matrix, functions: dict[str, Function]) -> Any:
        """Evaluate the tree; numbers and rows fill the shape of the inputs."""
        return np.broadcast_to(_value(self._tree(), given, functions, self.text), given.shape)

    def _tree(self) -> ast.expr:
        if len(self.text) > _LONGEST:
            raise InputError(f"an expression has at most {_LONGEST} characters")
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(f"{self.text}: this is no expression, such as sin(pi * X)") from None

    def _undefined(self) -> InputError:
        return InputError(
            f"{self.text}: not defined or not bounded for all entries in [0, 1]: this cannot be "
            "shown where a divisor may be 0, or the argument of log or sqrt negative"
        )


class Intervals:
    """The functions on intervals of mpmath, and their ends."""

    @staticmethod
    def ends(interval: Any) -> tuple[float, float]:
        """Return both ends of an interval, which are floats at its precision."""
        return float(interval.a), float(interval.b)

    @staticmethod
    def functions() -> dict[str, Function]:
        """Return the functions by name, of arrays of intervals."""
        from mpmath import iv

        def tanh(a: Any) -> Any:
            return 1 - 2 / (iv.exp(2 * a) + 1)  # one occurrence of a: as narrow as it can be

        def greater(a: Any, b: Any) -> Any:
            a, b = iv.convert(a), iv.convert(b)
            return iv.mpf([max(a.a, b.a), max(a.b, b.b)])

        def lesser(a: Any, b: Any) -> Any:
            return -greater(-a, -b)

        of_one = {"abs": abs, "cos": iv.cos, "exp": iv.exp, "log": iv.log, "sin": iv.sin}
        of_one |= {"sqrt": iv.sqrt, "tanh": tanh}
        entries: dict[str, Function] = {
            name: np.frompyfunc(lru_cache(_MOST_KEPT)(f), 1, 1) for name, f in of_one.items()
        }
        maximum, minimum = (np.frompyfunc(f, 2, 1) for f in (greater, lesser))
        return {
            **entries,
            "maximum": maximum,
            "minimum": minimum,
            "max": lambda a: maximum.reduce(a, axis=-1, keepdims=True),
            "min": lambda a: minimum.reduce(a, axis=-1, keepdims=True),
            "sum": lambda a: a.sum(axis=-1, keepdims=True),
            "mean": lambda a: a.sum(axis=-1, keepdims=True) / iv.mpf(a.shape[-1]),
            "roll": lambda a, k: np.roll(a, k, axis=-1),
            "number": lambda a: _single(iv.mpf(a)),
            "pi": _single(+iv.pi),
            "e": _single(+iv.e),
        }


_FLOATS: dict[str, Function] = {
    **{name: getattr(np, name) for name in (*ELEMENTWISE, *PAIRWISE)},
    "max": lambda a: a.max(axis=-1, keepdims=True),
    "min": lambda a: a.min(axis=-1, keepdims=True),
    "sum": lambda a: a.sum(axis=-1, keepdims=True),
    "mean": lambda a: a.mean(axis=-1, keepdims=True),
    "roll": lambda a, k: np.roll(a, k, axis=-1),
    "number": float,
    **_CONSTANTS,  # type: ignore[dict-item]
}


def _single(interval: Any) -> Matrix:
    """Return an interval as an array, with which arrays can be multiplied from both sides."""
    found = np.empty((1, 1, 1), dtype=object)
    found[0, 0, 0] = interval
    return found


def _check(node: ast.expr, text: str, depth: int) -> None:
    """Refuse what is not allowed, and whatever is nested too deeply."""
    if depth == 0:
        raise InputError(f"{text}: more than {_DEEPEST} levels of brackets")
    inner: list[ast.expr] = []
    match node:
        case ast.Constant(value=value):
            if type(value) not in (int, float) or not 0 <= float(str(value)) <= 1e300:
                raise InputError(f"{text}: {value!r} is no number that can be used")
        case ast.Name(id=name) if name in FUNCTIONS:
            raise InputError(f"{text}: {name} is a function: its arguments follow in brackets")
        case ast.Name(id=name):
            if name != "X" and name not in _CONSTANTS:
                meant = suggestion(name, ["X", *_CONSTANTS, *FUNCTIONS])
                raise InputError(
                    f"{text}: no file, and unknown name {name!r}{meant}; there are X, pi, e"
                )
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            inner = [operand]
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            if _whole(right) is None or not 0 <= (_whole(right) or 0) <= _MOST_POWER:
                raise InputError(
                    f"{text}: exponents must be whole numbers from 0 to {_MOST_POWER}; sqrt, exp "
                    "and log give others"
                )
            inner = [left]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            inner = [left, right]
        case ast.Subscript(value=ast.Name(id="X"), slice=place):
            places = place.elts if isinstance(place, ast.Tuple) else [place]
            if not 1 <= len(places) <= 2 or None in map(_whole, places):
                raise InputError(f"{text}: entries of X are written X[i] or X[i, k]")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            inner = _arguments(name, args, text)
        case _:
            raise InputError(
                f"{text}: only calls of {', '.join(FUNCTIONS)}, numbers, X, pi, e and + - * / ** "
                "may be used"
            )
    for one in inner:
        _check(one, text, depth - 1)


def _arguments(name: str, given: list[ast.expr], text: str) -> list[ast.expr]:
    """Return the arguments that are expressions themselves; refuse another number of them."""
    count = 2 if name in (*PAIRWISE, "roll") else 1
    if len(given) != count:
        raise InputError(f"{text}: {name} takes {plural(count, 'argument')}, not {len(given)}")
    if name != "roll":
        return given
    if _whole(given[1]) is None:
        raise InputError(f"{text}: roll(A, k) takes a whole number k")
    return given[:1]


def _whole(node: ast.expr) -> int | None:
    """Return the whole number that a node writes; None if it is no whole number."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) is int:
            return -value
        case ast.Constant(value=value) if type(value) is int:
            return int(value)
    return None


def _value(node: ast.expr, given: Matrix, functions: dict[str, Function], text: str) -> Any:
    """Evaluate a node that `_check` allows."""

    def of(inner: ast.expr) -> Any:
        return _value(inner, given, functions, text)

    match node:
        case ast.Constant(value=value):
            return functions["number"](value)
        case ast.Name(id=name):
            return given if name == "X" else functions[name]
        case ast.UnaryOp(op=op, operand=operand):
            return -of(operand) if isinstance(op, ast.USub) else of(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return of(left) ** _whole(right)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](of(left), of(right))
        case ast.Subscript(slice=place):
            places = place.elts if isinstance(place, ast.Tuple) else [place]
            return _entries(given, [_whole(one) or 0 for one in places], text)
        case ast.Call(func=ast.Name(id=name), args=args):
            if name == "roll":
                return functions[name](_full(of(args[0]), given), _whole(args[1]))
            values = [of(one) for one in args]
            if name in OVER_TOKENS:
                values = [_full(one, given) for one in values]
            return functions[name](*values)
    raise AssertionError(ast.dump(node))


def _full(value: Any, given: Matrix) -> Matrix:
    """Return an array with all tokens."""
    shape = np.broadcast_shapes(np.shape(value), (1, 1, given.shape[-1]))
    return np.broadcast_to(value, shape)


def _entries(given: Matrix, places: list[int], text: str) -> Matrix:
    """Return row i, or its entry at token k, for all inputs."""
    for what, place, size in zip(("row", "token"), places, given.shape[1:], strict=False):
        if not 0 <= place < size:
            raise InputError(f"{text}: X has no {what} {place}; {what}s are 0..{size - 1}")
    row = given[:, places[0] : places[0] + 1, :]
    return row if len(places) == 1 else row[:, :, places[1] : places[1] + 1]
