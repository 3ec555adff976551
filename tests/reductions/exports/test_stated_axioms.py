"""Axioms of exports: their comments hold all that a reader needs to confirm them."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from samapprox.proofs.refutations.final_polynomial import FinalPolynomial, Step
from samapprox.proofs.refutations.symmetry import Automorphism, Symmetry
from samapprox.reductions.exports.orientations import (
    polynomial_axioms,
    symmetry_axioms,
    write_terms,
)

NAMES = ["o", "a", "b", "c"]


def test_terms_hold_each_of_the_four_once() -> None:
    """The three ways to pair them, each element of the fixed ones in both brackets."""
    terms = [re.findall(r"\[(.*?)\]", term) for term in write_terms(["x", "y"], "abcd")]
    pairs = {frozenset(frozenset(bracket.split()[2:]) for bracket in term) for term in terms}
    halves = [frozenset(pair) for pair in combinations("abcd", 2) if "a" in pair]
    assert pairs == {frozenset({half, frozenset("abcd") - half}) for half in halves}
    assert all(bracket.split()[:2] == ["x", "y"] for term in terms for bracket in term)


@pytest.mark.parametrize(("power", "written"), [(1, ""), (3, " (power 3)")])
def test_polynomials_state_their_inequalities(power: int, written: str) -> None:
    polynomial = FinalPolynomial([1, -2, 5], [Step(power, 0, 2, [], [0, 1, 2, 3])])
    (axioms,) = polynomial_axioms([polynomial], NAMES)
    assert axioms.is_stated
    assert axioms.clauses.tolist() == [list(polynomial.clause)]
    assert axioms.origin(0) == f"final polynomial 0: |[o a][b c]| > |[o c][a b]|{written}"


def test_automorphisms_can_be_read_back() -> None:
    turn = Automorphism([0, 2, 3, 1], [2], [[1, -2], [3, 3, 4]])
    mirror = Automorphism(range(4), [], [[1]])
    axioms = list(symmetry_axioms(Symmetry([1, 2], [turn, mirror]), NAMES))
    assert [each.clauses.tolist() for each in axioms] == [[[1, -2]], [[3, 4]], [[1]]]
    assert all(each.is_stated for each in axioms)
    assert axioms[0].origin(0) == axioms[1].origin(0)
    number, moves = axioms[0].origin(0).split(": ")
    assert number == "automorphism 0"
    images = {}
    for move in moves.split(", "):
        image, element = move.split(" as ")
        images[NAMES.index(element.removeprefix("-"))] = (image, element.startswith("-"))
    assert images == {1: ("b", False), 2: ("c", True), 3: ("a", False)}
    assert axioms[2].origin(0) == "automorphism 1: the mirror"


def test_without_symmetry_there_are_no_axioms() -> None:
    assert list(symmetry_axioms(None, NAMES)) == []
