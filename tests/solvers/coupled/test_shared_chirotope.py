"""Refutations of one X: what they prove, and what the check refuses."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.solvers.coupled_patterns import SHARED_NO
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Certificate, InputError, Pattern, Problem, Status, Verdict, decide, verify
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import SharedChirotope
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.token_clauses import token_clauses
from samapprox.reductions.families import generate
from samapprox.solvers.coupled import tokens
from samapprox.solvers.engine.search import Search


@cache
def refuted() -> tuple[Problem, SharedChirotope]:
    problem = Problem(SHARED_NO, 2, 2)
    proof = tokens.find_proof(problem, Search())
    assert isinstance(proof, SharedChirotope)
    return problem, proof


def test_one_x_is_too_little_though_two_dimensions_are_enough() -> None:
    assert decide(SHARED_NO, 2).status is Status.YES
    verdict = decide(SHARED_NO, 2, 2)
    assert isinstance(verdict.proof, SharedChirotope)
    assert Verdict(verdict.problem, verdict.proof).lower == 1  # the free case is not refuted
    assert verdict.below is not None
    assert verdict.below.problem == Problem(SHARED_NO, 1)
    assert verdict.lower == 2  # by the line test alone
    assert "one X with 2 columns" in verdict.proof.explain(verdict.problem)[0]


def test_the_core_is_minimal() -> None:
    problem, proof = refuted()
    entries = problem.pattern.to_array().copy()
    for lines, mute in ((proof.rows, lambda k: (k,)), (proof.columns, lambda k: (slice(None), k))):
        for line in lines:
            weaker = entries.copy()
            weaker[mute(line)] = UNSPECIFIED
            keep = np.full(entries.shape, UNSPECIFIED)
            keep[np.ix_(proof.rows, proof.columns)] = weaker[np.ix_(proof.rows, proof.columns)]
            signs = keep.astype(np.int8)
            part = signs[np.ix_(proof.rows, proof.columns)]
            assert satisfiable(part, proof)


def satisfiable(part: np.ndarray, proof: SharedChirotope) -> bool:
    from pysat.solvers import Solver

    with Solver("cadical153") as solver:
        solver.add_clause([1])
        for block in token_clauses(
            part, proof.rows, proof.columns, 2, 2, relations=proof.relations
        ):
            solver.append_formula(block.clauses.tolist())
        return bool(solver.solve())


def test_it_proves_what_it_says_and_no_more() -> None:
    problem, proof = refuted()
    pattern, parts = problem.pattern, (proof.rows, proof.columns, proof.relations)
    assert check(problem, proof) is None
    assert check(Problem(pattern, 1, 1), proof) is None
    assert "excludes d_hid = 2, not 3" in str(check(Problem(pattern, 2, 3), proof))
    for free in (Problem(pattern, 2), Problem(pattern, 2, 4), Problem(pattern, 1, 2)):
        assert "of one X" in str(check(free, proof))
    assert "no contradiction" in str(check(problem, SharedChirotope(2, *parts, [])))
    assert "beyond" in str(check(problem, SharedChirotope(2, *parts, [[10**6]])))
    fewer = SharedChirotope(2, proof.rows[:-1], *parts[1:], proof.lemmas)
    assert check(problem, fewer) is not None
    larger = SharedChirotope(3, *parts, proof.lemmas)
    assert check(problem, larger) is not None
    assert "satisfies every clause" in str(check(problem, SharedChirotope(2, [0], [1], False, [])))
    assert "too large" in str(
        check(
            Problem(generate("random", rows=60, columns=60).pattern, 4, 4),
            SharedChirotope(4, range(60), range(60), False, []),
        )
    )
    with pytest.raises(InputError, match="must ascend"):
        SharedChirotope(2, [1, 0], [0, 1], False, [])
    with pytest.raises(InputError, match="d_hid must be a whole number"):
        SharedChirotope(0, [0], [0], False, [])


@given(st.data())
def test_mutated_certificates_are_refused_or_still_right(data: st.DataObject) -> None:
    """A pattern that differs in one entry of the core, or a changed lemma, gives NO at most."""
    document = CERTIFICATE
    changed: dict[str, Any] = copy.deepcopy(document)
    lemmas = changed["proof"]["lemmas"]
    kind = data.draw(st.sampled_from(["drop", "flip", "d_hid", "rows", "columns", "question"]))
    at = data.draw(st.integers(0, len(lemmas) - 1))
    if kind == "drop":
        del lemmas[at]
    elif kind == "flip":
        lemmas[at][0] = -lemmas[at][0]
    elif kind == "d_hid":
        changed["proof"]["d_hid"] = data.draw(st.sampled_from([0, 1, 3, 10**9, -1]))
    elif kind == "question":
        changed["problem"] = {"d": 2, "d_hid": data.draw(st.sampled_from([None, 3, 4, 9]))}
    else:
        del changed["proof"][kind][data.draw(st.integers(0, len(changed["proof"][kind]) - 1))]
    try:
        held = Certificate.from_json(changed).verify(SHARED_NO)
    except InputError:
        return
    assert not held or (changed["problem"] == document["problem"] and kind in ("drop", "flip"))


CERTIFICATE = json.loads(json.dumps(Certificate.of(*refuted()).to_json()))


def test_the_rank_of_the_weights_is_part_of_the_proof() -> None:
    """A proof names d and d_hid, excludes no more, and is read back as it was written."""
    proof = SharedChirotope(3, [0, 1], [0, 1], False, [], 2)
    assert (proof.d, proof.d_hid, proof.dimension) == (2, 3, 2)
    pattern = generate("random", rows=9, columns=9).pattern
    assert "excludes dimension 2, not d = 3" in str(check(Problem(pattern, 3, 3), proof))
    assert "excludes d_hid = 3, not 4" in str(check(Problem(pattern, 3, 4), replaced_d(proof, 3)))
    document = Certificate.of(Problem(pattern, 2, 3), proof).to_json()
    assert document["proof"]["d"] == 2
    assert Certificate.from_json(document).to_json() == document
    with pytest.raises(InputError, match="d <= d_hid < 2d is needed"):
        SharedChirotope(4, [0], [0], False, [], 2)
    huge = SharedChirotope(10**9, range(4), range(4), False, [], 10**9 - 1)
    assert "too large to check" in str(check(Problem(pattern, 2, 3), huge))


def replaced_d(proof: SharedChirotope, d: int) -> SharedChirotope:
    return SharedChirotope(proof.d_hid, proof.rows, proof.columns, proof.relations, proof.lemmas, d)


ALTERNATING = Pattern.from_array(
    np.fromfunction(lambda k, t: ((7 * t - k) % 8 < 2) ^ (k % 2 == 1), (8, 8), dtype=int).astype(
        int
    )
)
"""Arcs of two keys on a ring, every other row a complement; the ring runs backwards."""


def test_the_rank_of_the_weights_refutes_what_one_x_alone_does_not() -> None:
    assert decide(ALTERNATING, 2).status is Status.YES
    alone = tokens.find_proof(Problem(ALTERNATING, 3, 3), Search.within(60, 0))
    assert alone == "the whole pattern has consistent orientations"
    verdict = decide(ALTERNATING, 2, 3, only=["tokens"])
    assert isinstance(verdict.proof, SharedChirotope)
    assert (verdict.proof.d, verdict.proof.d_hid) == (2, 3)
    assert verify(ALTERNATING, verdict.certificate)
    words = verdict.proof.explain(verdict.problem)[0]
    assert "orientations (signs of determinants) in dimension 2" in words
    assert "excludes dimension 2, not d = 3" in str(
        check(Problem(ALTERNATING, 3, 3), verdict.proof)
    )
