"""Other people's solvers agree with the decision; their answers become certificates or errors."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
import z3
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.formula import CNF
from pysat.solvers import Solver
from scipy.optimize import Bounds, LinearConstraint, milp

from samapprox import InputError, Pattern, Problem, data, decide, load, save
from samapprox.chirotope import subset_ranks
from samapprox.cli.main import cli
from samapprox.reductions.encodings import ENCODINGS, decode, encode
from samapprox.reductions.families import generate
from samapprox.solvers.realize import _sides, realize
from samapprox.solvers.search import Search
from samapprox.verdict import Status, Verdict


def random_pattern(rows: int, columns: int, seed: int, stars: float = 0.0) -> Pattern:
    rng = np.random.RandomState(seed)
    entries = rng.randint(0, 2, size=(rows, columns))
    entries[np.arange(rows), rng.randint(0, columns, size=rows)] = 1
    care = (rng.random_sample(entries.shape) >= stars) | (entries == 1)
    return Pattern.from_array(entries, care)


def proven(verdict: Verdict) -> str:
    """The answer, which a certificate that has been written and read again still proves."""
    if verdict.certificate is not None:
        copy = type(verdict.certificate).from_json(verdict.certificate.to_json())
        assert copy.verify(verdict.problem.pattern)
    return verdict.status.value


# ---------------------------------------------------------------- dimacs


def sat_answer(text: str, solver: str) -> str:
    with Solver(solver, bootstrap_with=CNF(from_string=text), with_proof=True) as sat:
        if sat.solve():
            return "c a model\ns SATISFIABLE\nv " + " ".join(map(str, sat.get_model())) + " 0\n"
        return "\n".join(sat.get_proof())


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose4"])
@pytest.mark.parametrize("elements", ["rows", "columns"])
def test_sat_solvers_agree_with_the_decision(solver: str, elements: str) -> None:
    answers = []
    for seed in range(8):
        rows, columns, d = (7, 8, 2) if seed % 2 else (7, 6, 1 + seed // 4)
        pattern = random_pattern(rows, columns, seed, stars=0.1 * (seed % 3))
        # All uniform oriented matroids of rank 3 on up to 8 elements are realizable.
        text = encode(Problem(pattern, d), "dimacs", elements=elements, relations=True)
        answers.append(proven(decode(pattern, sat_answer(text, solver), text)))
        assert answers[-1] == decide(pattern, d).status.value
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


REFUTED = random_pattern(9, 7, 1)
REFUTED_CNF = encode(Problem(REFUTED, 2), "dimacs")
PROOF = sat_answer(REFUTED_CNF, "glucose4")


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


def test_steps_beyond_unit_propagation_are_named() -> None:
    pattern = generate("shattered", n=6).pattern
    text = encode(Problem(pattern, 3), "dimacs")
    with pytest.raises(InputError, match="lemma 0 does not follow by reverse unit propagation"):
        decode(pattern, "2 3 0\n0\n", text)
    with pytest.raises(InputError, match="lead to no contradiction"):
        decode(pattern, "s UNSATISFIABLE\n", text)


def test_what_follows_from_satisfiable_clauses_refutes_nothing() -> None:
    pattern = generate("halfspaces", rows=9, columns=8, d=2, seed=0).pattern
    text = encode(Problem(pattern, 2), "dimacs")
    for answer in ("0", "1 0\n0", "s UNSATISFIABLE\n"):
        with pytest.raises(InputError, match="the answer proves nothing"):
            decode(pattern, answer, text)


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


@settings(max_examples=40)
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


@pytest.mark.parametrize("d", [1, 2, 3])
def test_sides_of_hyperplanes_are_determinants(d: int) -> None:
    vectors = np.random.RandomState(d).normal(size=(6, d + 1))
    through = list(combinations(range(6), d))
    wanted = [
        [0 if j in T else np.sign(np.linalg.det(vectors[[*T, j]])) for j in range(6)]
        for T in through
    ]
    assert _sides(orientations(vectors), 6, d).tolist() == wanted


# ---------------------------------------------------------------- the order model


def fewest_changes(pattern: Pattern) -> int:
    """Over all orders of the columns, by trying them; a * goes with either neighbour."""

    def changes(row: list[int]) -> int:
        known = [value for value in row if value >= 0]
        return sum(a != b for a, b in pairwise(known))

    entries = pattern.to_array()
    return min(
        max(changes(row) for row in entries[:, list(order)].tolist())
        for order in permutations(range(entries.shape[1]))
    )


HIGHS = """
import sys, highspy
for path in sys.argv[1:]:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(path) == highspy.HighsStatus.kOk
    highs.run()
    highs.writeSolution(path + ".solution", 0)
