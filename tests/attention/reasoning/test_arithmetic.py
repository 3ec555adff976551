"""Arithmetic modulo p against Python's parser, and the longest chains by enumeration."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.reasoning.arithmetic import Arithmetic, calculate
from samapprox.attention.reasoning.replay import first_mistake

TASK = Arithmetic()


def evaluate(text: str, p: int) -> int:
    """The value of an expression as Python parses it; ZeroDivisionError as Python has it."""

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, int)
            return node.value
        assert isinstance(node, ast.BinOp)
        one, other = value(node.left), value(node.right)
        match node.op:
            case ast.Add():
                return (one + other) % p
            case ast.Sub():
                return (one - other) % p
            case ast.Mult():
                return one * other % p
            case _:
                if other % p == 0:
                    raise ZeroDivisionError
                return one * pow(other, -1, p) % p

    return value(ast.parse(text, mode="eval").body)


def equations(task: Arithmetic, text: str) -> list[str]:
    chain = task.chain(task.parse(text))
    assert first_mistake(task, chain.tokens, chain.needs, chain.answer) is None
    return "".join(task.words(chain.tokens)).split("=")


@st.composite
def expressions(draw: st.DrawFn, p: int, depth: int = 3) -> str:
    """Any expression: brackets where they are needed, and some where they are not."""

    def expression(depth: int) -> str:
        if depth == 0 or draw(st.integers(0, 3)) == 0:
            return str(draw(st.integers(0, p - 1)))
        signs = draw(st.lists(st.sampled_from("+-*/"), min_size=1, max_size=3))
        parts = [expression(depth - 1) for _ in range(len(signs) + 1)]
        parts = [part if part.isdigit() else f"({part})" for part in parts]
        return "".join(a + b for a, b in zip(parts, [*signs, ""], strict=True))

    text = expression(depth)
    assume(not text.isdigit())
    return text


@pytest.mark.parametrize("p", [2, 3, 11, 999983])
@given(data=st.data())
def test_each_equation_has_the_value_that_python_computes(p: int, data: st.DataObject) -> None:
    task = Arithmetic(p)
    text = data.draw(expressions(p))
    try:
        answer = evaluate(text, p)
    except ZeroDivisionError:
        with pytest.raises(InputError, match=f"division by zero: .*/0 modulo {p}"):
            task.parse(text)
        return
    assert {evaluate(part, p) for part in equations(task, text)} == {answer}


def test_random_expressions_have_the_value_that_python_computes() -> None:
    for m in (1, 2, 6, 16):
        for chain in TASK.generate(m, seed=7, count=50):
            parts = "".join(TASK.words(chain.tokens)).split("=")
            assert len(parts) == m + 1
            assert {evaluate(part, 11) for part in parts} == {chain.answer}
            assert first_mistake(TASK, chain.tokens, chain.needs, chain.answer) is None


def test_a_large_prime_gives_the_fraction() -> None:
    p = 999983
    answer = equations(Arithmetic(p), "7/(9-2*3)+1/(5/(2-9))")[-1]
    value = Fraction(7, 3) + Fraction(-7, 5)
    assert int(answer) == value.numerator * pow(value.denominator, -1, p) % p


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*(1+5)/4", "2*(1+5)/4=2*6/4=1/4=3"),
        ("1-2*3", "1-2*3=1-6=6"),
        ("1-2-3", "1-2-3=10-3=7"),
        ("1-(2-3)", "1-(2-3)=1-10=2"),
        ("1+2*3+4", "1+2*3+4=1+6+4=7+4=0"),
        ("8/4/2", "8/4/2=2/2=1"),
        ("8/(4/2)", "8/(4/2)=8/2=4"),
        ("(1+2)*(3+4)", "(1+2)*(3+4)=3*(3+4)=3*7=10"),
        ("((1+2)*3-4)*5", "((1+2)*3-4)*5=(3*3-4)*5=(9-4)*5=5*5=3"),
        ("2-3*(4+5)*6", "2-3*(4+5)*6=2-3*9*6=2-5*6=2-8=5"),
    ],
)
def test_the_leftmost_handle_comes_first(text: str, expected: str) -> None:
    assert "=".join(equations(TASK, text)) == expected


def brackets(leaves: int) -> Iterator[tuple[list[int], list[int]]]:
    """All ways to put brackets, none of them redundant: how many open and close at each leaf."""
    pairs = [(i, j) for i in range(leaves) for j in range(i + 1, leaves) if j - i < leaves - 1]

    def choose(rest: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        if not rest:
            yield []
            return
        (i, j), *others = rest
        yield from choose(others)
        fits = [(a, b) for a, b in others if b < i or a > j or i <= a <= b <= j or a <= i <= j <= b]
        for chosen in choose(fits):
            yield [(i, j), *chosen]

    for chosen in choose(pairs):
        opened = [sum(i == leaf for i, _ in chosen) for leaf in range(leaves)]
        closed = [sum(j == leaf for _, j in chosen) for leaf in range(leaves)]
        yield opened, closed


def all_expressions(m: int) -> Iterator[str]:
    """All expressions of m operators, up to the numbers and up to + or -, * or /."""
    for opened, closed in brackets(m + 1):
        for signs in product("+*", repeat=m):
            yield "".join(
                "(" * opened[leaf] + "1" + ")" * closed[leaf] + (*signs, "")[leaf]
                for leaf in range(m + 1)
            )


@pytest.mark.parametrize(
    ("m", "count"), [(1, 1), (2, 3), (3, 11), (4, 45), pytest.param(5, 197, marks=pytest.mark.slow)]
)
def test_the_longest_chain_by_enumeration(m: int, count: int) -> None:
    """2 m^2 + 2 m + 1 tokens at most, and that many for some expression."""
    lengths = [len(TASK.chain(TASK.parse(text))) for text in all_expressions(m)]
    assert len(lengths) == count * 2**m  # the little Schroeder numbers
    assert max(lengths) == 2 * m * m + 2 * m + 1 == TASK.longest(m)
    assert min(lengths) == m * m + 3 * m + 1


def test_the_paper_s_lengths() -> None:
    """The first of 87, 221, 355 and 505 in Section 6.1 cannot be reached."""
    bounds = [TASK.longest(m) for m in TASK.sizes]
    assert bounds == [85, 221, 365, 545]
    for m, bound, printed in zip(TASK.sizes, bounds, (87, 221, 355, 505), strict=True):
        nested = "(" * (m - 1) + "1" + "+1)" * (m - 1) + "+1"
        assert len(TASK.chain(TASK.parse(nested))) == bound
        assert (printed <= bound) == (m != 6)


def test_no_random_chain_is_longer() -> None:
    lengths = [len(chain) for chain in TASK.generate(6, seed=0, count=500)]
    assert max(lengths) <= 85
    assert len(set(lengths)) > 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "division by zero: 1/0 modulo 11"),
        ("5/(3-3)", "division by zero: 5/0 modulo 11"),
        ("1/(6+5)", "division by zero: 1/0 modulo 11"),
        ("(1+2", "symbol 0: the bracket ( is never closed"),
        ("2*(1+(2", "symbol 5: the bracket ( is never closed"),
        ("1+2)", "symbol 3: the bracket ) was never opened"),
        ("(1+2)", "the brackets at symbols 0 and 4 are redundant; leave them out"),
        ("1+(2)", "the brackets at symbols 2 and 4 are redundant"),
        ("1*((2+3))", "the brackets at symbols 2 and 8 are redundant"),
        ("1*()", "symbol 3 must be a number or (, not )"),
        ("1+", "a number or ( must follow the last symbol, +"),
        ("-1", "symbol 0 must be a number or (, not -"),
        ("1++2", "symbol 2 must be a number or (, not +"),
        ("1 2+3", "symbol 1 must be an operator or ), not 2"),
        ("2(1+3)", "symbol 1 must be an operator or ), not ("),
        ("12+1", "symbol 0: a number must be in 0..10, not 12"),
        ("1+" + "9" * 5000, "symbol 2: a number must be in 0..10, not 999"),
        ("1^2", "symbol 1 must be a number or one of + - * / ( ), not '^'"),
        ("1+x", "symbol 2 must be a number or one of"),
        ("1+\u0663", "symbol 2 must be a number or one of"),
        ("5", "the expression has no operator"),
        ("1" + "+1" * 2000, "the chain has up to 8004001 tokens"),
    ],
)
def test_bad_input(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TASK.parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


def test_the_signs_of_print() -> None:
    assert TASK.parse("2 \u00d7 3 \u00f7 4 \u2212 1").tolist() == TASK.parse("2*3/4-1").tolist()


@pytest.mark.parametrize("p", [2, 3, 7])
def test_all_calculations(p: int) -> None:
    for one, other in product(range(p), repeat=2):
        assert calculate(one, "+", other, p) == (one + other) % p
        assert (calculate(one, "-", other, p) + other) % p == one
        assert calculate(one, "*", other, p) == one * other % p
        if other:
            assert calculate(one, "/", other, p) * other % p == one
