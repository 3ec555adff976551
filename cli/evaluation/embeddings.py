"""The words and the document of `samapprox fit --embeddings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samapprox.cli.bounds import Output
from samapprox.cli.options import Source
from samapprox.cli.options.given_vectors import GivenVectors
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, print_table
from samapprox.errors import Interrupted, errors_within
from samapprox.similarities import SIMILARITIES
from samapprox.support.text import percent, plural

if TYPE_CHECKING:
    from samapprox.results.evaluation import Allowance, Evaluation

__all__ = ["show_evaluations"]


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows that vectors get right under a similarity, and what their dimension allows.

    `at_depth`: the same for rows that are right at K, if there is a K.
    """

    evaluation: Evaluation
    allowance: Allowance
    at_depth: tuple[int, Allowance] | None


_DEPTHS = (10, 100)


def show_evaluations(
    source: Source,
    given: GivenVectors,
    chosen: str,
    at: int | None,
    output: Output,
    limits: dict[str, Any],
) -> None:
    """Evaluate embeddings and print the answers beside what their dimension allows."""
    from samapprox.solvers.questions.evaluation.evaluate import evaluate_all

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
    with show_progress("bounding what the dimension allows") as show:
        bounded = {} if interrupt is not None else {"progress": show, **limits}
        found = [_bound(evaluation, at, bounded) for evaluation in evaluations.values()]
    rows = found[0].evaluation.pattern.shape[0]
    _print(found, files, source, output)
    if interrupt is not None:
        echo(f"samapprox: note: interrupted, the answer is about {rows} queries alone", err=True)
        raise interrupt


def _bound(evaluation: Evaluation, at: int | None, limits: dict[str, Any]) -> _Found:
    """Bound what the dimension allows, without limits by the given vectors alone."""
    from samapprox.results.evaluation import Allowance
    from samapprox.solvers.questions.fits.fit import bound_right_rows

    def allow(count: int, depth: int | None) -> Allowance:
        pattern, similarity = evaluation.pattern, evaluation.similarity
        if not limits:
            return Allowance(count, pattern.shape[0])
        found = bound_right_rows(pattern, evaluation.d, similarity=similarity, at=depth, **limits)
        return Allowance(max(found.least, count), found.most)

    at_depth = None if at is None else (at, allow(evaluation.count_within(at), at))
    return _Found(evaluation, allow(evaluation.count, None), at_depth)


def _print(found: list[_Found], files: list[str], source: Source, output: Output) -> None:
    """Print the document or the words."""
    from samapprox.support.json_text import document_head

    if output.as_json:
        print_json(
            {
                **document_head("evaluations"),
                "embeddings": files,
                "evaluations": [
                    one.evaluation.to_json(
                        allowance=one.allowance, at=one.at_depth, source=source.path
                    )
                    for one in found
                ],
            }
        )
        return
    with fit_terminal():
        if len(found) > 1:
            _print_comparison(found)
        else:
            _print_evaluation(found[0])


def _print_evaluation(found: _Found) -> None:
    evaluation = found.evaluation
    rows, best = evaluation.pattern.shape[0], f"the best embedding with d = {evaluation.d} gets"
    echo_answer(evaluation.headline)
    echo(f"{best[0].upper()}{best[1:]} {found.allowance.describe(rows)} right.")
    if found.at_depth is not None:
        at, allowance = found.at_depth
        right = f"{evaluation.count_within(at)} of {plural(rows, 'row')} right"
        share = percent(evaluation.share_within(at))
        echo(f"At K = {at}: {right} ({share}); {best} {allowance.describe(rows)} right.")
    for line in evaluation.explain():
        echo(line)


def _print_comparison(found: list[_Found]) -> None:
    """Print a line for each similarity."""
    columns = found[0].evaluation.pattern.shape[1]
    at = None if found[0].at_depth is None else found[0].at_depth[0]
    depths = [depth for depth in _DEPTHS if depth < columns] if at is None else [at]
    table = []
    for one in found:
        evaluation, rows = one.evaluation, one.evaluation.pattern.shape[0]
        ties = sum(gap == 0 for gap in evaluation.gaps.tolist())
        shares = [evaluation.share, *map(evaluation.share_within, depths)]
        allowances = [one.allowance, *([] if one.at_depth is None else [one.at_depth[1]])]
        table.append(
            [
                *(evaluation.similarity.name, str(evaluation.count), str(ties)),
                *map(percent, shares),
                *(allowance.describe(rows) for allowance in allowances),
            ]
        )
    within = [f"all ones in first {depth}" for depth in depths]
    possible = ["possible", *([] if at is None else [f"possible at {at}"])]
    print_table(("similarity", "right rows", "ties", "share", *within, *possible), table)
