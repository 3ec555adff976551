"""A topological refutation beside the rows with the most ones, for a line of the tables.

    python benchmarks records.results dense-rows NAME -d 5 --rows 48 [--seconds 600]

All rows of a large sparse pattern make too many sign patterns for the elimination, and rows with
few ones contribute little. NAME is the name of a line in benchmarks/measured/dimensions.csv. The
certificate is kept if it raises the line's lower bound; `results.py --page` then rewrites the
tables.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from records.lines import describe, keep, read_lines
from records.questions import questions
from samapprox import Certificate, Pattern
from samapprox.problem import Problem
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.proofs.refutations.topological import Topological
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.elimination.suspensions import Part, suspend
from samapprox.support.limits import deadline_in

__all__ = ["densest_rows", "main", "refute_densest"]


def densest_rows(pattern: Pattern, count: int) -> NDArray[np.int64]:
    """Return the rows with the most ones, the first ones where equally many have them."""
    ones = (pattern.to_array() == 1).sum(axis=1)
    return np.argsort(-ones, kind="stable")[:count]


def refute_densest(pattern: Pattern, d: int, count: int, search: Search) -> Topological | str:
    """Refute d on the densest rows, or say why this fails.

    Parameters
    ----------
    pattern : Pattern
    d : int
    count : int
        The number of rows. They are the elements, and row 0 of ones is the apex.
    search : Search
    """
    signs = sign_matrix(pattern.to_array(), "rows")
    elements = np.append(0, 1 + densest_rows(pattern, count))
    found = suspend(Part(d, "rows", signs, np.arange(len(signs)), elements), search)
    return found if isinstance(found, str) else found.proof()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="records.results dense-rows",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="of a line")
    parser.add_argument("-d", type=int, required=True, help="dimension to refute")
    parser.add_argument("--rows", type=int, required=True, help="how many rows to choose")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit")
    options = parser.parse_args(arguments)
    asked = {question.name: question for question in questions()}
    known = read_lines().get(options.name)
    if known is None or options.name not in asked:
        parser.error(f"no line is named {options.name!r}; see benchmarks/measured/dimensions.csv")
    pattern = asked[options.name].pattern
    started = time.monotonic()
    search = Search(deadline=deadline_in(options.seconds))
    proof = refute_densest(pattern, options.d, options.rows, search)
    if isinstance(proof, str):
        print(f"{options.name}: {proof}")
        return
    certificate = Certificate.of(Problem(pattern, options.d), proof)
    if not (check := certificate.verify(pattern)):
        raise RuntimeError(f"the refutation is wrong, please report it: {check.reason}")
    line = replace(
        known,
        lower=options.d + 1,
        upper=max(known.upper, min(pattern.shape)),  # unknown: the line keeps its own
        seconds=round(time.monotonic() - started, 2),
        no=describe(certificate),
        yes="",
        command=f"python benchmarks records.results dense-rows {options.name!r} -d {options.d} "
        f"--rows {options.rows}",
    )
    print(f"{line.name}: at least {line.lower} in {line.seconds} s, {len(proof.members)} members")
    keep(line, {"no": certificate})
