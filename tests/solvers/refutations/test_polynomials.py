"""Final polynomials: found where nothing is realizable, never where something is, and checked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from samapprox import InputError, Pattern, Problem, data, load
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.final_polynomial import (
    FinalPolynomial,
    Step,
    brackets,
)
from samapprox.proofs.refutations.orientation_clauses import three_term_relations
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import polynomials

PROBLEM = Problem(load(data.path("oriented-matroids/rank3_n9_2173.npz")), 2)


def proof() -> Chirotope:
    found = polynomials.find_proof(PROBLEM, Search())
    assert isinstance(found, Chirotope)
    assert check(PROBLEM, found) is None
    return found


PROOF = proof()
POLYNOMIAL = PROOF.polynomials[0]


def test_the_relations_have_the_brackets_that_the_checker_expects() -> None:
    relations = three_term_relations(7, 3)
    for fixed, four, six in zip(
        relations.fixed, relations.fours, relations.variables.tolist(), strict=True
    ):
        assert brackets(fixed.tolist(), four.tolist()) == [tuple(six[t : t + 2]) for t in (0, 2, 4)]


def test_without_its_polynomial_the_refutation_fails() -> None:
    parts = {f.name: getattr(PROOF, f.name) for f in dataclasses.fields(PROOF)}
    assert check(PROBLEM, Chirotope(**{**parts, "polynomials": ()})) is not None


@pytest.mark.parametrize("place", ["power", "larger", "smaller", "fixed", "four"])
def test_a_changed_step_is_noticed(place: str) -> None:
    step = POLYNOMIAL.steps[0]
    parts = {f.name: getattr(step, f.name) for f in dataclasses.fields(step)}
    other = next(t for t in range(3) if t not in (step.larger, step.smaller))
    free = [e for e in range(9) if e not in (*step.fixed, *step.four)]
    parts[place] = {
        "power": step.power + 1,
        "larger": other,
        "smaller": other,
        "fixed": [free[0]],
        "four": sorted([*step.four[1:], free[0]]),
    }[place]
    changed = FinalPolynomial(POLYNOMIAL.signs, [Step(**parts), *POLYNOMIAL.steps[1:]])
    assert changed.find_fault(9, 3) is not None


def test_every_sign_matters() -> None:
    for at in range(len(POLYNOMIAL.signs)):
        signs = list(POLYNOMIAL.signs)
        signs[at] = -signs[at]
        assert FinalPolynomial(signs, POLYNOMIAL.steps).find_fault(9, 3) is not None
        del signs[at]
        fault = FinalPolynomial(signs, POLYNOMIAL.steps).find_fault(9, 3)
        assert "not among the signs" in str(fault)


def test_what_makes_no_sense_is_refused() -> None:
    assert FinalPolynomial([1], []).find_fault(9, 3) == "it has no steps"
    assert "other elements" in str(POLYNOMIAL.find_fault(5, 3))
    assert "other elements" in str(POLYNOMIAL.find_fault(9, 4))
    for arguments in (
        (0, 0, 1, [0], [1, 2, 3, 4]),
        (1, 0, 0, [0], [1, 2, 3, 4]),
        (1, 0, 3, [0], [1, 2, 3, 4]),
        (1, 0, 1, [1], [1, 2, 3, 4]),
        (1, 0, 1, [0], [2, 1, 3, 4]),
        (1, 0, 1, [0], [1, 2, 3]),
        (1, 0, 1, [-1], [1, 2, 3, 4]),
    ):
        with pytest.raises(InputError):
            Step(*arguments)
    with pytest.raises(InputError, match="different variables"):
        FinalPolynomial([1, -1], [])


def test_where_clauses_alone_refute_there_is_nothing_to_leave_out() -> None:
    problem = Problem(Pattern.from_array(np.eye(5, dtype=int)), 1)
    found = polynomials.find_proof(problem, Search())
    assert isinstance(found, Chirotope)
    assert not found.polynomials
    assert check(problem, found) is None


def test_it_says_when_its_polynomials_were_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomials, "_MOST_POLYNOMIALS", 2)
    problem = Problem(generate("hadamard", n=8).pattern, 3)
    found = polynomials.find_proof(problem, Search())
    assert found == "2 final polynomials left consistent orientations"
