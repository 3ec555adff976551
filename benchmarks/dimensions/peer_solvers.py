"""One solver, one question: what other people's tools say, each in a process of its own.

    python benchmarks dimensions.peer_solvers PEER PATTERN D SECONDS

Prints one line of JSON: the answer, whether it is proven (a model that passes the exact checker;
for samapprox, either answer), the seconds, and a note. Every solver gets the merged pattern, one
thread, and first a tiny question, so that it is loaded before the clock runs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox import CertificateError, InputError, Pattern, Problem, Verdict, decide, load
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import exact_matmul
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.encodings import decode, encode

__all__ = ["PEERS", "Answer", "ask"]


@dataclass(frozen=True)
class Answer:
    """The answer of a solver.

    Attributes
    ----------
    answer : {"YES", "NO", "UNKNOWN"}
    proven : bool
        Whether the exact checker has seen it; else it is the solver's word.
    seconds : float
    note : str
    """

    answer: str
    proven: bool
    seconds: float = 0.0
    note: str = ""


UNKNOWN = Answer("UNKNOWN", False)


def ask(peer: str, pattern: Pattern, d: int, seconds: float) -> Answer:
    """A peer's answer, with the time that it took."""
    start = time.perf_counter()
    said = PEERS[peer](Problem(pattern, d), seconds)
    return Answer(said.answer, said.proven, time.perf_counter() - start, said.note)


# ---------------------------------------------------------------- solvers


def ours(problem: Problem, seconds: float) -> Answer:
    verdict = decide(problem.pattern, problem.d, time_limit=seconds)
    return Answer(verdict.status.value, verdict.proof is not None)


def z3(problem: Problem, seconds: float) -> Answer:
    """The real-algebraic encoding, by the strategy that Z3 has for its logic (nlsat)."""
    import z3

    text = encode(problem, "smtlib")
    solver = z3.SolverFor("QF_NRA", ctx=z3.Context())
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(text)
    status = str(solver.check())
    return _decoded(problem, text, status, lambda: f"sat\n{solver.model().sexpr()}")


def cvc5(problem: Problem, seconds: float) -> Answer:
    """The same text (cylindrical algebraic coverings)."""
    import cvc5

    text = encode(problem, "smtlib")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(command.invoke(solver, parser.getSymbolManager()))
    out = "".join(said)
    return _decoded(problem, text, out.split(maxsplit=1)[0], lambda: out)


def scip(problem: Problem, seconds: float) -> Answer:
    """Bilinear feasibility: keys in the box [-1, 1]^d, the first at 0; queries free, margin 1.

    No loss: keys can be scaled and moved, and each row's query and threshold scaled.
    """
    from pyscipopt import Model, quicksum

    core = _core(problem.pattern)
    model = Model()
    model.hideOutput()
    model.setParam("limits/time", seconds)
    model.setParam("parallel/maxnthreads", 1)
    rows, columns = core.shape
    bound = np.ones(columns)
    bound[0] = 0
    k = [[model.addVar(lb=-b, ub=b) for _ in range(problem.d)] for b in bound]
    q = [[model.addVar(lb=None) for _ in range(problem.d)] for _ in range(rows)]
    t = [model.addVar(lb=None) for _ in range(rows)]
    for i, j, side in _signs(core):
        logit = quicksum(a * b for a, b in zip(q[i], k[j], strict=True))
        model.addCons(side * (logit - t[i]) >= 1)
    model.optimize()
    if model.getStatus() == "infeasible":
        return Answer("NO", False)
    if not model.getNSols():
        return UNKNOWN
    solution: Any = model.getBestSol()
    queries, keys = ([[solution[x] for x in row] for row in matrix] for matrix in (q, k))
    return _checked(problem, np.array(queries), np.array(keys))


def cp_sat(problem: Problem, seconds: float) -> Answer:
    """Whole numbers up to 2, 4, 8, ..: no grid can say NO."""
    from ortools.sat.python import cp_model

    core = _core(problem.pattern)
    end = time.perf_counter() + seconds
    rows, columns = core.shape
    size = 2
    while (left := end - time.perf_counter()) > 0.01 and size <= 1 << 20:
        model = cp_model.CpModel()

        q, k = (
            [[model.new_int_var(-size, size, "") for _ in range(problem.d)] for _ in range(count)]
            for count in (rows, columns)
        )
        most = problem.d * size * size
        t = [model.new_int_var(-most, most, "") for _ in range(rows)]
        for i, j, side in _signs(core):
            products = []
            for a, b in zip(q[i], k[j], strict=True):
                product = model.new_int_var(-size * size, size * size, "")
                model.add_multiplication_equality(product, [a, b])
                products.append(product)
            logit = sum(products)
            model.add(logit > t[i] if side > 0 else logit <= t[i])
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = left
        solver.parameters.num_workers = 1
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            queries, keys = ([[solver.value(x) for x in row] for row in m] for m in (q, k))
            return _checked(problem, np.array(queries, float), np.array(keys, float))
        size *= 2
    return UNKNOWN


