"""Exported refutations of few values, for checkers that are not ours."""

from __future__ import annotations

from itertools import combinations

import dratify
import numpy as np
import pytest
from helpers.checkers.lrat import check_lrat, read_formula
from helpers.checkers.z3_steps import is_accepted

from samapprox import Pattern, decide
from samapprox.reductions.exports import Export, export

CASES = {
    "all pairs of 5": ([[j in pair for j in range(5)] for pair in combinations(range(5), 2)], 3),
    "all pairs of 6": ([[j in pair for j in range(6)] for pair in combinations(range(6), 2)], 4),
    "two of three": (1 - np.eye(3), 1),
}


def exported(name: str, proof_format: str, similarity: str = "binary") -> Export:
    entries, d = CASES[name]
    pattern = Pattern.from_array(np.asarray(entries))
    verdict = decide(pattern, d, similarity=similarity, only=["few-values"])
    assert verdict.status == "NO"
    assert verdict.certificate is not None
    return export(pattern, verdict.certificate, proof_format)


@pytest.mark.parametrize("name", CASES)
def test_hints_lead_to_the_contradiction(name: str) -> None:
    written = exported(name, "lrat")
    assert check_lrat(written.formula, written.proof) == written.lemmas


@pytest.mark.parametrize("name", ["all pairs of 5", "two of three"])
def test_a_verified_checker_confirms(name: str) -> None:
    drup = pytest.importorskip("drup", reason="a checker from the peers extra")
    written = exported(name, "drat")
    _, clauses = read_formula(written.formula)
    lemmas = [tuple(map(int, line.split()[:-1])) for line in written.proof.splitlines()]
    assert drup.check_proof(clauses, lemmas).outcome is drup.Outcome.VALID
    assert drup.check_proof(clauses[1:], lemmas).outcome is drup.Outcome.INVALID


@pytest.mark.parametrize("name", CASES)
def test_z3_confirms(name: str) -> None:
    written = exported(name, "drat")
    _, clauses = read_formula(written.formula)
    lemmas = [tuple(map(int, line.split()[:-1])) for line in written.proof.splitlines()]
    assert lemmas[-1] == ()
    assert is_accepted(clauses, lemmas)


@pytest.mark.parametrize("name", CASES)
def test_a_checker_of_files_confirms(name: str) -> None:
    written = exported(name, "drat")
    assert dratify.check_proof(dratify.parse_dimacs(written.formula), written.proof).ok


@pytest.mark.parametrize("name", ["all pairs of 5", "all pairs of 6"])
def test_a_checker_of_files_needs_the_lemmas(name: str) -> None:
    written = exported(name, "drat")
    lemmas = written.proof.splitlines(keepends=True)
    clauses = dratify.parse_dimacs(written.formula)
    assert not dratify.check_proof(clauses, "".join(lemmas[-1:])).ok


def test_comments_name_what_variables_and_clauses_are_about() -> None:
    formula = exported("two of three", "drat").formula
    assert "with d = 1 with binary queries and keys represents this 3 x 3 pattern" in formula
    assert "c 1: key 0, coordinate 0 is 1\n" in formula
    assert "c 4: levels of key 0 for (1,) >= 1\n" in formula
    assert "c 9: cut of row 1: levels for (1,) < 1\n" in formula
    assert ": no coordinate of key 0 is negative" in formula
