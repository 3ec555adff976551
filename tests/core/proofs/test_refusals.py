"""Checks refuse questions that a proof is not about, and steps that do not hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samapprox import Embedding, InputError, Pattern, Problem
from samapprox.proofs import (
    Balls,
    Chirotope,
    Factors,
    KeyOrder,
    OppositeKeys,
    PartialEmbedding,
    SelfAttention,
    SharedChirotope,
    SpherePacking,
    SphericalCode,
)
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.questions import Fit, Margin, Question
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial, Step

EYE = Pattern.from_text("100\n010\n001")
SIX = Pattern.from_text("010011\n101001\n001010\n101011\n100111\n111100")


def shared(size: int, d: int = 2) -> SharedChirotope:
    return SharedChirotope(d, range(size), range(size), False, [])


@pytest.mark.parametrize(
    ("problem", "proof", "fault"),
    [
        (Problem(SIX, 2), shared(6), "about queries and keys of one X, not d = 2"),
        (Problem(SIX, 2, 3), shared(6), "it excludes d_hid = 2, not 3"),
        (Problem(SIX, 32, 32), shared(6, 32), "d_hid = 32 is too large to check"),
        (Problem(SIX, 2, 2), shared(2), "a core of 2 x 2 satisfies every clause of rank 3"),
        (Problem(SIX, 2, 2), shared(6), "the lemmas lead to no contradiction"),
    ],
)
def test_shared_chirotopes(problem: Problem, proof: Proof, fault: str) -> None:
    assert fault in str(check(problem, proof))


@pytest.mark.parametrize(
    ("text", "d", "proof", "fault"),
    [
        ("100\n010\n001", None, ([0, 1, 2], [1, 1, 1]), "unless the dimension is stated"),
        ("100\n010\n001", 2, ([0], [1]), "a single point crosses no other one"),
        ("110\n100\n011", 2, ([0, 1], [1, 1]), "points 0 and 1 of its code do not cross"),
        ("100\n010\n001", 2, ([0, 1, 2], [0, 0, 0]), "points 0 and 4 of its code do not cross"),
        ("100\n010\n001", 2, ([0, 1, 2], [1, 1, 1]), "3 points may lie that far apart"),
    ],
)
def test_spherical_codes(
    text: str, d: int | None, proof: tuple[list[int], list[int]], fault: str
) -> None:
    rows, signs = proof
    question = Margin(Pattern.from_text(text), 1, 100, d)
    assert fault in str(check(question, SphericalCode(rows, [0, 1, 2], signs)))


ALL = [0, 1, 2]
NONE = [[0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "proof", "fault"),
    [
        (
            "1*\n01",
            SpherePacking("columns", [0, 1], [0, 1], [1, 1], [1, 1], [[1, 1]]),
            "its core has a don't-care",
        ),
        (
            "100\n010\n001",
            SpherePacking("columns", ALL, [0], [1, 1, 1], [1, 1, 1], NONE),
            "a single element is not apart from any other",
        ),
        (
            "11\n11",
            SpherePacking("rows", [0, 1], [0, 1], [1, 1], [9, 9], [[0, 0]]),
            "two of its elements differ in no other of positive weight",
        ),
        (
            "100\n010\n001",
            SpherePacking("rows", ALL, ALL, [1, 2, 3], [9, 9, 9], NONE),
            "the weights of the ones of two rows have different sums",
        ),
        (
            "100\n010\n001",
            SpherePacking("columns", ALL, ALL, [1, 1, 1], [1, 1, 1], NONE),
            "the factor does not show that the diagonal bounds the spread",
        ),
        (
            "100\n010\n001",
            SpherePacking("columns", ALL, ALL, [1, 1, 1], [9, 9, 9], NONE),
            "3 points may lie that far apart in dimension 2",
        ),
    ],
)
def test_sphere_packings(text: str, proof: Proof, fault: str) -> None:
    assert check(Margin(Pattern.from_text(text), 1, 2, 2), proof) == fault


@pytest.mark.parametrize(
    ("columns", "by", "fault"),
    [
        ([0, 1], [0, 0], "a cycle of 2 keys is not odd"),
        ([0, 1, 2], [0, 1, 3], "by names a row of the core outside 0..2"),
        ([0, 1, 2], [0, 0, 0], "row 0 does not separate column 1 and column 2"),
        ([0, 1, 2], [0, 1, 1], "row 1 does not separate column 2 and column 0"),
    ],
)
def test_opposite_keys(columns: list[int], by: list[int], fault: str) -> None:
    proof = OppositeKeys(range(len(columns)), columns, by)
    assert check(Problem(EYE, 1, similarity="cosine"), proof) == fault


@pytest.mark.parametrize(
    ("text", "similarity", "places", "fault"),
    [
        ("110\n011", "cosine", [0, 1, 2], "intervals of a line do not prove YES for d = 1 with"),
        ("110\n011", "l2", [0, 1], "it has 2 places for 3 columns"),
        ("110\n101", "l2", [0, 1, 2], "row 1 has 2 runs of ones along the line"),
        ("110\n101", "l2", [0, 1, 1], "row 0 has both a one and a zero at one place"),
    ],
)
def test_orders_of_keys(text: str, similarity: str, places: list[int], fault: str) -> None:
    problem = Problem(Pattern.from_text(text), 1, similarity=similarity)
    assert str(check(problem, KeyOrder("line", places))).startswith(fault)


def test_complements_have_no_balls_or_intervals() -> None:
    """Merged with its complement, a row has another answer for distances."""
    merged = simplify(Pattern.from_text("1000\n0111\n0110\n1010"))
    assert merged.flipped.any()
    line = KeyOrder("line", [0, 1, 2, 3])
    assert line.lift(merged) == "the complement of an interval is no interval"
    assert isinstance(KeyOrder("circle", [0, 1, 2, 3]).lift(merged), KeyOrder)
    assert Balls([[0]], [1], [[0]] * 4, [0]).lift(merged) == "the complement of a ball is no ball"


def fits(text: str, wrong: int = 0) -> Question:
    return Fit(Pattern.from_text(text), 1, wrong, at=1)


@pytest.mark.parametrize(
    ("question", "wrong", "above", "fault"),
    [
        (fits("10\n01"), [], [4], "it names entry 4, which the pattern does not have"),
        (fits("10\n01\n11", 1), [2], [4], "it names zeros of wrong rows"),
        (fits("10\n01"), [], [0], "it names entries that are not zeros"),
        (fits("1*\n01"), [], [1], "it names entries that are not zeros"),
        (fits("10\n01"), [], [1], "row 0 has 2 ones and zeros before them, more than 1"),
        (Fit(Pattern.from_text("10\n01"), 1, 0), [], [1], "its zeros may not stand before ones"),
    ],
)
def test_zeros_before_ones(
    question: Question, wrong: list[int], above: list[int], fault: str
) -> None:
    embedding = Embedding([[1], [-1]], [[1], [-1]], [0, 0])
    assert check(question, PartialEmbedding("rows", wrong, embedding, above)) == fault


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Embedding([[1], [1]], [[1]], [0]), "1 thresholds for 2 queries"),
        (lambda: SelfAttention([[1], [1]], [[1]], [[1]], [0]), "1 thresholds for 2 tokens"),
        (lambda: Factors([[1], [1]], [[1]], [0]), "1 thresholds for 2 rows"),
        (lambda: Balls([[1, 2]], [1], [[1]], [0]), "centers have dimension 2 but keys 1"),
        (lambda: Step(1, 2, 2, [], [0, 1, 3, 4]), "a step compares two different terms"),
        (
            lambda: Embedding([[1, 2]], [[1, 2]], [0]).self_attention(3),
            r"X = \[Q K\] needs d_hid >= 2d = 4, not 3",
        ),
        (
            lambda: Chirotope(1, [0], [0], "rows", 3, []),  # type: ignore[arg-type]
            "relations must be true, false or numbers, not 3",
        ),
        (
            lambda: SharedChirotope(2, [0], [0], 3, []),  # type: ignore[arg-type]
            "relations must be true or false, not 3",
        ),
        (
            lambda: FinalPolynomial([1, -1], []),
            "signs must be literals of different variables",
        ),
    ],
)
def test_parts_of_a_proof_fit_together(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
