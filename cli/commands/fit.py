"""`samapprox fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from samapprox import BestFit, InputError, Pattern
from samapprox import fit as find_best_fit
from samapprox.cli.bounds import Output, bounds_options, picture_of, search_until_interrupted
from samapprox.cli.options import (
    DIMENSION,
    Source,
    causal_option,
    json_option,
    keep_apart,
    pattern_argument,
    seed_option,
    time_limit_option,
)
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, print_table
from samapprox.errors import errors_within
from samapprox.similarities import ATTENTION, SIMILARITIES, find_similarity
from samapprox.support.text import percent

if TYPE_CHECKING:
    from samapprox.results.evaluation import Allowance, Evaluation

__all__ = ["fit"]


Found = dict[str, tuple["Evaluation", "Allowance"]]

_DEPTHS = (10, 100)


def _show_evaluations(
    source: Source, files: list[str], chosen: str, output: Output, limits: dict[str, Any]
) -> None:
    """Evaluate embeddings and print the answers beside what their dimension allows."""
    from samapprox.attention.weights.embeddings import load_embeddings
    from samapprox.results.evaluation import Allowance
    from samapprox.solvers.questions.evaluation.evaluate import evaluate_all
    from samapprox.solvers.questions.fits.fit import bound_right_rows
    from samapprox.support.json_text import document_head

    pattern = source.read().pattern
    if "" in files:
        raise InputError("--embeddings: a name is empty; give Q,K or one file of both")
    vectors = load_embeddings(files)
    assert vectors.second is not None
    similarities = [name for name in SIMILARITIES if chosen in (name, "all")]
    with errors_within(", ".join(files)), show_progress("reading the embeddings") as parts:
        evaluations = evaluate_all(
            pattern, vectors.first, vectors.second, similarities, progress=parts
        )
    found: Found = {}
    with show_progress("bounding what the dimension allows") as show:
        for similarity, evaluation in evaluations.items():
            allowance = bound_right_rows(
                pattern, evaluation.d, similarity=similarity, progress=show, **limits
            )
            known = Allowance(max(allowance.least, evaluation.count), allowance.most)
            found[similarity] = evaluation, known
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


@click.command()
@pattern_argument
@click.option("-d", "d", type=DIMENSION, help="Query/key dimension; 1 if it is not given.")
@click.option("--entries", is_flag=True, help="Count wrong entries instead of wrong rows.")
@click.option(
    "--curve",
    is_flag=True,
    help="Print a table for d = 1, 2, .. until nothing is wrong; all d share --time-limit.",
)
@picture_of("Picture of the curve to write")
@click.option(
    "--embeddings",
    metavar="Q,K",
    help="Evaluate these embeddings instead: files of queries and keys (npy, npz, safetensors or "
    "text), or one file of both.",
)
@click.option(
    "--similarity",
    type=click.Choice((*SIMILARITIES, "all")),
    help="Score of a query and a key; all only with --embeddings.  [default: dot]",
)
@causal_option
@time_limit_option("Stop improving the bounds after this many seconds.")
@seed_option()
@bounds_options()
@json_option
def fit(
    source: Source,
    d: int | None,
    entries: bool,
    curve: bool,
    embeddings: str | None,
    similarity: str | None,
    output: Output,
    **limits: Any,
) -> None:
    """Find the least number of rows of PATTERN that d dimensions get wrong, with certificates.

    A row is wrong if one of its entries is. The answer is exact if the bounds meet within the time
    limit, otherwise a proven interval.

    With --embeddings, count the rows that given queries and keys get right instead: those whose
    ones all score strictly higher than their zeros, in exact arithmetic of the given floats.
    """
    certified = output.yes is not None or output.no is not None
    if embeddings is not None:
        if d is not None or entries or curve or output.picture or certified:
            raise InputError(
                "--embeddings does not go with -d, --entries, --curve, --output, --yes and --no: "
                "the embeddings have a dimension, and their rows are counted"
            )
        files = embeddings.split(",")
        keep_apart([source.path, *files], [])
        _show_evaluations(source, files, similarity or ATTENTION.name, output, limits)
        return
    if similarity == "all":
        raise InputError(
            "--similarity all needs --embeddings; without it, choose one of "
            f"{', '.join(SIMILARITIES)}"
        )
    if curve and (d is not None or certified):
        raise InputError("--curve covers every d, so -d, --yes and --no do not go with it")
    if output.picture is not None and not curve:
        raise InputError("--output needs --curve")
    output.keep_apart([source.path])
    pattern = source.read().pattern
    options: dict[str, Any] = {
        "unit": "entries" if entries else "rows",
        "similarity": find_similarity(similarity or ATTENTION),
        **limits,
    }
    if curve:
        _show_curve(pattern, options, source, output)
        return
    found, interrupt = search_until_interrupted(
        find_best_fit, pattern, 1 if d is None else d, **options
    )
    output.write(
        lambda: found.to_json(**source.origin),
        lambda err: echo_answer(str(found), err=err),
        lambda: found.yes_certificate,
        lambda: found.no_certificate,
        interrupt=interrupt,
    )


def _show_curve(pattern: Pattern, options: dict[str, Any], source: Source, output: Output) -> None:
    """Print the table of a curve, or its document, and draw it."""
    from samapprox import fit_curve

    text = "searching for the best fit of each d"
    found, interrupt = search_until_interrupted(
        fit_curve, pattern, text=text, shows_limit=False, **options
    )
    header = ("d", f"wrong {options['unit']}", "right", "at most")
    output.write(
        lambda: found.to_json(**source.origin),
        lambda err: print_table(header, [_cells(one) for one in found.fits], err=err),
        draw=found.draw,
        interrupt=interrupt,
    )


def _cells(found: BestFit) -> tuple[str, str, str, str]:
    """Return d, the bounds, and the shares of right items, as they are printed."""
    bounds = str(found.lower) if found.exact else f"{found.lower}..{found.upper}"
    return str(found.d), bounds, percent(found.share_right), found.most_right_in_words