"""


def highs_answers(texts: list[str], kind: str, folder: Path) -> list[str]:
    """In a process of its own: highspy and OR-tools cannot be loaded into one."""
    paths = [folder / f"{number}.{kind}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    subprocess.run([sys.executable, "-c", HIGHS, *paths], check=True)
    return [path.with_name(f"{path.name}.solution").read_text() for path in paths]


def opb_answer(text: str) -> str:
    """By HiGHS in scipy, on the pseudo-Boolean constraints as read by the format's grammar."""
    head, *lines = [line for line in text.splitlines() if line]
    variables, constraints = (int(word) for word in re.findall(r"= (\d+)", head))
    lines = [line for line in lines if not line.startswith("*")]
    assert len(lines) == constraints
    matrix, bounds = np.zeros((constraints, variables)), np.full((2, constraints), np.inf)
    for number, line in enumerate(lines):
        left, relation, bound = re.fullmatch(r"(.*) (>=|=) (-?\d+) ;", line).groups()
        for coefficient, variable in re.findall(r"([+-]\d+) x(\d+)", left):
            matrix[number, int(variable) - 1] = int(coefficient)
        bounds[: 1 + (relation == "="), number] = int(bound)
    solved = milp(
        np.zeros(variables),
        integrality=np.ones(variables),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, *bounds),
    )
    if solved.status == 2:
        return "s UNSATISFIABLE\n"
    words = [f"{'' if value > 0.5 else '-'}x{i}" for i, value in enumerate(solved.x, start=1)]
    half = len(words) // 2
    return f"s SATISFIABLE\nv {' '.join(words[:half])}\nv {' '.join(words[half:])}\n"


@pytest.mark.parametrize("kind", ["mps", "lp", "opb"])
def test_orders_are_found_exactly_where_there_are_any(kind: str, tmp_path: Path) -> None:
    patterns = [random_pattern(4, 5, seed, stars=0.3 * (seed % 2)) for seed in range(12)]
    questions = [Problem(pattern, 1 + seed % 3) for seed, pattern in enumerate(patterns)]
    texts = [encode(problem, kind) for problem in questions]
    solved = (
        [opb_answer(text) for text in texts]
        if kind == "opb"
        else highs_answers(texts, kind, tmp_path)
    )
    found = set()
    for problem, text, answer in zip(questions, texts, solved, strict=True):
        verdict = decode(problem.pattern, answer, text)
        found.add(proven(verdict))
        there_is_one = fewest_changes(problem.pattern) <= problem.d
        assert proven(verdict) == ("YES" if there_is_one else "UNKNOWN")
        if problem.d == 1 and not there_is_one:
            assert "d = 1 is too small" in verdict.trail[0].outcome
            assert decide(problem.pattern, 1).status is Status.NO
    assert found == {"YES", "UNKNOWN"}


