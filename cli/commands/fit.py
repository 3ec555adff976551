"""`samapprox fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from samapprox import BestFit, InputError, Pattern
from samapprox import fit as find_best_fit
from samapprox.cli.bounds import Output, bounds_options, search_until_interrupted
from samapprox.cli.files import PICTURE
from samapprox.cli.options import (
    DIMENSION,
    Reading,
    causal_option,
    json_option,
    keep_apart,
    pattern_argument,
    read_pattern,
    seed_option,
    time_limit_option,
)
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, print_table
from samapprox.proofs.questions import Unit
from samapprox.similarities import ATTENTION, SIMILARITIES, find_similarity
from samapprox.support.text import percent

if TYPE_CHECKING:
    from samapprox.results.evaluation import Allowance, Evaluation

__all__ = [
    "CHOICES",
    "fit",
    "show_evaluations",
]


Found = dict[str, tuple["Evaluation", "Allowance"]]

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
    """Evaluate embeddings and print the answers beside what their dimension allows."""
    from samapprox.attention.weights.embeddings import load_embeddings
    from samapprox.results.evaluation import Allowance
    from samapprox.solvers.questions.evaluation.evaluate import evaluate_all
    from samapprox.solvers.questions.fits.fit import bound_right_rows
    from samapprox.support.json_text import document_head

    similarities = [name for name in SIMILARITIES if chosen in (name, "all")]
    if "" in files:
        raise InputError("--embeddings: a name is empty; give Q,K or one file of both")
    vectors = load_embeddings(files)
    assert vectors.second is not None
    time_limit, seed = limits
    try:
        with show_progress("reading the embeddings") as parts:
            evaluations = evaluate_all(
                pattern, vectors.first, vectors.second, similarities, progress=parts
            )
    except InputError as error:
        raise error.within(", ".join(files)) from None
    found: Found = {}
    with show_progress("bounding what the dimension allows") as show:
        for similarity, evaluation in evaluations.items():
            allowance = bound_right_rows(
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
@click.option(
    "-o",
    "--output",
    "picture",
    type=PICTURE,
    help="Picture of the curve to write: a png, svg or pdf file.",
)
@click.option(
    "--embeddings",
    metavar="Q,K",
    help="Evaluate these embeddings instead: files of queries and keys (npy, npz, safetensors or "
    "text), or one file of both.",
)
@click.option(
    "--similarity",
    type=click.Choice(CHOICES),
    help="Score of a query and a key; all only with --embeddings.  [default: dot]",
)
@causal_option
@time_limit_option("Stop improving the bounds after this many seconds.")
@seed_option()
@bounds_options()
@json_option
def fit(
    source: str,
    reading: Reading,
    d: int | None,
    entries: bool,
    curve: bool,
    picture: str | None,
    embeddings: str | None,
    similarity: str | None,
    causal: bool,
    time_limit: float,
    seed: int,
    output: Output,
) -> None:
    """Find the least number of rows of PATTERN that d dimensions get wrong, with certificates.

    A row is wrong if one of its entries is. The answer is exact if the bounds meet within the time
    limit, otherwise a proven interval.

    With --embeddings, count the rows that given queries and keys get right instead: those whose
    ones all score strictly higher than their zeros, in exact arithmetic of the given floats.
    """
    if embeddings is not None:
        if d is not None or entries or curve or picture or output.yes or output.no:
            raise InputError(
                "--embeddings does not go with -d, --entries, --curve, --output, --yes and --no: "
                "the embeddings have a dimension, and their rows are counted"
            )
        files = embeddings.split(",")
        keep_apart([source, *files], [])
        pattern = read_pattern(source, reading, causal=causal)
        limits = (time_limit, seed)
        show_evaluations(
            pattern, source, files, similarity or ATTENTION.name, limits, as_json=output.as_json
        )
        return
    if similarity == "all":
        raise InputError(
            "--similarity all needs --embeddings; without it, choose one of "
            f"{', '.join(SIMILARITIES)}"
        )
    chosen = find_similarity(similarity or ATTENTION)
    if curve and (d is not None or output.yes is not None or output.no is not None):
        raise InputError("--curve covers every d, so -d, --yes and --no do not go with it")
    if picture is not None and not curve:
        raise InputError("--output needs --curve")
    output.keep_apart([source], picture)
    pattern = read_pattern(source, reading, causal=causal)
    unit: Unit = "entries" if entries else "rows"
    options: dict[str, Any] = {
        "unit": unit,
        "similarity": chosen,
        "time_limit": time_limit,
        "seed": seed,
    }
    if curve:
        _show_curve(pattern, options, picture, (source, causal), output.as_json)
        return
    found, interrupt = search_until_interrupted(
        find_best_fit, pattern, 1 if d is None else d, **options
    )
    output.write(
        lambda: found.to_json(source=source, causal=causal),
        lambda err: echo_answer(str(found), err=err),
        lambda: found.yes_certificate,
        lambda: found.no_certificate,
    )
    if interrupt is not None:
        raise interrupt


def _show_curve(
    pattern: Pattern,
    options: dict[str, Any],
    picture: str | None,
    origin: tuple[str, bool],
    as_json: bool,
) -> None:
    """Print the table of a curve, or its document, and draw it."""
    source, causal = origin
    from samapprox import fit_curve

    text = "searching for the best fit of each d"
    found, interrupt = search_until_interrupted(
        fit_curve, pattern, text=text, shows_limit=False, **options
    )
    try:
        if as_json:
            print_json(found.to_json(source=source, causal=causal))
        else:
            header = ("d", f"wrong {options['unit']}", "right", "at most")
            print_table(header, [_cells(one) for one in found.fits])
    finally:  # the picture is drawn even if the reader of a pipe closes it early
        if picture is not None:
            found.draw(picture)
            echo(picture, err=as_json)
    if interrupt is not None:
        raise interrupt


def _cells(found: BestFit) -> tuple[str, str, str, str]:
    """Return d, the bounds, and the shares of right items, as they are printed."""
    bounds = str(found.lower) if found.exact else f"{found.lower}..{found.upper}"
    return str(found.d), bounds, percent(found.share_right), found.most_right_in_words