def adam(problem: Problem, seconds: float) -> Answer:
    """Free embeddings by Adam on the hinge loss from random starts: no NO.

    What is done to see whether an embedding dimension suffices for retrieval, with a threshold a
    query in place of a ranking.
    """
    core = _core(problem.pattern)
    end = time.perf_counter() + seconds
    entries = core.to_array()
    signs = np.where(entries == UNSPECIFIED, 0.0, np.where(entries == 1, 1.0, -1.0))
    rng = np.random.RandomState(0)
    restarts = 0
    while time.perf_counter() < end:
        found = _descend(signs, problem.d, rng, end)
        restarts += 1
        if found is not None:
            said = _checked(problem, *found)
            if said.proven:
                return said
    return Answer("UNKNOWN", False, note=f"{restarts} starts")


STEPS = 3000
RATE = 0.05


def _descend(
    signs: NDArray[np.float64], d: int, rng: np.random.RandomState, end: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Queries and keys in which all signs are right, from one random start."""
    rows, columns = signs.shape
    shapes = (rows, d), (columns, d), (rows, 1)
    point = [rng.normal(size=shape) for shape in shapes]
    first, second = ([np.zeros(shape) for shape in shapes] for _ in range(2))
    for step in range(1, STEPS + 1):
        Q, K, t = point
        margins = signs * (Q @ K.T - t)
        if (margins[signs != 0] > 0).all():
            return Q, K
        if time.perf_counter() > end:
            return None
        pull = -signs * (margins < 1)
        slopes = (pull @ K, pull.T @ Q, -pull.sum(axis=1, keepdims=True))
        rate = RATE * (1 - step / (STEPS + 1))
        for x, slope, m, v in zip(point, slopes, first, second, strict=True):
            m += 0.1 * (slope - m)
            v += 0.001 * (slope**2 - v)
            x -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return None


PEERS: dict[str, Callable[[Problem, float], Answer]] = {
    "samapprox": ours,
    "Z3": z3,
    "cvc5": cvc5,
    "SCIP": scip,
    "CP-SAT": cp_sat,
    "Adam": adam,
}
"""Name -> a function of problem and seconds."""


# ---------------------------------------------------------------- what they share


def _core(pattern: Pattern) -> Pattern:
    """Merge equal rows and columns, as the encodings do."""
    core = simplify(pattern).pattern
    assert core is not None
    return core


def _signs(core: Pattern) -> list[tuple[int, int, int]]:
    """(row, column, +1 or -1) for each specified entry."""
    entries = core.to_array()
    places = np.argwhere(entries != UNSPECIFIED).tolist()
    return [(i, j, 1 if entries[i, j] == 1 else -1) for i, j in places]


def _decoded(problem: Problem, text: str, status: str, model: Callable[[], str]) -> Answer:
    """An SMT solver's answer; its model becomes a certificate where that can be read."""
    if status == "unsat":
        return Answer("NO", False)
    if status != "sat":
        return UNKNOWN
    try:
        verdict = decode(problem.pattern, model(), text)
    except InputError as error:
        return Answer("YES", False, note=str(error))
    return Answer("YES", verdict.proof is not None)


def _checked(problem: Problem, queries: NDArray[np.float64], keys: NDArray[np.float64]) -> Answer:
    """YES where whole multiples of these numbers pass the checker; else it is not an answer."""
    simplified = simplify(problem.pattern)
    entries = _core(problem.pattern).to_array()
    for bits in (0, 4, 8, 16, 24):
        Q, K = (np.rint(x * 2.0**bits).astype(np.int64).astype(object) for x in (queries, keys))
        logits = exact_matmul(Q, K.T)
        thresholds = [max(row[own == 0].tolist()) for row, own in zip(logits, entries, strict=True)]
        try:
            Verdict(problem, Embedding(Q, K, thresholds).lift(simplified))
        except CertificateError:
            continue
        return Answer("YES", True)
    return Answer("UNKNOWN", False, note="its numbers do not pass the checker")


def main(peer: str, path: str, d: str, seconds: str) -> None:
    ask(peer, Pattern.from_array(np.eye(3, dtype=int)), 2, 5.0)
    print(json.dumps(asdict(ask(peer, load(path), int(d), float(seconds)))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
