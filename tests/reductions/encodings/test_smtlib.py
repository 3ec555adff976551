"""SMT solvers over the real numbers: their models become certificates."""

from __future__ import annotations

import pytest
from helpers.reductions.encoded import SIMPLE, SIMPLE_SMT, model, proven, random_pattern, smt_answer

from samapprox import InputError, Pattern, Problem, decide
from samapprox.reductions.encodings import decode, encode


def test_z3_models_become_certificates() -> None:
    for seed in range(6):
        pattern = random_pattern(5, 5, seed, stars=0.2 * (seed % 2))
        for d in (1, 2):
            text = encode(Problem(pattern, d), "smtlib")
            answer = smt_answer(text)
            wanted = decide(pattern, d).status.value
            assert proven(decode(pattern, answer, text)) == {"NO": "UNKNOWN"}.get(wanted, wanted)
            assert answer.startswith("unsat" if wanted == "NO" else "sat")


def test_more_dimensions_than_keys_leave_coordinates_that_are_zero() -> None:
    pattern = Pattern.from_text("100\n010\n001")
    text = encode(Problem(pattern, 4), "smtlib")
    verdict = decode(pattern, smt_answer(text), text)
    assert proven(verdict) == "YES"
    assert len(verdict.proof.keys) == 3


def test_coupled_models_become_certificates() -> None:
    pattern = Pattern.from_text("1010\n0110\n0*11\n1001")
    for d_hid in (2, 3):
        text = encode(Problem(pattern, 2, d_hid), "smtlib")
        verdict = decode(pattern, smt_answer(text), text)
        assert proven(verdict) == "YES"
        assert verdict.proof.hidden_dimension == d_hid


@pytest.mark.parametrize(
    "term",
    [
        "2",
        "2.5",
        "(/ 7.0 3.0)",
        "(/ (- 7) (- 3))",
        "(* 2 (+ 1 0.5))",
        "(root-obj (+ (^ x 2) (- 2)) 2)",
        "(root-obj (+ (* 3 (^ x 5)) (* (- 7) x) 1) 3)",
        "(to_real 3)",
    ],
)
def test_real_numbers_in_all_their_forms(term: str) -> None:
    assert proven(decode(SIMPLE, model(q_1_0=term), SIMPLE_SMT)) == "YES"
    with pytest.raises(InputError, match="the answer proves nothing"):
        decode(SIMPLE, model(q_1_0=f"(- {term})"), SIMPLE_SMT)


@pytest.mark.parametrize("status", ["unsat", "unknown", 'unsat\n(error "no ) model")'])
def test_no_model_no_proof(status: str) -> None:
    assert proven(decode(SIMPLE, status, SIMPLE_SMT)) == "UNKNOWN"
