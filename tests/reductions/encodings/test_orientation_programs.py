"""Orientations as integer and pseudo-Boolean programs: other solvers agree with the decision."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.commands import run
from helpers.reductions.encoded import proven, random_pattern
from helpers.reductions.integer_programs import answers_of, opb_answer
from pysat.formula import CNF

from samapprox import InputError, Pattern, Problem, data, decide, load, save
from samapprox.reductions.encodings import decode, encode
from samapprox.reductions.families import generate
from samapprox.results import Status

KINDS = ["mps", "lp", "opb"]


@pytest.mark.parametrize("kind", KINDS)
def test_solvers_agree_with_the_decision(kind: str, tmp_path: Path) -> None:
    patterns = [random_pattern(7, 6, seed, stars=0.1 * (seed % 3)) for seed in range(5, 10)]
    texts = [encode(Problem(pattern, 2), kind) for pattern in patterns]
    answers = answers_of(texts, kind, tmp_path)
    found = [
        proven(decode(pattern, answer, text))
        for pattern, answer, text in zip(patterns, answers, texts, strict=True)
    ]
    assert found == [decide(pattern, 2).status.value for pattern in patterns]
    assert set(found) == {"YES", "NO"}


@pytest.mark.parametrize("elements", ["rows", "columns"])
@pytest.mark.parametrize("relations", [False, True])
def test_the_constraints_are_the_clauses(elements: str, relations: bool) -> None:
    problem = Problem(random_pattern(6, 7, 3, stars=0.1), 2)
    choices = {"elements": elements, "relations": relations}
    clauses = CNF(from_string=encode(problem, "dimacs", **choices)).clauses
    lines = [line for line in encode(problem, "opb", **choices).splitlines() if line[0] != "*"]
    for clause, line in zip(clauses, lines, strict=True):
        left, bound = line.split(" >= ")
        terms = [(int(a), int(v)) for a, v in re.findall(r"([+-]1) x(\d+)", left)]
        assert [a * v for a, v in terms] == clause
        assert bound == f"{1 - sum(literal < 0 for literal in clause)} ;"


def test_the_arrangement_without_vectors_has_orientations_and_proves_nothing() -> None:
    """The only uniform oriented matroid of nine elements and rank 3 that no vectors have."""
    pattern = load(data.path("oriented-matroids/rank3_n9_2173.npz"))
    text = encode(Problem(pattern, 2), "opb", relations=True)
    answer = opb_answer(text)
    assert answer.startswith("s SATISFIABLE")
    verdict = decode(pattern, answer, text, time_limit=0.5)
    assert verdict.status is Status.UNKNOWN
    assert "no points were found" in verdict.trail[0].outcome


def test_a_false_claim_of_infeasibility_is_no_proof() -> None:
    pattern = random_pattern(8, 7, 0)
    assert decide(pattern, 2).status is Status.YES
    text = encode(Problem(pattern, 2), "opb")
    for answer in (
        "s UNSATISFIABLE\n",
        "Model status\nInfeasible\n",
        "Infeasible - objective value 0.00000000\n**    0 x1    0.5    0\n",  # CBC
        "solution status: infeasible\nno solution available\n",  # SCIP
        "pseudo-Boolean proof version 2.0\n",
    ):
        verdict = decode(pattern, answer, text, time_limit=1.0)
        assert verdict.status is Status.UNKNOWN
        assert "its word is no certificate" in verdict.trail[0].outcome


def test_a_part_refutes_the_whole_and_a_solution_of_a_part_proves_nothing() -> None:
    pattern = generate("random", rows=40, columns=40, seed=3).pattern
    part = {"rows": list(range(20)), "columns": list(range(4, 14)), "relations": False}
    text = encode(Problem(pattern, 2), "opb", **part)
    assert proven(decode(pattern, "s UNSATISFIABLE\n", text)) == "NO"
    easy = encode(Problem(pattern, 2), "opb", rows=[0, 1, 2], columns=[0, 1, 2, 3, 4])
    verdict = decode(pattern, opb_answer(easy), easy)
    assert verdict.status is Status.UNKNOWN
    assert "part of the pattern" in verdict.trail[0].outcome


def test_infeasible_orientations_serve_the_coupled_case_and_a_solution_does_not() -> None:
    no = generate("random", rows=9, columns=9, seed=1).pattern
    text = encode(Problem(no, 2, 3), "opb", relations=False)
    assert proven(decode(no, opb_answer(text), text)) == "NO"
    yes = Pattern.from_text("10\n01")
    text = encode(Problem(yes, 1, 1), "opb")
    assert "share" in decode(yes, opb_answer(text), text).trail[0].outcome


def test_a_solution_must_satisfy_the_constraints() -> None:
    pattern = random_pattern(8, 7, 0)
    text = encode(Problem(pattern, 2), "mps")
    with pytest.raises(InputError, match="violates the clause"):
        decode(pattern, "x1 1\nx2 0\n", text)
    with pytest.raises(InputError, match="violates the clause"):
        decode(pattern, "x999999999 1\nx0 1\n", text)


def test_the_model_follows_from_the_dimension_and_can_be_chosen(tmp_path: Path) -> None:
    pattern = random_pattern(5, 6, 0)
    source = str(tmp_path / "pattern.npz")
    save(pattern, source)
    for d, default in ((1, "order"), (2, "orientations")):
        texts = {
            model: run("encode", source, "-d", str(d), "--to", "lp", "--model", model).stdout
            for model in ("order", "orientations")
        }
        assert run("encode", source, "-d", str(d), "--to", "lp").stdout == texts[default]
        assert texts["order"] != texts["orientations"]
    refused = run("encode", source, "--to", "lp", "--model", "order", "--rows", "0")
    assert refused.exit_code == 2
    assert "choices of orientations only" in refused.stderr
    refused = run("encode", source, "--to", "dimacs", "--model", "order")
    assert "dimacs has no choice of model" in refused.stderr
    text = encode(Problem(pattern, 2), "opb")
    with pytest.raises(InputError, match="unknown model 'magic'"):
        decode(pattern, "v x1\n", text.replace('"model": "orientations"', '"model": "magic"'))
    with pytest.raises(InputError, match="must be 'order' or 'orientations'"):
        encode(Problem(pattern, 2), "opb", model="magic")


def test_order_models_without_a_named_model_are_read() -> None:
    """As the first versions of the encodings wrote them."""
    pattern = Pattern.from_text("1010\n0110")
    text = encode(Problem(pattern, 2), "mps", model="order").replace('"model": "order", ', "")
    answer = "\n".join(f"p_{j}_{t} 1" for t, j in enumerate([0, 2, 1, 3]))
    assert proven(decode(pattern, answer, text)) == "YES"
