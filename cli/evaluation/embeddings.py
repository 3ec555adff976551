"""The words and the document of `samapprox fit --embeddings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samapprox.cli.bounds import Output
from samapprox.cli.options import Source
from samapprox.cli.options.given_vectors import GivenVectors
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, print_table
from samapprox.errors import Interrupted, errors_within
from samapprox.similarities import SIMILARITIES
from samapprox.support.text import percent

if TYPE_CHECKING:
    from samapprox.results.evaluation import Allowance, Evaluation

__all__ = ["show_evaluations"]


Found = dict[str, tuple["Evaluation", "Allowance"]]

_DEPTHS = (10, 100)


def show_evaluations(
    source: Source, given: GivenVectors, chosen: str, output: Output, limits: dict[str, Any]
) -> None:
    """Evaluate embeddings and print the answers beside what their dimension allows."""
    from samapprox.results.evaluation import Allowance
    from samapprox.solvers.questions.evaluation.evaluate import evaluate_all
    from samapprox.solvers.questions.fits.fit import bound_right_rows

    pattern = source.read().pattern
    vectors = given.read()
    assert vectors.second is not None
    similarities = [name for name in SIMILARITIES if chosen in (name, "all")]
    files = given.files
    interrupt: Interrupted[Any] | None = None
    with errors_within(", ".join(files)), show_progress("reading the embeddings") as parts:
        try:
            evaluations = evaluate_all(
                pattern,
                vectors.first,
                vectors.second,
                similarities,
                query_ids=vectors.first_ids,
                document_ids=vectors.second_ids,
                unjudged=source.unjudged,
                progress=parts,
                **given.joining,
            )
        except Interrupted as interrupted:
            interrupt, evaluations = interrupted, interrupted.so_far
    found: Found = {}
    with show_progress("bounding what the dimension allows") as show:
        for similarity, evaluation in evaluations.items():
            rows = evaluation.pattern.shape[0]
            allowance = (
                Allowance(0, rows)
                if interrupt is not None
                else bound_right_rows(
                    evaluation.pattern, evaluation.d, similarity=similarity, progress=show, **limits
                )
            )
            known = Allowance(max(allowance.least, evaluation.count), allowance.most)
            found[similarity] = evaluation, known
    _print(found, files, source, output)
    if interrupt is not None:
        echo(f"samapprox: note: interrupted, the answer is about {rows} queries alone", err=True)
        raise interrupt


def _print(found: Found, files: list[str], source: Source, output: Output) -> None:
    """Print the document or the words."""
    from samapprox.support.json_text import document_head

    if output.as_json:
        print_json(
            {
                **document_head("evaluations"),
                "embeddings": files,
                "evaluations": [
                    evaluation.to_json(allowance=allowance, source=source.path)
                    for evaluation, allowance in found.values()
                ],
            }
        )
        return
    with fit_terminal():
        _print_evaluations(found)


def _print_evaluations(found: Found) -> None:
    if len(found) > 1:
        _print_comparison(found)
        return
    for evaluation, allowance in found.values():
        rows = evaluation.pattern.shape[0]
        echo_answer(evaluation.headline)
        echo(f"The best embedding with d = {evaluation.d} gets {allowance.describe(rows)} right.")
        for line in evaluation.explain():
            echo(line)


def _print_comparison(found: Found) -> None:
    """Print a line for each similarity."""
    columns = next(iter(found.values()))[0].pattern.shape[1]
    depths = [depth for depth in _DEPTHS if depth < columns]
    table = []
    for similarity, (evaluation, allowance) in found.items():
        ties = sum(gap == 0 for gap in evaluation.gaps.tolist())
        shares = [evaluation.share, *map(evaluation.share_within, depths)]
        table.append(
            [
                *(similarity, str(evaluation.count), str(ties)),
                *map(percent, shares),
                allowance.describe(evaluation.pattern.shape[0]),
            ]
        )
    within = [f"all ones in first {depth}" for depth in depths]
    print_table(("similarity", "right rows", "ties", "share", *within, "possible"), table)
