"""The words and documents of `samapprox fit` about given embeddings and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samapprox.cli import options
from samapprox.cli.options.given_vectors import GivenRuns, GivenVectors
from samapprox.cli.pattern.bounds import Output
from samapprox.cli.terminal import (
    echo,
    echo_answer,
    fit_terminal,
    print_json,
    print_table,
    show_progress,
)
from samapprox.errors import InputError, Interrupted, errors_within
from samapprox.instance import Grading
from samapprox.similarities import SIMILARITIES
from samapprox.support.text import percent, plural

if TYPE_CHECKING:
    from samapprox.results.comparisons import Allowance
    from samapprox.results.evaluation import Evaluation
    from samapprox.results.run_evaluation import RunEvaluation


_DEFAULT_MEASURES = ("R@10", "nDCG@10")
_DEPTHS = (10, 100)


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows that vectors get right under a similarity, and what their dimension allows.

    `at_depth`: the same for rows that are right at K, if there is a K.
    """

    evaluation: Evaluation
    allowance: Allowance
    at_depth: tuple[int, Allowance] | None


def show_evaluations(
    source: options.Source,
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
    from samapprox.results.comparisons import Allowance
    from samapprox.solvers.questions.fits.fit import bound_right_rows

    def allow(count: int, depth: int | None) -> Allowance:
        pattern, similarity = evaluation.pattern, evaluation.similarity
        if not limits:
            return Allowance(count, pattern.shape[0])
        found = bound_right_rows(pattern, evaluation.d, similarity=similarity, at=depth, **limits)
        return Allowance(max(found.least, count), found.most)

    at_depth = None if at is None else (at, allow(evaluation.count_within(at), at))
    return _Found(evaluation, allow(evaluation.count, None), at_depth)


def _print(found: list[_Found], files: list[str], source: options.Source, output: Output) -> None:
    """Print the document or the words."""
    from samapprox.schemas.commands import EVALUATIONS

    if output.as_json:
        evaluations = [
            one.evaluation.to_json(allowance=one.allowance, at=one.at_depth, source=source.path)
            for one in found
        ]
        print_json(EVALUATIONS.write(embeddings=files, evaluations=evaluations))
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


def show_truncations(
    source: options.Source,
    given: GivenVectors,
    similarity: str,
    names: Sequence[str],
    output: Output,
    limits: dict[str, Any],
) -> None:
    """Evaluate embeddings cut to several lengths, which share the time limit."""
    from samapprox.solvers.questions.evaluation.joining import join_by_ids, name_vectors
    from samapprox.solvers.questions.evaluation.truncation import evaluate_truncations
    from samapprox.solvers.questions.fits.fit import bound_right_rows

    lengths = given.lengths
    measures = _choose_measures(names, source.relevant, default=_DEFAULT_MEASURES)
    pattern, grades = source.read().pattern, _read_grades(source)
    vectors = given.read()
    assert vectors.second is not None
    share = {**limits, "time_limit": limits["time_limit"] / max(1, len(lengths))}
    with errors_within(", ".join(given.files)), show_progress("reading the embeddings") as show:
        joined = join_by_ids(
            pattern,
            name_vectors(vectors.first, vectors.first_ids, "queries"),
            name_vectors(vectors.second, vectors.second_ids, "keys"),
            unjudged=source.unjudged,
            **given.joining,
        )
        found = evaluate_truncations(
            joined,
            lengths,
            similarity=similarity,
            bound=lambda cut, d: bound_right_rows(cut, d, similarity=similarity, **share),
            grades=grades,
            measures=measures,
            progress=show,
        )

    def show_words(err: bool) -> None:
        echo_answer(found.headline, err=err)
        print_table(*found.table(), err=err)
        for line in found.explain():
            echo(line, err=err)

    output.write(lambda: found.to_json(source=source.path), show_words, draw=found.draw)


def _read_grades(source: options.Source) -> dict[str, dict[str, int]] | None:
    """Return the grades of judgements; None for patterns, whose ones are all of grade 1."""
    from samapprox.formats import load_judgements
    from samapprox.formats.files import recognize

    if source.path == "-":
        raise InputError("--truncate reads PATTERN twice; name a file instead of -")
    with recognize(source.path, source.file_format) as (chosen, _):
        if not chosen.judgements:
            return None
    return load_judgements(source.path, format=source.file_format).by_query()


def _choose_measures(
    names: Sequence[str], relevant: int, *, default: Sequence[str] = ()
) -> list[Any] | None:
    """Return measures; without names the usual ones, or None and a note without ir_measures."""
    from samapprox.solvers.questions.evaluation.runs import DEFAULT_MEASURES, parse_measures

    try:
        return parse_measures(names or default or DEFAULT_MEASURES, relevant)
    except InputError as error:
        if names:
            raise error.within("--measures") from None
        echo(f"samapprox: note: {error}", err=True)
        return None


def show_runs(
    source: options.Source, given: GivenRuns, *, skip_missing: bool, as_json: bool
) -> None:
    """Evaluate runs and print the answers, side by side if there are several."""
    from samapprox.formats import load_judgements
    from samapprox.formats.runs import load_run
    from samapprox.schemas.commands import RUN_EVALUATIONS
    from samapprox.solvers.questions.evaluation.runs import evaluate_run

    measures = _choose_measures(given.names, source.relevant)
    grading = Grading(source.relevant, source.unjudged)
    with show_progress("reading the judgements and runs"):
        judgements = load_judgements(source.path, format=source.file_format)
        found = [
            evaluate_run(judgements, load_run(run), grading, measures, skip_missing=skip_missing)
            for run in given.runs
        ]
    if as_json:
        runs = [one.to_json() for one in found]
        print_json(RUN_EVALUATIONS.write(judgements=source.path, evaluations=runs))
        return
    with fit_terminal():
        if len(found) > 1:
            _print_run_comparison(found)
            return
        echo_answer(found[0].headline)
        for line in found[0].explain():
            echo(line)


def _print_run_comparison(found: list[RunEvaluation]) -> None:
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