@pytest.mark.parametrize(
    "shape",
    [
        "{0} {1}",
        "{0} = {1}.0",
        "{0}    {1} \t(obj:0)",
        '<variable name="{0}" index="3" value="{1}"/>',
    ],
)
def test_solution_files_of_many_solvers(shape: str) -> None:
    pattern = Pattern.from_text("1010\n0110")
    text = encode(Problem(pattern, 2), "mps")
    places = [(0, 0), (1, 1), (2, 2), (3, 3)]
    lines = [shape.format(f"p_{j}_{t}", 1) for j, t in places] + [shape.format("h_0_0", 1)]
    with pytest.raises(InputError, match="row 0 changes 3 times"):
        decode(pattern, "\n".join(lines), text)
    good = [shape.format(f"p_{j}_{t}", 1) for t, j in enumerate([0, 2, 1, 3])]
    assert proven(decode(pattern, "\n".join(good), text)) == "YES"
    with pytest.raises(InputError, match="a place of its own"):
        decode(pattern, "\n".join(good[1:]), text)


# ---------------------------------------------------------------- smtlib


def smt_answer(text: str) -> str:
    solver = z3.Solver(ctx=z3.Context())  # a context keeps the names of earlier problems
    solver.set("rlimit", 20_000_000)
    solver.from_string(text)
    status = solver.check()
    return f"{status}\n({solver.model().sexpr() if status == z3.sat else ''})"


def test_z3_models_become_certificates() -> None:
    for seed in range(6):
        pattern = random_pattern(5, 5, seed, stars=0.2 * (seed % 2))
        for d in (1, 2):
            text = encode(Problem(pattern, d), "smtlib")
            answer = smt_answer(text)
            wanted = decide(pattern, d).status.value
            assert proven(decode(pattern, answer, text)) == {"NO": "UNKNOWN"}.get(wanted, wanted)
            assert answer.startswith("unsat" if wanted == "NO" else "sat")


def test_coupled_models_become_certificates() -> None:
    pattern = Pattern.from_text("1010\n0110\n0*11\n1001")
    for d_hid in (2, 3):
        text = encode(Problem(pattern, 2, d_hid), "smtlib")
        verdict = decode(pattern, smt_answer(text), text)
        assert proven(verdict) == "YES"
        assert verdict.proof.hidden_dimension == d_hid


SIMPLE = Pattern.from_text("100\n010\n001")
SIMPLE_SMT = encode(Problem(SIMPLE, 2), "smtlib")


def model(**values: str) -> str:
    plain = {"q_0_0": "(- 1.0)", "q_0_1": "(- 1.0)", "q_1_0": "1.0", "q_1_1": "0.0"}
    plain |= {"q_2_0": "0.0", "q_2_1": "1.0"} | values
    return "sat\n(" + "".join(f"(define-fun {k} () Real {v})" for k, v in plain.items()) + ")"


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


# ---------------------------------------------------------------- hostile answers

HOSTILE = {
    "smtlib": {
        "": "defines none",
        "sat": "defines none",
        "(" * 10**6: "nest deeper",
        "((": "never closed",
        ")": "never opened",
        model(q_0_0="(/ 1 0)"): "division by 0",
        model(q_0_0="(/ 1.0 (- 1 1))"): "division by 0",
        model(q_0_0="1e9"): "no number",
        model(q_0_0="1.4142?"): "no number",
        model(q_0_0="9" * 5000): "no number",
        model(q_0_0="(* " + ("9" * 3000 + " ") * 40 + ")"): "too many digits",
        model(q_0_0="9" * 3900): "too large for a certificate",
        model(q_0_0="()"): "not read",
        model(q_0_0="(+)"): "not read",
        model(q_0_0="(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)"): "not read",
        model(q_0_0="((_ a b) 1)"): "not read",
        model(q_0_0="(root-obj (^ x 1000000000) 1)"): "degree",
        model(q_0_0="(root-obj (^ x (- 2)) 1)"): "degree",
        model(q_0_0="(root-obj (* (^ x 60) (^ x 60)) 1)"): "degree",
        model(q_0_0="(root-obj (+ (^ x 2) 2) 1)"): "0 real ones",
        model(q_0_0="(root-obj x 7)"): "1 real ones",
        model(q_0_0="(root-obj (- x x) 1)"): "the polynomial 0",
        model(q_0_0="(root-obj (+ (* " + "9" * 3000 + " x) 1) 1)"): "proves nothing|",
        model(q_0_0="(ite true 1 2)"): "not read",
    },
    "dimacs": {
        "s SATISFIABLE\n": "no model",
        "v x1 -x2\n": "whole numbers",
        "v 99999999999999999999\n": "beyond",
        "v " + "9" * 5000: "whole numbers|beyond",
        "1 2\n": "no clause that 0 closes",
        "5 1 2 0 3 4 0\n": "no clause that 0 closes",
        "a\x00b": "whole numbers",
        "-99999 0": "beyond the",
        "": "no contradiction",
    },
    "mps": {
        "": "no value of",
        "p_0_0 one": "no value of",
        "p_0_0 1e999": "a place of its own",
    },
    "opb": {"": "neither v lines", "v x99999999": "neither v lines", "v y1": "neither v lines"},
}


