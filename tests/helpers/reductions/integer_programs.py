"""Integer and pseudo-Boolean programs, answered by HiGHS."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

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


def answers_of(texts: list[str], kind: str, folder: Path) -> list[str]:
    if kind == "opb":
        return [opb_answer(text) for text in texts]
    return highs_answers(texts, kind, folder)
