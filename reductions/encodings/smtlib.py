"""The problem in real algebra: SMT-LIB 2, logic QF_NRA, and models of its solvers."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from samapprox.errors import InputError, errors_within
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention, first_mismatch
from samapprox.proofs.exact import ExactArray, exact, exact_matmul
from samapprox.proofs.members import Part
from samapprox.reductions.encodings.header import Encoding, header, merge
from samapprox.solvers.engine.search import Search

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
                with errors_within(name[:40]):
                    values[name] = _number(definition[4])
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


_MOST_PRODUCTS = 4_000_000
_BITS = (4, 8, 12, 16, 24, 32, 64, 128, 512, 2048)  # precisions, the first that will do
_MOST_BITS = 12_000  # bits of the longest number in a certificate

Names = list[list[str]]
"""A matrix of SMT-LIB terms: names of unknowns, 0.0 and 1.0."""

_FREE = (
    "q_i_a, t_i: query and threshold of row i of the core; k_j_a: key of column j.",
    "An affine map takes d + 1 keys in general position to 0 and the unit vectors; strict",
    "inequalities leave room for general position, so the first d + 1 keys stand there.",
    "sat with a model: YES, by samapprox decode. unsat: NO, but without a certificate.",
)
_COUPLED = (
    "q_i_a: query of token i. Its key is (u_i, x_i W) with x_i = (q_i, u_i): u_i_a is free, the",
    "other 2d - d_hid coordinates are linear in x_i; X, W_Q and W_K in general position can be",
    "brought to this form, with unit vectors for the first queries. t_i: threshold of row i.",
    "sat with a model: YES, by samapprox decode. unsat: NO, but without a certificate.",
)


def encode(problem: Problem) -> str:
    r"""Write strict polynomial inequalities in queries, keys and thresholds, or in X and W_K.

    m (d + 1) + (n - d - 1) d unknowns and m n inequalities of degree 2. Coupled: with f = d_hid -
    d, n (d_hid + 1) - d^2 + d_hid (d - f) unknowns and degree 3. The normal form: bases of R^d_hid
    and R^d in which W_Q = (I, 0) and the queries of the first d tokens are unit vectors; what
    freedom is left brings W_K to ((0, B), (I_f, D)), and W = (B, D) is d_hid x (d - f).

    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> for line in encode(problem).splitlines()[-6:]:
    ...     print(line)
    (assert (< (* q_1_0 k_2_0) t_1))
    (assert (< 0.0 t_2))
    (assert (< q_2_0 t_2))
    (assert (> (* q_2_0 k_2_0) t_2))
    (check-sat)
    (get-model)
    """
    pattern, core = _written(problem)
    form = _coupled(problem) if problem.coupled else _free(pattern, problem.d)
    lines = header(";", "smtlib", problem, _COUPLED if problem.coupled else _FREE, core=core)
    lines += ["(set-option :produce-models true)", "(set-logic QF_NRA)"]
    lines += [f"(declare-fun {name} () Real)" for name in form.unknowns]
    lines += _inequalities(pattern, form)
    return "\n".join([*lines, "(check-sat)", "(get-model)", ""])


def decode(problem: Problem, document: Part, answer: str, _search: Search) -> Proof | str:
    """Find whole numbers near an SMT solver's model."""
    pattern, core = _written(problem)
    if document.part("core").get("rows", list) != core["rows"]:
        raise InputError("the encoding is about other rows than the merged pattern has")
    form = _coupled(problem) if problem.coupled else _free(pattern, problem.d)
    status, values = read_model(answer, frozenset(form.unknowns))
    if status in ("unsat", "unknown"):
        return f"the solver says {status}, and has no certificate for it"
    if not values:
        raise InputError("the answer defines none of the unknowns: (get-model) prints them")
    fixed = {"0.0": Fraction(0), "1.0": Fraction(1)}
    left, right = (
        np.array(
            [[fixed.get(name, values.get(name, Fraction(0))) for name in row] for row in names],
            dtype=object,
        ).reshape(len(names), -1)
        for names in form.matrices
    )
    proof: Embedding | SelfAttention
    for bits in _BITS:
        whole = _rounded(left, bits), _rounded(right, bits)
        if problem.coupled:
            proof = _self_attention(problem, *whole, 1 << bits)
            fits = first_mismatch(pattern, proof.embedding()) is None
        else:
            embedding = Embedding(*whole, _thresholds(pattern, *whole))
            fits = first_mismatch(pattern, embedding) is None
            proof = embedding.lift(merge(problem.pattern))
        if fits:
            break
    return proof  # one that does not fit is refused by the checker, which says where


# ---------------------------------------------------------------- the unknowns


@dataclass(frozen=True, slots=True)
class _Form:
    """Queries and keys as terms, and the unknowns that they are made of.

    `matrices` are the two that a model gives: queries and keys, or X and W.
    """

    queries: Names
    keys: Names
    unknowns: list[str]
    matrices: tuple[Names, Names]


