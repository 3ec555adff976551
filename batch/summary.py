"""The summary of a run: numbers, Markdown for GitHub's step summary, and JUnit XML."""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any

from samapprox.batch.expectations import KINDS, Failure
from samapprox.batch.results.known_tasks import EVERY_VERDICT, KNOWN_TASKS, VERDICTS
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import MEMBERS, Question
from samapprox.batch.results.schema import FIRST
from samapprox.support.atomic import replacing
from samapprox.support.documents import (
    Document,
    choice,
    listed,
    mapping,
    nullable,
    number,
    record,
    text,
    whole,
)
from samapprox.support.text import percent, plural

_Bounds = tuple[float, float]
"""The proven lower and upper bound of an instance; equal if the answer is exact."""

_MOST_LINES = 10
"""The most lines for exact answers, and the most lines for intervals."""


def counted_rows(values: Counter[_Bounds]) -> list[tuple[str, int]]:
    """Return the rows of a table: an answer, and the number of instances that have it.

    Exact answers come first, then proven intervals such as 2..4. Of more than ten exact answers,
    neighbours share a row; of more than ten intervals, the last row counts the others.

    >>> counted_rows(Counter({(2, 2): 5, (1, 1): 3, (2, 4): 1}))
    [('1', 3), ('2', 5), ('2..4', 1)]
    >>> counted_rows(Counter({(d, d): 1 for d in range(1, 21)}))[:2]
    [('1 or 2', 2), ('3 or 4', 2)]
    >>> counted_rows(Counter({(0, 4498500): 1}))
    [('0..4,498,500', 1)]
    """
    exact = sorted((lower, n) for (lower, upper), n in values.items() if lower == upper)
    open_ = sorted((bounds, n) for bounds, n in values.items() if bounds[0] != bounds[1])
    size = max(1, ceil(len(exact) / _MOST_LINES))
    parts = [exact[at : at + size] for at in range(0, len(exact), size)]
    rows = [(_words([value for value, _ in part]), sum(n for _, n in part)) for part in parts]
    rows += [(f"{_number(a)}..{_number(b)}", n) for (a, b), n in open_[:_MOST_LINES]]
    others = sum(n for _, n in open_[_MOST_LINES:])
    return rows + [("other intervals", others)] * bool(others)


def _words(values: list[float]) -> str:
    """Describe the exact answers of one row; .. stands for a proven interval and nothing else."""
    if len(values) <= 2:
        return " or ".join(map(_number, values))
    return f"{_number(values[0])} to {_number(values[-1])}"


def _number(value: float) -> str:
    """Write all digits of a whole number."""
    return f"{value:,.15g}"


_MOST_FAILURES = 100
_MOST_FAMILIES = 100


