"""The summary of a run: numbers, and Markdown for GitHub's step summary."""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from samapprox.batch.expectations import Failure
from samapprox.batch.results.known_tasks import VERDICTS
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.support.document import document_head
from samapprox.support.plural import plural

__all__ = ["Summary", "markdown", "summarize"]

_MOST_FAILURES = 100
_MOST_FAMILIES = 100


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts, times and failures of a run.

    Attributes
    ----------
    question : Question
    verdicts : Counter
        The number of instances by verdict.
    families : dict of str to Counter
        The same by family.
    seconds : float
        The total time of all instances.
    failures : list of Failure
    """

    question: Question
    verdicts: Counter[str]
    families: dict[str, Counter[str]]
    seconds: float
    failures: list[Failure]

    @property
    def columns(self) -> list[str]:
        """The possible verdicts."""
        return [*VERDICTS[self.question.task], "ERROR"]

    def to_json(self, *, results: str, skipped: int) -> dict[str, Any]:
        """Return the document of `batch --json`: see `schemas/batch.schema.json`.

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
        question = self.question
        return {
            **document_head("batch"),
            "results": results,
            "question": {
                "task": question.task,
                "d": question.d,
                "d_hid": question.d_hid,
                "similarity": question.similarity,
                "unit": question.unit,
                "kind": question.kind,
                "causal": question.causal,
                "relevant": question.relevant,
                "unjudged": question.unjudged,
                "time_limit": question.time_limit,
                "memory_limit": question.memory_limit,
                "seed": question.seed,
            },
            "instances": self.verdicts.total(),
            "skipped": skipped,
            "verdicts": {verdict: self.verdicts[verdict] for verdict in self.columns},
            "seconds": self.seconds,
            "failures": [
                {"name": one.name, "kind": one.kind, "reason": one.reason} for one in self.failures
            ],
        }


def summarize(question: Question, judged: Iterable[tuple[Outcome, Sequence[Failure]]]) -> Summary:
    """Count results and collect their failures.

    Parameters
    ----------
    question : Question
    judged : iterable of (Outcome, sequence of Failure)
        As `samapprox.batch.judge` yields them.
    """
    verdicts: Counter[str] = Counter()
    families: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds = 0.0
    failed: list[Failure] = []
    for outcome, failures in judged:
        verdicts[outcome.verdict] += 1
        families[outcome.family or ""][outcome.verdict] += 1
        seconds += outcome.seconds
        failed += failures
    return Summary(question, verdicts, dict(families), seconds, failed)


def markdown(summary: Summary) -> str:
    """Return a summary in Markdown: a heading, a table by family, and the failures.

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
