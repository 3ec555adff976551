"""The answers of one version of the package: a process that reads case numbers and prints answers.

Run as ``python -m dimensions.frozen_list.answers``; the caller says by PYTHONPATH which version is
imported.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import samapprox
from dimensions.frozen_list.patterns import Case, draw_cases

SECONDS = 2.0
"""The time limit of a question, of the processor; nearly all end long before it."""


def ask(case: Case) -> tuple[float, float]:
    """Return the proven bounds that answer a case."""
    what, *words = case.question.split()
    asked: list[Any] = words
    entries = [["*" if entry < 0 else int(entry) for entry in row] for row in case.entries.tolist()]
    limit: dict[str, Any] = {"time_limit": SECONDS}
    if what == "decide":
        verdict = samapprox.decide(entries, int(words[0]), similarity=words[1], **limit)
        return bounds_of(verdict)
    if what == "coupled":
        d = int(words[0])
        return bounds_of(samapprox.decide(entries, d, d, **limit))
    if what == "dim":
        found: Any = samapprox.weak_dimension(entries, similarity=words[0], threads=1, **limit)
    elif what == "rank":
        found = samapprox.rank(entries, kind=asked[0], threads=1, **limit)
    elif what == "fit":
        d, unit, similarity = int(words[0]), *asked[1:]
        found = samapprox.fit(entries, d, unit=unit, similarity=similarity, **limit)
    else:
        found = samapprox.margin(entries, **limit)
    upper = float("inf") if found.upper is None else float(found.upper)
    return float(found.lower), upper


def bounds_of(verdict: Any) -> tuple[float, float]:
    """Return 0, 0 for YES and 1, 1 for NO; 0, 1 for UNKNOWN."""
    answers = {"YES": (0, 0), "NO": (1, 1), "UNKNOWN": (0, 1)}
    lower, upper = answers[str(verdict.status.value)]
    return float(lower), float(upper)


def count_processor_time() -> None:
    """Let time limits count the time of the processor."""
    _clock().time = SimpleNamespace(monotonic=time.process_time)


def _clock() -> Any:
    """Return the module of the clock by which searches end; older versions keep it alone."""
    package = "samapprox.support"
    return import_module(".clock" if find_spec(".clock", package) else ".limits", package)


def main() -> None:
    """Answer the numbers on standard input, a line of JSON each."""
    count_processor_time()
    cases = list(draw_cases())
    for line in sys.stdin:
        case = cases[int(line)]
        started = time.process_time()
        try:
            lower, upper = ask(case)
            answer: dict[str, Any] = {"lower": lower, "upper": upper}
        except samapprox.InputError as error:
            answer = {"refused": str(error)}
        answer["seconds"] = time.process_time() - started
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
