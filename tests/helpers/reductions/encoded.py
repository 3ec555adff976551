"""Patterns to encode, and what solvers answer."""

from __future__ import annotations

import numpy as np
import z3
from pysat.formula import CNF
from pysat.solvers import Solver

from samapprox import Pattern, Problem
from samapprox.reductions.encodings import encode
from samapprox.results.verdict import Verdict


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


def sat_answer(text: str, solver: str) -> str:
    with Solver(solver, bootstrap_with=CNF(from_string=text), with_proof=True) as sat:
        if sat.solve():
            return "c a model\ns SATISFIABLE\nv " + " ".join(map(str, sat.get_model())) + " 0\n"
        return "\n".join(sat.get_proof())


REFUTED = random_pattern(9, 7, 1)
REFUTED_CNF = encode(Problem(REFUTED, 2), "dimacs")
PROOF = sat_answer(REFUTED_CNF, "glucose4")


def smt_answer(text: str) -> str:
    solver = z3.Solver(ctx=z3.Context())  # a context keeps the names of earlier problems
    solver.set("rlimit", 20_000_000)
    solver.from_string(text)
    status = solver.check()
    return f"{status}\n({solver.model().sexpr() if status == z3.sat else ''})"


SIMPLE = Pattern.from_text("100\n010\n001")
SIMPLE_SMT = encode(Problem(SIMPLE, 2), "smtlib")


def model(**values: str) -> str:
    plain = {"q_0_0": "(- 1.0)", "q_0_1": "(- 1.0)", "q_1_0": "1.0", "q_1_1": "0.0"}
    plain |= {"q_2_0": "0.0", "q_2_1": "1.0"} | values
    return "sat\n(" + "".join(f"(define-fun {k} () Real {v})" for k, v in plain.items()) + ")"