@dataclass(frozen=True, slots=True)
class Recall:
    """The shares of furthest vectors that the layers of a mask are proven to find.

    Attributes
    ----------
    mean : float
        The mean over all instances.
    least : float
        The least share of an instance.
    """

    mean: float
    least: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts, times and failures of a run.

    Attributes
    ----------
    question : Question
        What was asked about every instance.
    verdicts : Counter
        The number of instances by verdict.
    families : dict of str to Counter
        The same by family.
    seconds : float
        The total time of all instances.
    failures : list of Failure
        All of them, in the order of the instances.
    values : Counter
        The number of instances by proven bounds (lower, upper), for tasks that ask for a whole
        number: the least dimension, a rank, the number of wrong rows or entries.
    recall : Recall or None
        For ``furthest`` on a mask, unless nothing is found yet.
    """

    question: Question
    verdicts: Counter[str]
    families: dict[str, Counter[str]]
    seconds: float
    failures: list[Failure]
    values: Counter[_Bounds]
    recall: Recall | None = None

    @property
    def columns(self) -> list[str]:
        """The possible verdicts."""
        return [*VERDICTS[self.question.task], "ERROR"]

    @property
    def answers(self) -> list[tuple[str, int]]:
        """The rows of a small table: an answer or interval, and its number of instances."""
        return counted_rows(self.values)

    def to_json(self, *, results: str, skipped: int) -> dict[str, Any]:
        """Return the document of `batch --json`: see `samapprox schema batch`.

        Parameters
        ----------
        results : str
            The result file.
        skipped : int
            Instances that were finished before this run.

        Returns
        -------
        dict
        """
        return DOCUMENT.write(
            self,
            results=results,
            instances=self.verdicts.total(),
            skipped=skipped,
            verdicts={verdict: self.verdicts[verdict] for verdict in self.columns},
            values=[
                {"lower": lower, "upper": upper, "instances": count}
                for (lower, upper), count in sorted(self.values.items())
            ],
            recall=None if self.recall is None else asdict(self.recall),
            failures=list(map(asdict, self.failures)),
        )


def summarize(question: Question, judged: Iterable[tuple[Outcome, Sequence[Failure]]]) -> Summary:
    """Count results and collect their failures.

    Parameters
    ----------
    question : Question
        What was asked about every instance.
    judged : iterable of (Outcome, sequence of Failure)
        As `samapprox.batch.judge` yields them.

    Returns
    -------
    Summary
        Counts by answer and family, seconds of work, and all failures.

    Examples
    --------
    >>> outcome = Outcome("a", "", family="line", verdict="YES", seconds=0.5)
    >>> summarize(Question("decide", d=1), [(outcome, [])]).verdicts
    Counter({'YES': 1})
    """
    verdicts: Counter[str] = Counter()
    families: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds = 0.0
    failed: list[Failure] = []
    values: Counter[_Bounds] = Counter()
    counts = KNOWN_TASKS[question.task].counts
    total, found, least = 0.0, 0, 1.0
    for outcome, failures in judged:
        verdicts[outcome.verdict] += 1
        families[outcome.family or ""][outcome.verdict] += 1
        seconds += outcome.seconds
        failed += failures
        if counts and outcome.lower is not None and outcome.upper is not None:
            values[outcome.lower, outcome.upper] += 1
        on_mask = question.graph is not None and outcome.verdict in ("EXACT", "INTERVAL")
        if on_mask and outcome.lower is not None:
            total, found, least = total + outcome.lower, found + 1, min(least, outcome.lower)
    recall = Recall(total / found, least) if found else None
    return Summary(question, verdicts, dict(families), seconds, failed, values, recall)


def markdown(summary: Summary) -> str:
    """Return a summary in Markdown: a heading, tables by family and by answer, and the failures.

    Parameters
    ----------
    summary : Summary
        What `summarize` returns.

    Returns
    -------
    str
        Text in Markdown, as GitHub shows it in a job's summary.

    Examples
    --------
    >>> outcome = Outcome("a", "", family="line", verdict="YES", seconds=0.5)
    >>> print(markdown(summarize(Question("decide", d=1), [(outcome, [])])))
    ### samapprox: 1 instance, no failure
    <BLANKLINE>
    decide d = 1, 60 s, seed 0; 0.5 s of work
    <BLANKLINE>
    | family | YES | NO | UNKNOWN | ERROR |
    |---|---:|---:|---:|---:|
    | line | 1 | 0 | 0 | 0 |
    <BLANKLINE>
    """
    failures = len(summary.failures)
    lines = [
        f"### samapprox: {plural(summary.verdicts.total(), 'instance')}, "
        + (plural(failures, "failure") if failures else "no failure"),
        "",
        f"{summary.question}; {summary.seconds:.3g} s of work",
        "",
        *_table(summary),
        "",
    ]
    if summary.values:
        lines += [f"| {KNOWN_TASKS[summary.question.task].short} | instances |", "|---|---:|"]
        lines += [*(f"| {answer} | {count} |" for answer, count in summary.answers), ""]
    if summary.recall is not None:
        lines += [
            f"{percent(summary.recall.mean)} of the furthest vectors are found on average, "
            f"{percent(summary.recall.least)} at least",
            "",
        ]
    if failures:
        lines += ["| instance | failure | |", "|---|---|---|"]
        lines += [
            f"| {_cell(one.name)} | {one.kind} | {_cell(one.reason)} |"
            for one in summary.failures[:_MOST_FAILURES]
        ]
        if failures > _MOST_FAILURES:
            lines.append(f"| and {failures - _MOST_FAILURES} more | | |")
        lines.append("")
    return "\n".join(lines)


def _table(summary: Summary) -> list[str]:
    columns = summary.columns
    lines = [f"| family | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    families = sorted(summary.families)
    for family in families[:_MOST_FAMILIES]:
        counts = summary.families[family]
        numbers = " | ".join(str(counts[verdict]) for verdict in columns)
        lines.append(f"| {_cell(family) or '-'} | {numbers} |")
    if len(families) > _MOST_FAMILIES:
        lines.append(f"| and {len(families) - _MOST_FAMILIES} more |{' |' * len(columns)}")
    return lines


def _cell(text: str) -> str:
    """Text that cannot end the cell or the line, and is not read as HTML."""
    return " ".join(html.escape(text, quote=False).replace("|", "\\|").split())


_MOST_PASSED = 10_000
"""The greatest number of test cases without failure in a file: CI systems choke on more."""

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Junit:
    """A file in JUnit's format, with a suite for each question."""

    def __init__(self) -> None:
        import junitparser

        self._parser: Any = junitparser
        self._document: Any = junitparser.JUnitXml()

    def add(
        self, question: Question, judged: Iterable[tuple[Outcome, Sequence[Failure]]]
    ) -> Iterator[tuple[Outcome, Sequence[Failure]]]:
        """Add a suite with one test case per instance, once all results have passed through.

        Parameters
        ----------
        question : Question
            The name of the suite.
        judged : iterable of (Outcome, sequence of Failure)
            As `samapprox.batch.judge` yields them.

        Yields
        ------
        outcome, failures
            The given results, unchanged, so that a summary can count them next.
        """
        suite = self._parser.TestSuite(_text(f"samapprox {question}"))
        passed = 0
        for outcome, failures in judged:
            passed += not failures
            if failures or passed <= _MOST_PASSED:
                suite.add_testcase(_case(self._parser, outcome, failures))
            yield outcome, failures
        if passed > _MOST_PASSED:
            suite.add_property("passed, not listed", str(passed - _MOST_PASSED))
        self._document.add_testsuite(suite)

    def write(self, path: str | Path) -> None:
        """Write the file.

        Parameters
        ----------
        path : path
            The file to write.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        with replacing(Path(path)) as stream:
            self._document.write(stream)


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


DOCUMENT = Document(
    "batch",
    "What `samapprox batch --json` prints. Times in seconds, memory in bytes.",
    {
        "results": text("The result file."),
        "question": record("", [name for name in MEMBERS if name not in FIRST], **MEMBERS),
        "instances": whole(0),
        "skipped": whole(0, "Instances that the result file held already."),
        "verdicts": mapping(whole(0), "Instances by verdict.", names=EVERY_VERDICT),
        "values": listed(
            record(lower=whole(0), upper=whole(0), instances=whole(1)),
            about="Instances by proven bounds, for tasks that ask for a whole number.",
        ),
        "recall": nullable(
            record(
                "On a mask: the shares of the furthest vectors that its layers find.",
                mean=number(0, "Over all instances.", most=1),
                least=number(0, "Of one instance.", most=1),
            )
        ),
        "seconds": number(0, "Of all instances together."),
        "failures": listed(record(name=text(), kind=choice(*KINDS), reason=text())),
    },
)
