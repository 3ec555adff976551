"""Integer and pseudo-Boolean solvers on the orientations of random patterns, against `decide`.

    python benchmarks dimensions.integer_programs

Encodes 50 random patterns for d = 2, lets each solver that is installed answer the files (HiGHS and
SCIP read MPS and OPB; CP-SAT and Exact get the constraints of the OPB files), decodes the answers
into certificates, and compares. Solvers run in processes of their own, because HiGHS and OR-tools
cannot be loaded into one. The refutations of Exact are checked, too.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from shared.paths import command_of

from dimensions.cutting_planes import Constraint, is_refutation
from samapprox import Pattern, Problem, decide
from samapprox.reductions.encodings import decode, encode

MODULES = {"highs": "highspy", "scip": "pyscipopt", "cp-sat": "ortools", "exact": "exact"}
LANGUAGES = {
    "highs": ["mps", "lp"],
    "scip": ["mps", "lp", "opb"],
    "cp-sat": ["opb"],
    "exact": ["opb"],
}

Row = tuple[list[tuple[int, int]], bool, int]
"""(coefficient, variable) .., whether the sum is equal to the bound, and the bound."""


def draw(rows: int, columns: int, seed: int) -> Pattern:
    """Draw entries of both kinds, and in two of three patterns don't-cares."""
    rng = np.random.RandomState(seed)
    entries = rng.randint(0, 2, size=(rows, columns))
    entries[np.arange(rows), rng.randint(0, columns, size=rows)] = 1
    care = (rng.random_sample(entries.shape) >= 0.1 * (seed % 3)) | (entries == 1)
    return Pattern.from_array(entries, care)


def constraints(text: str) -> Iterator[Row]:
    """Yield the constraints of an OPB file."""
    for line in text.splitlines():
        if line and not line.startswith("*"):
            left, relation, bound = re.fullmatch(r"(.*) (>=|=) (-?\d+) ;", line).groups()  # type: ignore[union-attr]
            terms = re.findall(r"([+-]\d+) x(\d+)", left)
            yield [(int(a), int(v)) for a, v in terms], relation == "=", int(bound)


def write_values(values: dict[int, int]) -> str:
    """Write a solution as solvers of OPB files do."""
    return "v " + " ".join(f"{'' if value else '-'}x{v}" for v, value in values.items())


def solve_by_highs(path: Path) -> str:
    """Return the solution file of HiGHS."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    solver.writeSolution(str(path) + ".sol", 0)
    return Path(str(path) + ".sol").read_text()


def solve_by_scip(path: Path) -> str:
    """Return the solution file of SCIP, or its status."""
    from pyscipopt import Model

    model = Model()
    model.hideOutput()
    model.readProblem(str(path))
    model.optimize()
    if model.getStatus() != "optimal":
        return str(model.getStatus())
    model.writeBestSol(str(path) + ".sol")
    return Path(str(path) + ".sol").read_text()


def solve_by_cp_sat(path: Path) -> str:
    """Return a solution by CP-SAT with one worker, or its status."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    variables: dict[int, Any] = {}
    for terms, equal, bound in constraints(path.read_text()):
        for _, v in terms:
            variables.setdefault(v, model.new_bool_var(f"x{v}"))
        total = sum(a * variables[v] for a, v in terms)
        model.add(total == bound if equal else total >= bound)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.status_name(solver.solve(model))
    if status != "OPTIMAL":
        return str(status)
    return write_values({v: solver.value(x) for v, x in variables.items()})


def solve_by_exact(path: Path) -> str:
    """Return a solution by Exact, a pseudo-Boolean solver, or its status, and write its proof."""
    from exact import Exact

    logging = [("proof-log", str(path)), ("proof-assumptions", "0")]
    solver = Exact([("verbosity", "0"), *logging])
    rows = list(constraints(path.read_text()))
    variables = sorted({v for terms, _, _ in rows for _, v in terms})
    for v in variables:
        solver.addVariable(f"x{v}", 0, 1)
    for terms, equal, bound in rows:
        solver.addConstraint([(a, f"x{v}") for a, v in terms], True, bound, equal, bound)
    status = solver.runFull(False)
    if status == "UNSAT":
        return str(status)
    values = solver.getLastSolutionFor([f"x{v}" for v in variables])
    return write_values(dict(zip(variables, values, strict=True)))


SOLVERS = {
    "highs": solve_by_highs,
    "scip": solve_by_scip,
    "cp-sat": solve_by_cp_sat,
    "exact": solve_by_exact,
}


def answer(solver: str, language: str, texts: list[str], folder: Path) -> tuple[list[str], float]:
    """Solve encodings in a process of its own; return the answers and the seconds."""
    paths = [folder / f"{number}.{language}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    started = time.perf_counter()
    subprocess.run(
        command_of("dimensions.integer_programs", "--solver", solver, *map(str, paths)), check=True
    )
    seconds = time.perf_counter() - started
    return [Path(f"{path}.answer").read_text() for path in paths], seconds


def count_refutations(texts: list[str], answers: list[str], folder: Path) -> str:
    """Say how many of the programs that Exact calls infeasible it also refutes."""
    checked = [
        is_refutation(
            [Constraint.of(terms, bound) for terms, _, bound in constraints(text)],
            (folder / f"{number}.opb.proof").read_text(),
        )
        for number, (text, said) in enumerate(zip(texts, answers, strict=True))
        if said == "UNSAT"
    ]
    return f"{sum(checked)} of {len(checked)} refutations pass the checker"


def main() -> None:
    """Print a line for each solver and language, and one for the order model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patterns", type=int, default=50)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--columns", type=int, default=7)
    parser.add_argument("-d", type=int, default=2)
    parser.add_argument("--solver", choices=SOLVERS, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.solver is not None:
        for path in options.files:
            Path(f"{path}.answer").write_text(SOLVERS[options.solver](path))
        return
    patterns = [draw(options.rows, options.columns, seed) for seed in range(options.patterns)]
    wanted = [decide(pattern, options.d).status.value for pattern in patterns]
    print(f"{len(patterns)} patterns, d = {options.d}: {dict(Counter(wanted))} by decide")
    installed = [solver for solver, module in MODULES.items() if find_spec(module) is not None]
    runs = [(solver, language) for solver in installed for language in LANGUAGES[solver]]
    for model in ("orientations", "order"):
        for solver, language in runs if model == "orientations" else runs[:1]:
            texts = [encode(Problem(p, options.d), language, model=model) for p in patterns]
            with TemporaryDirectory() as folder:
                answers, seconds = answer(solver, language, texts, Path(folder))
                if (solver, model) == ("exact", "orientations"):
                    print(count_refutations(texts, answers, Path(folder)))
            found = [
                decode(pattern, said, text).status.value
                for pattern, said, text in zip(patterns, answers, texts, strict=True)
            ]
            agree = sum(a == b for a, b in zip(found, wanted, strict=True))
            print(f"{model}, {solver}, {language}: {dict(Counter(found))}, {agree} as decide")
            print(f"  {seconds:.1f} s for all files", flush=True)


if __name__ == "__main__":
    main()
