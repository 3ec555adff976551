"""All encodings alike: hostile answers are one line, limits hold, the commands round trip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.commands import run
from helpers.reductions.encoded import (
    PROOF,
    REFUTED,
    REFUTED_CNF,
    SIMPLE,
    SIMPLE_SMT,
    model,
    proven,
    smt_answer,
)

from samapprox import InputError, Pattern, Problem, save
from samapprox.reductions.encodings import ENCODINGS, decode, encode
from samapprox.reductions.families import generate

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
        "p_0_0 1e999": "violates the clause",
        "x1 -1e999": "violates the clause",
    },
    "opb": {"": "no value of", "v x99999999": "violates the clause", "v y1": "no value of"},
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
        pytest.param("c " + '{"a":' * 100_000, "not JSON", id="deep"),
        pytest.param("c {" + " " * (1 << 24), "comments are longer than 16777216", id="long"),
        ('c {"format": "x", "version": 1}', "is not a samapprox-encoding"),
        ('c {"version": 1}', "has no 'format'"),
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


def test_large_patterns_are_not_encoded() -> None:
    pattern = Pattern(np.eye(2001, dtype=np.int8))
    with pytest.raises(InputError, match="a 2001 x 2001 pattern is too large to be written for a"):
        encode(Problem(pattern, 2), "dimacs")


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
        ("dimacs", {"elements": "diagonals"}, "elements must be 'rows' or 'columns'"),
        ("dimacs", {"rows": [0, 7]}, "is outside the"),
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
            encode(Problem(SIMPLE, 2, 3), kind, model="order")


ENOUGH = {
    "dimacs": "s SATISFIABLE\nv 1 0\n",
    "mps": "x1 1\n",
    "lp": "x1 = 1\n",
    "opb": "v x1\n",
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
    order = {
        "mps": "p_0_0 1\np_1_1 1\np_2_2 1\n",
        "lp": "p_0_0 = 1\np_1_1 = 1\np_2_2 = 1\n",
        "opb": "v x1 -x2 -x3 -x4 x5 -x6 -x7 -x8 x9\n",
    }
    for kind, answer in order.items():
        text = encode(Problem(SIMPLE, 1 << 24), kind, model="order")
        assert proven(decode(SIMPLE, answer, text)) == "YES"
    with pytest.raises(InputError, match="too long"):
        decode(SIMPLE, model(), SIMPLE_SMT.replace('"d": 2', f'"d": {1 << 24}'))


def test_the_commands_round_trip(tmp_path: Path) -> None:
    source, cnf, proof, certificate = (str(tmp_path / name) for name in ("p.npz", "a", "b", "c"))
    save(REFUTED, source)
    written = run("encode", source, "-d", "2", "--to", "dimacs", "--output", cnf)
    assert (written.exit_code, written.stdout) == (0, "")
    assert run("encode", source, "-d", "2", "--to", "dimacs").stdout == Path(cnf).read_text()
    Path(proof).write_text(PROOF)
    done = run("decode", source, proof, "--encoding", cnf, "--certificate", certificate)
    assert done.stdout.startswith("NO: no attention with d = 2 represents this 9 x 7 pattern.\n")
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
        (["encode", "p.npz", "--to", "dimacs", "--rows", "0,x"], "--rows must be indices"),
        (["encode", "p.npz", "--to", "dimacs", "-d", "0"], "d must be"),
        (
            ["encode", "p.npz", "--to", "dimacs", "--output", "no/x"],
            "no/x: there is no such folder",
        ),
        (["decode", "p.npz", "missing", "--encoding", "cnf"], "missing: No such file"),
        (["decode", "p.npz", "cnf", "--encoding", "missing"], "missing: No such file"),
        (["decode", "p.npz", "p.npz", "--encoding", "cnf"], "is not text"),
        (["decode", "p.npz", "binary", "--encoding", "cnf"], "cadical --no-binary"),
        (["decode", "p.npz", "cnf", "--encoding", "cnf"], "whole numbers only"),
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
