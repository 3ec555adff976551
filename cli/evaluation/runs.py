"""The words and the document of `samapprox fit --run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samapprox.cli.evaluation.measures import choose_measures
from samapprox.cli.options import Source
from samapprox.cli.options.runs import GivenRuns
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, print_table
from samapprox.grading import Grading
from samapprox.support.text import percent

if TYPE_CHECKING:
    from samapprox.results.run_evaluation import RunEvaluation

__all__ = ["show_runs"]

_DEPTHS = (10, 100)


def show_runs(source: Source, given: GivenRuns, *, skip_missing: bool, as_json: bool) -> None:
    """Evaluate runs and print the answers, side by side if there are several."""
    from samapprox.formats import load_judgements
    from samapprox.formats.runs import load_run
    from samapprox.solvers.questions.evaluation.runs import evaluate_run
    from samapprox.support.json_text import document_head

    measures = choose_measures(given.names, source.relevant)
    grading = Grading(source.relevant, source.unjudged)
    with show_progress("reading the judgements and runs"):
        judgements = load_judgements(source.path, format=source.file_format)
        found = [
            evaluate_run(judgements, load_run(run), grading, measures, skip_missing=skip_missing)
            for run in given.runs
        ]
    if as_json:
        runs = [one.to_json() for one in found]
        print_json(
            {**document_head("run-evaluations"), "judgements": source.path, "evaluations": runs}
        )
        return
    with fit_terminal():
        if len(found) > 1:
            _print_comparison(found)
            return
        echo_answer(found[0].headline)
        for line in found[0].explain():
            echo(line)


def _print_comparison(found: list[RunEvaluation]) -> None:
    """Print a line for each run."""
    names = list(found[0].measures or {})
    header = ("run", "right", "share", *(f"all in first {depth}" for depth in _DEPTHS), *names)
    table = [
        [
            *(one.source, str(one.count)),
            *map(percent, (one.share, *map(one.share_within, _DEPTHS))),
            *(f"{value:.4f}" for value in (one.measures or {}).values()),
        ]
        for one in found
    ]
    print_table(header, table)
