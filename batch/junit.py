"""Results as JUnit XML, for CI systems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from samapprox.batch.expectations import Failure
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.support.atomic import replacing

__all__ = ["MOST_PASSED", "write_junit"]

MOST_PASSED = 10_000
"""The greatest number of test cases without failure in a file: CI systems choke on more."""

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(
    path: str | Path, question: Question, judged: Iterable[tuple[Outcome, Sequence[Failure]]]
) -> Iterator[tuple[Outcome, Sequence[Failure]]]:
    """Write a file with one test case per instance, once all results have passed through.

    Parameters
    ----------
    path : path
    question : Question
        The name of the suite.
    judged : iterable of (Outcome, sequence of Failure)

    Yields
    ------
    outcome, failures
        The given results, unchanged, so that a summary can count them next.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    import junitparser

    suite = junitparser.TestSuite(_text(f"samapprox {question}"))
    passed = 0
    for outcome, failures in judged:
        passed += not failures
        if failures or passed <= MOST_PASSED:
            suite.add_testcase(_case(junitparser, outcome, failures))
        yield outcome, failures
    if passed > MOST_PASSED:
        suite.add_property("passed, not listed", str(passed - MOST_PASSED))
    document: Any = junitparser.JUnitXml()
    document.add_testsuite(suite)
    with replacing(Path(path)) as stream:
        document.write(stream)


def _case(junitparser: Any, outcome: Outcome, failures: Sequence[Failure]) -> Any:
    case = junitparser.TestCase(
        _text(outcome.name), classname=_text(outcome.family or "samapprox"), time=outcome.seconds
    )
    case.result = [
        (junitparser.Error if failure.kind == "error" else junitparser.Failure)(
            _text(failure.reason), failure.kind
        )
        for failure in failures
    ]
    bounds = "" if outcome.lower is None else f" {outcome.lower}..{outcome.upper}"
    case.system_out = outcome.verdict + bounds
    return case


def _text(text: str) -> str:
    """Replace the characters that XML cannot represent."""
    return _NO_XML.sub("\ufffd", text)
