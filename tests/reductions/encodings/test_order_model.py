"""Orders that few changes are enough for: integer programs and pseudo-Boolean constraints."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from helpers.encoded import proven, random_pattern
from scipy.optimize import Bounds, LinearConstraint, milp

from samapprox import InputError, Pattern, Problem, decide
from samapprox.reductions.encodings import decode, encode
from samapprox.results.verdict import Status


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
