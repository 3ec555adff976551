"""Exported refutations: checked strictly, by other people's checkers, and against real vectors."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path

import dratify
import numpy as np
import pytest
from helpers.checkers.lrat import LratError, check_lrat, read_formula
from helpers.checkers.plain_clauses import circuit, variable
from helpers.checkers.z3_steps import is_accepted
from helpers.paths import STORED_CERTIFICATES
from helpers.reductions.encoded import random_pattern
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samapprox import (
    Certificate,
    InputError,
    Pattern,
    Problem,
    SignMatrix,
    data,
    decide,
    load,
    rank,
)
from samapprox.proofs import KNOWN_KINDS, Chirotope, Counting, Radon, Shattering
from samapprox.proofs.checker import check
from samapprox.proofs.questions import RankKind
from samapprox.proofs.refutations.symmetry import Automorphism, Symmetry
from samapprox.reductions.exports import _NO_CLAUSES, EXPORTS, SUBJECTS, export, why_not
from samapprox.reductions.exports.few_elements import as_chirotope
from samapprox.reductions.exports.orientations import refutation_of
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import polynomials

OLD = json.loads((STORED_CERTIFICATES / "certificates_of_0.1.json").read_text())
IDENTITY = Pattern(np.eye(3))


def stored(name: str) -> tuple[Pattern, Certificate]:
    pattern = Pattern.from_text("\n".join(OLD[name]["pattern"]))
    return pattern, Certificate.from_json(json.loads(OLD[name]["document"]))


def certified(pattern: Pattern, proof: Chirotope) -> Certificate:
    certificate = Certificate.of(Problem(pattern, proof.d), proof)
    assert certificate.verify(pattern)
    return certificate


def confirmed(pattern: Pattern, certificate: Certificate) -> str:
    """The formula of an export whose LRAT and DRAT proofs agree and hold."""
    with_hints, without = (export(pattern, certificate, name) for name in ("lrat", "drat"))
    assert with_hints.formula == without.formula
    assert check_lrat(with_hints.formula, with_hints.proof) == with_hints.lemmas == without.lemmas
    lemmas = [line.partition(" 0 ")[0].split()[1:] for line in with_hints.proof.splitlines()]
    assert [line.split()[:-1] for line in without.proof.splitlines()][:-1] == lemmas[:-1]
    assert without.proof.endswith("\n0\n") or without.proof == "0\n"
    assert len(read_formula(without.formula)[1]) == without.clauses
    return without.formula


@pytest.mark.parametrize("name", [name for name in OLD if OLD[name]])
def test_every_kind_is_exported_or_says_why_not(name: str) -> None:
    pattern, certificate = stored(name)
    if certificate.proof.KIND in EXPORTS:
        formula = confirmed(pattern, certificate)
        assert pattern.sha256 in formula
        return
    reason = why_not(certificate.proof)
    assert reason is not None
    with pytest.raises(InputError, match=re.escape(reason)):
        export(pattern, certificate)


def test_every_kind_of_no_is_known() -> None:
    for kind, known in KNOWN_KINDS.items():
        no = known.load_class().CLAIM.startswith("NO")
        assert (kind in EXPORTS or kind in SUBJECTS or kind in _NO_CLAUSES) == no


@pytest.mark.parametrize("kind", ["sign", "row"])
@pytest.mark.parametrize("size", [3, 4, 6])
def test_a_refutation_of_a_rank_exports_that_of_a_dimension(size: int, kind: RankKind) -> None:
    names = [f"q{number}" for number in range(size)]
    matrix = SignMatrix.from_array(np.eye(size), row_names=names)
    found = rank(matrix, kind=kind)
    assert found.no_certificate is not None
    formula = confirmed(matrix, found.no_certificate)
    about = formula.splitlines()[0]
    assert about.startswith(f"c samapprox: {found.no.question} is impossible for this {size} x ")
    assert matrix.sha256 in about
    used = {row for case in found.no.proof.cases for row in case.rows[kind == "sign" :]}
    for row in used:
        assert re.search(rf"^c row \d below: row {row} \('q{row}'\)$", formula, re.MULTILINE)


def test_two_cases_of_a_rank_are_refused() -> None:
    matrix = SignMatrix.from_array(np.eye(4))
    certificate = rank(matrix, kind="global").no_certificate
    assert certificate is not None
    with pytest.raises(InputError, match="one case for positive and one for negative thresholds"):
        export(matrix, certificate)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([(4, 4, 1), (6, 6, 1), (8, 6, 2), (9, 7, 2)]))
def test_refutations_of_random_patterns_are_confirmed(
    seed: int, size: tuple[int, int, int]
) -> None:
    rows, columns, d = size
    pattern = random_pattern(rows, columns, seed, stars=0.05 * (seed % 3))
    certificate = decide(pattern, d, time_limit=2.0).certificate
    if (
        certificate is not None
        and certificate.answer == "NO"
        and why_not(certificate.proof) is None
    ):
        confirmed(pattern, certificate)


# ---------------------------------------------------------------- what the clauses say


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from(["rows", "columns"]))
def test_vectors_in_general_position_satisfy_every_clause(seed: int, d: int, elements: str) -> None:
    rng = np.random.default_rng(seed)
    queries, keys = rng.normal(size=(5, d + 1)), np.c_[rng.normal(size=(6, d)), np.ones(6)]
    queries = queries[(queries @ keys.T > 0).any(axis=1)]
    assume(len(queries) > d)
    proof = Chirotope(d, range(len(queries)), range(6), elements, True, [])
    refutation = refutation_of(proof, Pattern(queries @ keys.T > 0))
    extra = np.r_[np.zeros(d), 1.0]
    vectors = keys if elements == "columns" else np.vstack([extra, queries])
    chi = {
        variable(subset): np.linalg.det(vectors[list(subset)]) > 0
        for subset in combinations(range(len(vectors)), d + 1)
    }
    for axioms in refutation.axioms:
        for number, clause in enumerate(axioms.clauses.tolist()):
            holds = any((chi[abs(literal)] == chi[1]) == (literal > 0) for literal in clause)
            assert holds, axioms.origin(number)


@pytest.mark.parametrize("elements", ["rows", "columns"])
def test_each_clause_follows_from_what_its_comment_names(elements: str) -> None:
    pattern, d = random_pattern(9, 7, 1), 2
    size = 7 if elements == "columns" else 10
    proof = Chirotope(d, range(9), range(7), elements, True, [])
    refutation = refutation_of(proof, pattern)
    circuits = next(axioms for axioms in refutation.axioms if "Lemma 3" in axioms.reason)
    matrix = [[1] * 7, *(2 * pattern.to_array().astype(int) - 1).tolist()]
    place = {"+": 0} | {str(i): i + (elements == "rows") for i in range(size)}
    for number in range(0, len(circuits.clauses), 7):
        origin = circuits.origin(number)
        line, _, subset = origin.partition(f" on {elements} ")
        places = tuple(place[name] for name in subset.split())
        at = 0 if line == "the row of +" else int(line.split()[1]) + (elements == "columns")
        signs = [matrix[at][e] if elements == "columns" else matrix[e][at] for e in places]
        wanted = [set(clause) for clause in circuit(signs, places, variable)]
        assert set(circuits.clauses[number].tolist()) in wanted
    assert refutation.variables == comb(size, d + 1)


def test_names_and_variables_stand_in_the_comments() -> None:
    pattern = Pattern(np.eye(3), row_names=["ann", "bob", "c\ny"], column_names=["x", "y", "z"])
    formula = confirmed(pattern, decide(pattern, 1).certificate)
    head = formula[: formula.index("p cnf")].splitlines()
    assert all(line.startswith("c ") for line in head)
    assert "c row 2 ('c\\ny')" in head
    assert "c column 0 ('x')" in head
    assert "c 3: columns 1 2" in head
    assert json.loads(head[1][2:])["core"] == {"rows": [0, 1, 2], "columns": [0, 1, 2]}


def test_final_polynomials_are_named_axioms() -> None:
    pattern = load(data.path("oriented-matroids/rank3_n9_2173.npz"))
    proof = polynomials.find_proof(Problem(pattern, 2), Search())
    assert isinstance(proof, Chirotope)
    exported = export(pattern, certified(pattern, proof))
    assert exported.axioms == len(proof.polynomials)
    [text] = re.findall("^c clause 2: final polynomial 0: (.*)$", exported.formula, re.MULTILINE)
    steps = re.findall(r"\|(.*?)\| > \|(.*?)\|(?: \(power (\d+)\))?", text)
    assert len(steps) == len(proof.polynomials[0].steps)
    powers: Counter[frozenset[str]] = Counter()  # both sides have the same product
    for larger, smaller, power in steps:
        for brackets, sign in ((larger, 1), (smaller, -1)):
            for bracket in re.findall(r"\[(.*?)\]", brackets):
                powers[frozenset(bracket.split())] += sign * int(power or 1)
    assert not any(powers.values())
    confirmed(pattern, certified(pattern, proof))


def test_automorphisms_are_named_axioms() -> None:
    # With the flip of element 2, orientation 2 may be taken as positive; then 1 and 2 suffice.
    flip = Symmetry([1, 2, 3], [Automorphism([0, 1, 2], [2], [[2]])])
    proof = Chirotope(1, range(3), range(3), "columns", False, [], [], flip)
    certificate = certified(IDENTITY, proof)
    exported = export(IDENTITY, certificate)
    assert exported.axioms == 1
    assert "c clause 2: automorphism 0: 2 as -2" in exported.formula
    assert "c Lemma 11 (symmetry)" in exported.formula
    confirmed(IDENTITY, certificate)


# ---------------------------------------------------------------- few elements


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_cores_of_few_elements_are_refutations_of_circuits(d: int) -> None:
    every = np.array([[i >> j & 1 for j in range(d + 2)] for i in range(1, 2 ** (d + 2))])
    pattern = Pattern(every)
    shattered = Pattern(np.c_[every.T[: d + 1], np.ones(d + 1), np.zeros(d + 1)])
    for proof, on in (
        (Radon(range(len(every)), range(d + 2)), pattern),
        (Shattering(range(d + 1), range(shattered.shape[1])), shattered),
    ):
        problem = Problem(on, d)
        assert check(problem, proof) is None
        assert check(problem, as_chirotope(proof, on)) is None


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(4, 8))
def test_counting_cores_contain_radon_cores(seed: int, d: int, columns: int) -> None:
    assume(columns >= d + 2)
    room = sum(comb(columns - 1, i) for i in range(d + 1))
    rng = np.random.default_rng(seed)
    splits = 1 + rng.permutation(2 ** (columns - 1) - 1)[:room]
    assume(len(splits) == room)
    flips = rng.integers(2, size=room)
    entries = [
        [(int(split) >> j & 1) ^ int(flip) for j in range(columns)]
        for split, flip in zip(splits, flips, strict=True)
    ]
    kept = [row for row in entries if any(row)]
    pattern = Pattern(kept)
    proof = Counting(d, range(len(kept)), rng.permutation(columns).tolist())
    assert check(Problem(pattern, d), proof) is None
    assert check(Problem(pattern, d), as_chirotope(proof, pattern)) is None


# ---------------------------------------------------------------- refusals


def test_a_certificate_that_does_not_hold_is_not_exported() -> None:
    proof = Chirotope(1, range(3), range(3), "columns", False, [])
    certificate = Certificate.of(Problem(IDENTITY, 1), proof)
    with pytest.raises(InputError, match=r"not valid: .*no contradiction"):
        export(IDENTITY, certificate)
    with pytest.raises(InputError, match="another pattern"):
        export(Pattern(np.eye(4)), decide(IDENTITY, 1).certificate)
    with pytest.raises(InputError, match="'drat' or 'lrat'"):
        export(IDENTITY, decide(IDENTITY, 1).certificate, "grat")


def test_useless_and_trivial_lemmas_are_left_out() -> None:
    lemmas = [[1, -1], [2, 2, 3, -2], [2, 2], [3, 2], [2]]
    proof = Chirotope(1, range(3), range(3), "columns", False, lemmas)
    exported = export(IDENTITY, certified(IDENTITY, proof), "lrat")
    assert exported.lemmas == 2
    confirmed(IDENTITY, certified(IDENTITY, proof))


PATTERN, CERTIFICATE = stored("chirotope")
EXPORT = export(PATTERN, CERTIFICATE, "lrat")


@settings(max_examples=60)
@given(st.data())
def test_damaged_proofs_are_refused(drawn: st.DataObject) -> None:
    lines = EXPORT.proof.splitlines()
    at = drawn.draw(st.integers(0, len(lines) - 1))
    words = lines[at].split()
    end = words.index("0")
    hint = drawn.draw(st.integers(end + 1, len(words) - 2))
    what = drawn.draw(st.sampled_from(["drop", "rename", "repeat", "lemma"]))
    if what == "drop":
        del words[hint]
    elif what == "rename":
        words[hint] = words[0]
    elif what == "repeat":
        words.insert(hint, words[hint])
    else:
        words = words[:1]
    lines[at] = " ".join(words)
    with pytest.raises((LratError, ValueError)):
        check_lrat(EXPORT.formula, "\n".join(lines))


# ---------------------------------------------------------------- other people's checkers

OTHERS = [name for name in OLD if json.loads(OLD[name]["document"])["proof"]["kind"] in EXPORTS]


@pytest.mark.parametrize("name", OTHERS)
def test_a_verified_checker_confirms(name: str) -> None:
    drup = pytest.importorskip("drup", reason="a checker from the peers extra")
    exported = export(*stored(name))
    _, clauses = read_formula(exported.formula)
    lemmas = [tuple(map(int, line.split()[:-1])) for line in exported.proof.splitlines()]
    assert drup.check_proof(clauses, lemmas).outcome is drup.Outcome.VALID
    assert drup.check_proof(clauses[1:], lemmas).outcome is drup.Outcome.INVALID


def dimacs(variables: int, clauses: list[tuple[int, ...]]) -> dratify.CNF:
    """Return a formula as the checker of files reads it."""
    lines = [" ".join(map(str, [*clause, 0])) for clause in clauses]
    return dratify.parse_dimacs("\n".join([f"p cnf {variables} {len(clauses)}", *lines]))


@pytest.mark.parametrize("name", OTHERS)
def test_a_checker_of_files_confirms(name: str, tmp_path: Path) -> None:
    exported = export(*stored(name))
    formula, proof = tmp_path / "no.cnf", tmp_path / "no.drat"
    formula.write_text(exported.formula)
    proof.write_text(exported.proof)
    assert dratify.check_proof(dratify.parse_dimacs_file(str(formula)), proof.read_text()).ok
    variables, clauses = read_formula(exported.formula)
    assert not dratify.check_proof(dimacs(variables, clauses[1:]), exported.proof).ok


@pytest.mark.parametrize("name", OTHERS)
def test_z3_confirms(name: str) -> None:
    exported = export(*stored(name))
    _, clauses = read_formula(exported.formula)
    lemmas = [tuple(map(int, line.split()[:-1])) for line in exported.proof.splitlines()]
    assert lemmas[-1] == ()
    assert is_accepted(clauses, lemmas)
    assert not is_accepted(clauses[1:], lemmas)


def test_a_checker_of_files_needs_the_lemmas() -> None:
    exported = export(PATTERN, CERTIFICATE)
    formula = dimacs(*read_formula(exported.formula))
    assert dratify.check_proof(formula, exported.proof).ok
    assert not dratify.check_proof(formula, exported.proof.splitlines()[-1]).ok
