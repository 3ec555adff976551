"""SAT solvers agree with the decision; their models and proofs become certificates or nothing."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from helpers.reductions.encoded import (
    PROOF,
    REFUTED,
    REFUTED_CNF,
    proven,
    random_pattern,
    sat_answer,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Problem, data, decide, load
from samapprox.proofs.refutations.orientation_clauses import subset_ranks
from samapprox.reductions.encodings import decode, encode
from samapprox.reductions.families import generate
from samapprox.results import Status
from samapprox.results.verdict import Verdict
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.realize import realize


@cache
def encoded_and_decided(seed: int, elements: str) -> tuple[Pattern, str, str]:
    """A random pattern, its encoding for all solvers, and the answer of the library."""
    rows, columns, d = (7, 8, 2) if seed % 2 else (7, 6, 1 + seed // 4)
    pattern = random_pattern(rows, columns, seed, stars=0.1 * (seed % 3))
    # All uniform oriented matroids of rank 3 on up to 8 elements are realizable.
    text = encode(Problem(pattern, d), "dimacs", elements=elements, relations=True)
    return pattern, text, decide(pattern, d).status.value


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose4"])
@pytest.mark.parametrize("elements", ["rows", "columns"])
def test_sat_solvers_agree_with_the_decision(solver: str, elements: str) -> None:
    answers = []
    for seed in range(8):
        pattern, text, decided = encoded_and_decided(seed, elements)
        answers.append(proven(decode(pattern, sat_answer(text, solver), text)))
        assert answers[-1] == decided
    assert set(answers) == {"YES", "NO"}


def test_without_relations_the_answer_is_right_or_none() -> None:
    for seed in range(6):
        pattern = random_pattern(9, 7, seed)
        text = encode(Problem(pattern, 2), "dimacs")
        answer = sat_answer(text, "glucose4")
        verdict = decode(pattern, answer, text, time_limit=0.3)
        assert proven(verdict) in (decide(pattern, 2).status.value, "UNKNOWN")
        assert (verdict.status is Status.NO) == ("SATISFIABLE" not in answer)


def test_a_refutation_of_a_part_is_one_of_the_whole() -> None:
    pattern = generate("random", rows=40, columns=40, seed=3).pattern
    part = {"rows": list(range(20)), "columns": list(range(4, 16))}
    text = encode(Problem(pattern, 2), "dimacs", **part)
    assert proven(decode(pattern, sat_answer(text, "glucose4"), text)) == "NO"
    easy = encode(Problem(pattern, 2), "dimacs", rows=[0, 1, 2], columns=[0, 1, 2, 3, 4])
    verdict = decode(pattern, sat_answer(easy, "glucose4"), easy)
    assert verdict.status is Status.UNKNOWN
    assert "part of the pattern" in verdict.trail[0].outcome


def test_a_refutation_serves_the_coupled_case_and_a_model_does_not() -> None:
    no, yes = (generate("random", rows=9, columns=9, seed=1).pattern, Pattern.from_text("10\n01"))
    text = encode(Problem(no, 2, 3), "dimacs")
    assert proven(decode(no, sat_answer(text, "glucose4"), text)) == "NO"
    text = encode(Problem(yes, 1, 1), "dimacs")
    verdict = decode(yes, sat_answer(text, "glucose4"), text)
    assert verdict.status is Status.UNKNOWN
    assert "share" in verdict.trail[0].outcome


@settings(max_examples=60)
@given(st.data())
def test_a_mutated_proof_proves_no_or_is_refused(data: st.DataObject) -> None:
    """Whatever is accepted went through the checker; YES can never come of it."""
    lines = PROOF.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = data.draw(
            st.sampled_from(["", "d 1 0", "1 0", "-1 0", "99999 0", "x", "0", lines[at] + " 0"])
        )
    verdict = None
    with suppress(InputError):
        verdict = decode(REFUTED, "\n".join(lines), REFUTED_CNF)
    assert verdict is None or proven(verdict) == "NO"


def test_a_huge_rank_is_refused_before_anything_is_built() -> None:
    """The checker would not take what proves NO, nor is there room for 2^41 kinds of covectors."""
    pattern = Pattern.from_array(np.eye(41, 42, dtype=np.int8))
    with pytest.raises(InputError, match="too many for d = 40"):
        encode(Problem(pattern, 40), "dimacs")
    text = encode(Problem(pattern, 41), "dimacs")
    assert decode(pattern, "s SATISFIABLE\nv 1 0\n", text).status is Status.YES


def test_steps_beyond_unit_propagation_are_named() -> None:
    pattern = generate("shattered", n=6).pattern
    text = encode(Problem(pattern, 3), "dimacs")
    with pytest.raises(InputError, match="lemma 0 does not follow by reverse unit propagation"):
        decode(pattern, "2 3 0\n0\n", text)
    with pytest.raises(InputError, match="lead to no contradiction"):
        decode(pattern, "s UNSATISFIABLE\n0\n", text)


@pytest.mark.parametrize(
    "answer",
    ["s UNSATISFIABLE\n", "c cadical\nc no proof\ns UNSATISFIABLE\nc exit 20\n", "UNSAT\n"],
)
def test_unsatisfiable_without_a_proof_is_unknown_and_says_how_to_get_one(answer: str) -> None:
    verdict = decode(REFUTED, answer, REFUTED_CNF)
    assert verdict.status is Status.UNKNOWN
    said = verdict.trail[0].outcome
    assert "gives no proof" in said
    assert "cadical --no-binary" in said


@pytest.mark.parametrize("answer", ["s UNSATISFIABLE\n1 0\n", "", "c nothing\n", "d 1 0\n"])
def test_a_proof_that_breaks_off_is_refused(answer: str) -> None:
    with pytest.raises(InputError, match="the answer proves nothing"):
        decode(REFUTED, answer, REFUTED_CNF)


def test_what_follows_from_satisfiable_clauses_refutes_nothing() -> None:
    pattern = generate("halfspaces", rows=9, columns=8, d=2, seed=0).pattern
    text = encode(Problem(pattern, 2), "dimacs")
    for answer in ("0", "1 0\n0", "s UNSATISFIABLE\n0\n"):
        with pytest.raises(InputError, match="the answer proves nothing"):
            decode(pattern, answer, text)
    assert decode(pattern, "s UNSATISFIABLE\n", text).status is Status.UNKNOWN


def test_an_assignment_must_be_a_model() -> None:
    with pytest.raises(InputError, match="violates the clause"):
        decode(REFUTED, "s SATISFIABLE\nv 1 2 3 0\n", REFUTED_CNF)


def test_a_model_that_no_points_have_proves_nothing() -> None:
    """Its columns are the only oriented matroid of nine elements and rank 3 without vectors."""
    pattern = load(data.path("oriented-matroids/rank3_n9_2173.npz"))
    text = encode(Problem(pattern, 2), "dimacs", relations=True)
    verdict = decode(pattern, sat_answer(text, "cadical153"), text, time_limit=0.5)
    assert verdict.status is Status.UNKNOWN
    assert "no points were found" in verdict.trail[0].outcome


def test_the_map_of_variables_is_the_checkers() -> None:
    pattern = random_pattern(5, 7, 0)
    text = encode(Problem(pattern, 2), "dimacs", elements="columns")
    for number, names in re.findall(r"^c (\d+): columns ([\d ]+)$", text, re.MULTILINE):
        subset = np.array([[int(name) for name in names.split()]])
        assert int(subset_ranks(subset)[0]) == int(number) - 1
    assert "c 1: rows + 0 1\n" in encode(Problem(pattern, 2), "dimacs", elements="rows")


def orientations(vectors: np.ndarray) -> np.ndarray:
    """Signs of all determinants, in colexicographic order."""
    subsets = list(combinations(range(len(vectors)), vectors.shape[1]))
    signs = [np.sign(np.linalg.det(vectors[list(s)])) for s in subsets]
    return np.array(signs, dtype=np.int8)[np.argsort(subset_ranks(np.array(subsets)))]


@given(st.integers(1, 3), st.sampled_from(["rows", "columns"]), st.integers(0, 2**31))
def test_points_are_found_for_their_own_orientations(d: int, elements: str, seed: int) -> None:
    rng = np.random.RandomState(seed)
    queries, keys = rng.normal(size=(6, d + 1)), rng.normal(size=(7, d + 1))
    keys[:, -1] = abs(keys[:, -1])
    queries[~(queries @ keys.T > 0).any(axis=1)] *= -1
    vectors = keys if elements == "columns" else np.vstack([np.eye(d + 1)[-1:], queries])
    problem = Problem(Pattern.from_array(queries @ keys.T > 0), d)
    found = realize(problem, orientations(vectors), elements, Search())
    assert not isinstance(found, str)
    assert Verdict(problem, found).status is Status.YES