def _written(problem: Problem) -> tuple[Pattern, dict[str, list[int]]]:
    """Return the pattern that is written, and which rows and columns of the problem's it has."""
    if problem.coupled:
        pattern = problem.pattern
        core = {"rows": list(range(pattern.shape[0])), "columns": list(range(pattern.shape[1]))}
    else:
        simplified = merge(problem.pattern)
        assert simplified.pattern is not None
        pattern = simplified.pattern
        core = {"rows": simplified.rows.tolist(), "columns": simplified.columns.tolist()}
    rows, columns = pattern.shape
    products = rows * columns * problem.d * (problem.d if problem.coupled else 1)
    if products > _MOST_PRODUCTS:
        raise InputError(
            f"{rows} x {columns} inequalities for {problem} are too long to be written"
        )
    return pattern, core


def _free(pattern: Pattern, d: int) -> _Form:
    """Use keys 0, the unit vectors, and unknown ones."""
    rows, columns = pattern.shape
    queries = _names("q", rows, d)
    keys = [["0.0"] * d, *_unit_vectors(min(d, columns - 1), d), *_names("k", columns, d)[d + 1 :]]
    return _Form(queries, keys, _unknowns(pattern, queries, keys), (queries, keys))


def _coupled(problem: Problem) -> _Form:
    """Use unit vectors and unknown queries; keys by W."""
    assert problem.d_hid is not None
    d, free = problem.d, problem.d_hid - problem.d
    tokens = problem.pattern.shape[0]
    queries = [*_unit_vectors(min(d, tokens), d), *_names("q", tokens, d)[d:]]
    own = _names("u", tokens, free)
    X = [query + rest for query, rest in zip(queries, own, strict=True)]
    W = _names("w", problem.d_hid, d - free)
    # Written out: definitions of one problem would live on in a solver that is given a second.
    shared = [[_product(x, column) for column in zip(*W, strict=True)] for x in X]
    keys = [rest + images for rest, images in zip(own, shared, strict=True)]
    return _Form(queries, keys, _unknowns(problem.pattern, X, W), (X, W))


def _names(letter: str, rows: int, columns: int) -> Names:
    return [[f"{letter}_{i}_{a}" for a in range(columns)] for i in range(rows)]


def _unit_vectors(count: int, d: int) -> Names:
    return [["1.0" if a == i else "0.0" for a in range(d)] for i in range(count)]


def _unknowns(pattern: Pattern, *matrices: Names) -> list[str]:
    """Name each unknown once, and the thresholds of rows that have a 0."""
    names = [name for matrix in matrices for row in matrix for name in row]
    names += [f"t_{i}" for i in np.flatnonzero(pattern.row_zeros).tolist()]
    return list(dict.fromkeys(name for name in names if name[0].isalpha()))


def _inequalities(pattern: Pattern, form: _Form) -> Iterator[str]:
    """Yield an inequality for each specified entry of the rows that have a 0."""
    entries = pattern.to_array()
    for i in np.flatnonzero(pattern.row_zeros).tolist():
        for j in np.flatnonzero(entries[i] != UNSPECIFIED).tolist():
            relation = ">" if entries[i, j] == 1 else "<"
            yield f"(assert ({relation} {_product(form.queries[i], form.keys[j])} t_{i}))"


def _product(left: Sequence[str], right: Sequence[str]) -> str:
    """Return the inner product as a term."""
    terms = []
    for factors in zip(left, right, strict=True):
        if "0.0" not in factors:
            kept = [factor for factor in factors if factor != "1.0"]
            terms.append(f"(* {' '.join(kept)})" if len(kept) > 1 else "".join(kept) or "1.0")
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else "".join(terms) or "0.0"


# ---------------------------------------------------------------- whole numbers


def _rounded(values: NDArray[Any], bits: int) -> ExactArray:
    """Round to multiples of 2^-bits, as whole numbers."""
    whole = np.array([round(value * (1 << bits)) for value in values.flat], dtype=object)
    if max((abs(value).bit_length() for value in whole), default=0) > _MOST_BITS:
        raise InputError("the model's numbers are too large for a certificate")
    return exact(whole.reshape(values.shape), 2, "the model")


def _thresholds(pattern: Pattern, queries: ExactArray, keys: ExactArray) -> list[int]:
    """Return, per row, the greatest logit over its zeros; below all logits if it has none."""
    entries = pattern.to_array()
    logits = exact_matmul(queries, keys.T)
    return [
        max(row[own == 0].tolist(), default=min(row.tolist()) - 1)
        for row, own in zip(logits, entries, strict=True)
    ]


def _self_attention(problem: Problem, X: ExactArray, W: ExactArray, one: int) -> SelfAttention:
    """Return W_Q = (I, 0) and W_K = ((0, B), (I_f, D)) where W = (B, D), all times `one`."""
    assert problem.d_hid is not None
    d, free = problem.d, problem.d_hid - problem.d
    W_Q = np.eye(problem.d_hid, d, dtype=np.int64)
    W_K = np.zeros((problem.d_hid, d), dtype=object)
    W_K[:, free:] = W
    W_K[d:, :free] = np.eye(free, dtype=np.int64) * one
    thresholds = _thresholds(
        problem.pattern, exact_matmul(X, W_Q), exact_matmul(X, exact(W_K, 2, "W_K"))
    )
    return SelfAttention(X, W_Q, W_K, thresholds)


SMTLIB = Encoding(encode, decode)
