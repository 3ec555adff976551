"""The verified checker accepts what is stored, and agrees with the other two on forgeries."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections import Counter

import numpy as np
import pytest
from helpers.checkers.second_checker import Case, answers, first_status, mutate
from helpers.checkers.verified import FOLDER, NOT_COVERED, verified_answers
from helpers.solvers.divisions import random_tree
from helpers.stored import STORED
from records.lines import read_lines
from records.questions import questions

from samapprox import Pattern, Problem, Verdict, decide
from samapprox.proofs import SelfAttention, load_kinds
from samapprox.proofs.base import Witness
from samapprox.solvers.division.division import divide

COVERED = {
    *("embedding", "self-attention", "moment-curve", "merged", "components"),
    *("caps", "balls", "key-order", "value-embedding", "unit-embedding"),
    *("partial-embedding", "recall-embedding", "factors", "rank-refutation"),
    *("radon", "shattering", "counting", "chirotope", "topological", "padded"),
    *("extended", "opposite-keys", "odd-cycle", "hitting-set"),
}
"""The kinds that the verified checker covers, but not for all questions."""


def kind(case: Case) -> str:
    found: str = json.loads(case.certificate)["proof"]["kind"]
    return found


CASES = [Case("\n".join(stored.rows), stored.text) for stored in STORED.values()]
CANDIDATES = [case for case in CASES if kind(case) in COVERED]


def test_stored_certificates_hold_or_are_not_covered() -> None:
    found = Counter(
        (kind(case), answer.status)
        for case, answer in zip(CASES, verified_answers(CASES), strict=True)
    )
    assert {status for _, status in found} == {0, NOT_COVERED}
    assert {name for name, status in found if status == 0} == COVERED


def test_all_kinds_of_yes_are_covered() -> None:
    assert {kind.KIND for kind in load_kinds() if issubclass(kind, Witness)} <= COVERED


def test_shipped_certificates_hold() -> None:
    table = read_lines()
    cases = []
    for question in questions():
        line = table.get(question.name)
        paths = [] if line is None else [line.certificate(side) for side in ("no", "yes")]
        texts = [gzip.decompress(path.read_bytes()).decode() for path in paths if path.exists()]
        cases += [Case(question.pattern.to_text(), text) for text in texts]
    found = Counter(
        (kind(case), answer.status)
        for case, answer in zip(cases, verified_answers(cases), strict=True)
    )
    kinds = {"embedding", "radon", "shattering", "chirotope", "topological"}
    kinds |= {"factors", "rank-refutation"}
    assert set(found) == {(name, 0) for name in kinds}


def test_glued_patterns_hold() -> None:
    """Parts that share columns, single columns among them, in the plane and in space."""
    cases = []
    for seed in range(40):
        pattern, d = random_tree(np.random.RandomState(seed)), 2 + seed % 2
        division = divide(pattern)
        proofs = [decide(leaf, d, time_limit=30).proof for leaf in division.leaves]
        if all(isinstance(proof, Witness) for proof in proofs):
            glued = division.glue(proofs)  # type: ignore[arg-type]
            certificate = Verdict(Problem(pattern, d), glued).certificate
            cases.append(Case(pattern.to_text(), json.dumps(certificate.to_json())))
    assert sum('"components"' in case.certificate for case in cases) > 10
    assert {answer.status for answer in verified_answers(cases)} == {0}


@pytest.mark.parametrize("name", ["odd-cycle", "odd-cycle on a line"])
def test_a_step_that_replaces_no_column(name: str) -> None:
    document = json.loads(STORED[name].text)
    document["proof"]["walk"].insert(0, document["proof"]["walk"][0])
    case = Case("\n".join(STORED[name].rows), json.dumps(document))
    (verified,), (second,) = verified_answers([case]), answers([case])
    assert first_status(case) == second.status == verified.status == 1


@pytest.mark.parametrize("name", [name for name in STORED if name.startswith("value-embedding")])
def test_values_in_a_larger_dimension(name: str) -> None:
    """Further coordinates can have the same value in all queries, and in all keys."""
    document = STORED[name].document
    document["problem"]["d"] += 2
    case = Case("\n".join(STORED[name].rows), json.dumps(document))
    (verified,), (second,) = verified_answers([case]), answers([case])
    assert first_status(case) == second.status == verified.status == 0


def test_products_of_random_matrices() -> None:
    """Coupled questions with three hidden numbers in the plane."""
    cases = []
    for seed in range(20):
        random = np.random.RandomState(seed)
        x, w_q, w_k = (random.randint(-9, 10, shape) for shape in ((6, 3), (3, 2), (3, 2)))
        logits = x @ w_q @ (x @ w_k).T
        thresholds = logits.max(axis=1) - 1 - random.randint(0, 40, 6)
        pattern = Pattern.from_array(logits > thresholds[:, None])
        proof = SelfAttention(x, w_q, w_k, thresholds)
        document = Verdict(Problem(pattern, 2, 3), proof).certificate.to_json()
        cases.append(Case(pattern.to_text(), json.dumps(document)))
        document["proof"]["thresholds"][seed % 6] = int(logits[seed % 6].max())
        cases.append(Case(pattern.to_text(), json.dumps(document)))
    statuses = [answer.status for answer in verified_answers(cases)]
    assert statuses == [answer.status for answer in answers(cases)] == 20 * [0, 1]


def compare(seed: int, count: int) -> Counter[tuple[str, int]]:
    """Change certificates at random; where the verified checker answers, all three agree."""
    random = np.random.RandomState(seed)
    short = [case for case in CANDIDATES if len(case.certificate) < 1300]
    originals = [*CANDIDATES, *3 * short]
    chosen = [originals[k % len(originals)] for k in range(count)]
    cases = [mutate(case, random) for case in chosen]
    found: Counter[tuple[str, int]] = Counter()
    for before, case, verified, second in zip(
        chosen, cases, verified_answers(cases), answers(cases), strict=True
    ):
        found[kind(before), verified.status] += 1
        if verified.status != NOT_COVERED:
            first = first_status(case)
            assert first == second.status == verified.status, (case, first, second, verified)
    return found


def test_all_three_refuse_the_same_forgeries() -> None:
    found = compare(1, 2000)
    for name in COVERED:
        for status in (0, 1, 2):
            assert found[name, status] > 2, (name, status)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(17))
def test_all_three_refuse_many_forgeries(seed: int) -> None:
    compare(2000 + seed, 6000)


@pytest.mark.slow
def test_the_proofs_are_those_of_the_committed_program() -> None:
    """Coq accepts all proofs; the extraction and the assumptions are the committed ones."""
    if shutil.which("coqc") is None:
        pytest.skip("no coqc here: the proofs are not checked")
    made = ["make", "-C", str(FOLDER), "compare"]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_no_proof_is_left_out() -> None:
    """No axiom and no admitted proof in the sources; the program depends on no assumption."""
    paths = sorted((FOLDER / "theories").rglob("*.v"))
    names = (FOLDER / "Makefile").read_text(encoding="utf-8").split()
    assert {path.stem for path in paths} - set(names) == {"Claims", "Extraction"}
    for path in paths:
        words = set(path.read_text(encoding="utf-8").replace(".", " ").split())
        assert not words & {"Admitted", "admit", "Axiom", "Axioms", "Parameter", "Conjecture"}, path
    lines = (FOLDER / "assumptions.txt").read_text().splitlines()
    assert set(lines) == {"Closed under the global context"}
