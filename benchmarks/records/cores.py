"""Which cores of the stored refutations by orientations are also refuted topologically.

    python benchmarks records.results cores [--seconds 20]

Prints a line for every core with d >= 2, and the count: the figure of docs/theory/topological.md.
Nothing is stored.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator

from records.lines import read_lines
from records.questions import questions
from samapprox import Certificate, Pattern
from samapprox.problem import Problem
from samapprox.proofs import Chirotope, Topological
from samapprox.proofs.checker import check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.topological import find_proof

__all__ = ["main", "read_cores"]


def read_cores() -> Iterator[tuple[str, Problem]]:
    """Yield the name of a line, its core as a pattern, and the dimension that it refutes."""
    table = read_lines()
    for question in questions():
        path = table[question.name].certificate("no") if question.name in table else None
        if path is None or not path.exists():
            continue
        proof = Certificate.from_json(json.loads(gzip.decompress(path.read_bytes()))).proof
        if isinstance(proof, Chirotope) and proof.d >= 2:
            core = question.pattern.submatrix(proof.rows, proof.columns)
            core = core[(core == 1).any(axis=1)]  # others say no more than row 0
            yield question.name, Problem(Pattern.from_array(core == 1, core >= 0), proof.d)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="records.results cores",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a core")
    options = parser.parse_args(arguments)
    refuted = cores = 0
    for name, problem in read_cores():
        found = find_proof(problem, Search.within(options.seconds, 0))
        cores += 1
        if isinstance(found, Topological) and check(problem, found) is None:
            refuted += 1
            found = f"{len(found.members)} members"
        rows, columns = problem.pattern.shape
        print(f"{name}, d = {problem.d}, core {rows} x {columns}: {found}", flush=True)
    print(f"{refuted} of {cores} cores have a topological refutation")