@pytest.mark.parametrize(
    ("kind", "answer", "message"),
    [(kind, *case) for kind, cases in HOSTILE.items() for case in cases.items()],
    ids=lambda value: value[:20],
)
def test_hostile_answers_are_one_line(kind: str, answer: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        decode(SIMPLE, answer, encode(Problem(SIMPLE, 1 if kind == "dimacs" else 2), kind))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("", "no samapprox comments"),
        ("p cnf 1 1\n1 0\n", "no samapprox comments"),
        ("c {", "not JSON"),
        ("c " + '{"a":' * 100_000, "not JSON"),
        ('c {"format": "x", "version": 1}', "is not a samapprox-encoding"),
        (REFUTED_CNF, "about another pattern"),
        (SIMPLE_SMT.replace('"smtlib"', '"magic"'), "unknown encoding 'magic'"),
        (SIMPLE_SMT.replace('"d": 2', '"d": 0'), "d must be"),
        (SIMPLE_SMT.replace('"rows": [0, 1, 2]', '"rows": [0, 1]'), "other rows"),
        (SIMPLE_SMT.replace('"d": 2', '"e": 2'), "has no 'd'"),
    ],
)
def test_damaged_encodings_are_one_line(encoding: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(SIMPLE, model(), encoding)


def test_a_changed_core_proves_nothing_that_is_not_so() -> None:
    pattern = generate("halfspaces", rows=9, columns=8, d=2, seed=0).pattern
    text = encode(Problem(pattern, 2), "dimacs")
    for change in ('"rows": [0, 1', '"rows": [1, 0'), ("columns", "rows"), ("false", "true"):
        changed = text.replace(*change)
        assert changed != text
        with pytest.raises(InputError):
            decode(pattern, PROOF, changed)


@pytest.mark.parametrize(
    ("kind", "choices", "message"),
    [
        ("magic", {}, "unknown encoding 'magic'; there are: dimacs"),
        ("smtlib", {"elements": "rows"}, "smtlib has no choice of elements"),
        ("dimacs", {"elements": "diagonals"}, "a side is rows or columns"),
        ("dimacs", {"rows": [0, 7]}, "lies outside"),
        ("dimacs", {"rows": [0, 0]}, "distinct"),
        ("dimacs", {"rows": []}, "no rows"),
    ],
)
def test_bad_choices(kind: str, choices: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode(Problem(SIMPLE, 2), kind, **choices)


@pytest.mark.parametrize("kind", ENCODINGS)
def test_limits(kind: str) -> None:
    with pytest.raises(InputError, match="no row has a 0"):
        encode(Problem(Pattern.from_text("11\n11"), 2), kind)
    wide = generate("random", rows=300, columns=300, seed=0).pattern
    large = Problem(wide, 60 if kind == "smtlib" else 3)
    with pytest.raises(InputError, match=r"too large|at most|too long"):
        encode(large, kind)
    if kind in ("mps", "lp", "opb"):
        with pytest.raises(InputError, match="share X"):
            encode(Problem(SIMPLE, 2, 3), kind)


ENOUGH = {
    "dimacs": "s SATISFIABLE\nv 1 0\n",
    "mps": "p_0_0 1\np_1_1 1\np_2_2 1\n",
    "lp": "p_0_0 = 1\np_1_1 = 1\np_2_2 = 1\n",
    "opb": "v x1 -x2 -x3 -x4 x5 -x6 -x7 -x8 x9\n",
}


@pytest.mark.parametrize("kind", ENCODINGS)
def test_dimensions_that_are_more_than_enough(kind: str) -> None:
    for d in (3, 5):
        text = encode(Problem(SIMPLE, d), kind)
        answer = smt_answer(text) if kind == "smtlib" else ENOUGH[kind]
        assert proven(decode(SIMPLE, answer, text)) == "YES"


def test_dimensions_far_beyond_cost_nothing() -> None:
    for kind, answer in ENOUGH.items():
        text = encode(Problem(SIMPLE, 1 << 24), kind)
        assert proven(decode(SIMPLE, answer, text)) == "YES"
    with pytest.raises(InputError, match="too long"):
        decode(SIMPLE, model(), SIMPLE_SMT.replace('"d": 2', f'"d": {1 << 24}'))


# ---------------------------------------------------------------- the command line


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_the_commands_round_trip(tmp_path: Path) -> None:
    source, cnf, proof, certificate = (str(tmp_path / name) for name in ("p.npz", "a", "b", "c"))
    save(REFUTED, source)
    written = run("encode", source, "-d", "2", "--to", "dimacs", "--output", cnf)
    assert (written.exit_code, written.stdout) == (0, "")
    assert run("encode", source, "-d", "2", "--to", "dimacs").stdout == Path(cnf).read_text()
    Path(proof).write_text(PROOF)
    done = run("decode", source, proof, "--encoding", cnf, "--certificate", certificate)
    assert done.stdout.startswith("NO: no attention with d = 2 shows this 9 x 7 pattern.\n")
    assert run("verify", source, certificate).stdout == "VALID: NO for d = 2\n"
    smt = run("encode", source, "--to", "smtlib", "--output", cnf)
    assert smt.exit_code == 0
    Path(proof).write_text("unsat\n")
    done = run("decode", source, proof, "--encoding", cnf, "--exit-code")
    assert done.exit_code == 30
    assert "smtlib: the solver says unsat" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "p.npz", "--to", "smtlib", "--rows", "0"], "smtlib has no choice of rows"),
        (["encode", "p.npz", "--to", "dimacs", "--rows", "0,x"], "--rows must be numbers"),
        (["encode", "p.npz", "--to", "dimacs", "-d", "0"], "d must be"),
        (
            ["encode", "p.npz", "--to", "dimacs", "--output", "no/x"],
            "no/x: there is no such folder",
        ),
        (["decode", "p.npz", "missing", "--encoding", "cnf"], "missing: No such file"),
        (["decode", "p.npz", "cnf", "--encoding", "missing"], "missing: No such file"),
        (["decode", "p.npz", "p.npz", "--encoding", "cnf"], "is not text"),
        (["decode", "p.npz", "binary", "--encoding", "cnf"], "cadical --no-binary"),
        (["decode", "p.npz", "cnf", "--encoding", "cnf"], "else than whole numbers"),
        (["decode", "p.npz", "cnf", "--encoding", "cnf", "--time-limit", "0"], "time limit"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(REFUTED, "p.npz")
    Path("cnf").write_text(REFUTED_CNF)
    Path("binary").write_bytes(b"a\x04\x06\x00d\x04\x00")
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
