"""Answers of `samapprox fit --embeddings`: the rows that given embeddings get right."""

from __future__ import annotations

from samapprox import Evaluation, InputError, Pattern
from samapprox.attention.weights.embeddings import load_embeddings
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity, show_parts
from samapprox.cli.tables import print_table
from samapprox.cli.terminal import echo, echo_answer, fit_terminal
from samapprox.evaluation import Allowance
from samapprox.problem import SIMILARITIES, Similarity
from samapprox.solvers.questions.evaluation.evaluate import evaluate_all
from samapprox.solvers.questions.fits.fit import find_allowance
from samapprox.support.document import document_head
from samapprox.support.percent import percent

__all__ = ["CHOICES", "show_evaluations"]

Found = dict[Similarity, tuple[Evaluation, Allowance]]

CHOICES = (*SIMILARITIES, "all")
"""The values of the option for similarities."""

_DEPTHS = (10, 100)


def show_evaluations(
    pattern: Pattern,
    source: str,
    files: list[str],
    chosen: str,
    limits: tuple[float, int],
    *,
    as_json: bool,
) -> None:
    """Evaluate embeddings and print the answers beside what their dimension allows.

    Parameters
    ----------
    pattern : Pattern
    source : str
        Its origin.
    files : list of str
        As for `samapprox.attention.weights.embeddings.load_embeddings`.
    chosen : str
        One of `CHOICES`.
    limits : (float, int)
        Time limit of each search, and its seed.
    as_json : bool
    """
    similarities = [name for name in SIMILARITIES if chosen in (name, "all")]
    if "" in files:
        raise InputError("--embeddings: a name is empty; give Q,K or one file of both")
    vectors = load_embeddings(files)
    assert vectors.second is not None
    time_limit, seed = limits
    try:
        with show_parts("reading the embeddings") as parts:
            evaluations = evaluate_all(
                pattern, vectors.first, vectors.second, similarities, progress=parts
            )
    except InputError as error:
        raise error.within(", ".join(files)) from None
    found: Found = {}
    with show_activity("bounding what the dimension allows") as show:
        for similarity, evaluation in evaluations.items():
            allowance = find_allowance(
                pattern,
                evaluation.d,
                similarity=similarity,
                time_limit=time_limit,
                seed=seed,
                progress=show,
            )
            known = Allowance(max(allowance.least, evaluation.count), allowance.most)
            found[similarity] = evaluation, known
    if as_json:
        print_json(
            {
                **document_head("evaluations"),
                "embeddings": files,
                "evaluations": [
                    evaluation.to_json(allowance=allowance, source=source)
                    for evaluation, allowance in found.values()
                ],
            }
        )
        return
    with fit_terminal():
        _print(found)


def _print(found: Found) -> None:
    if len(found) > 1:
        _print_table(found)
        return
    for evaluation, allowance in found.values():
        rows = evaluation.pattern.shape[0]
        echo_answer(evaluation.headline)
        echo(f"The best embedding with d = {evaluation.d} gets {allowance.describe(rows)} right.")
        for line in evaluation.explain():
            echo(line)


def _print_table(found: Found) -> None:
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
