"""`samapprox fit`."""

from __future__ import annotations

from typing import Any

import click

from samapprox import BestFit, InputError, Pattern
from samapprox import fit as find_best_fit
from samapprox.cli import options
from samapprox.cli.files import keep_apart
from samapprox.cli.options.given_vectors import (
    GivenRuns,
    GivenVectors,
    given_vectors_options,
    runs_options,
)
from samapprox.cli.pattern.bounds import (
    Output,
    bounds_options,
    picture_of,
    search_until_interrupted,
)
from samapprox.cli.terminal import echo_answer, print_table
from samapprox.similarities import ATTENTION, SIMILARITIES, find_similarity
from samapprox.support.text import percent


@click.command()
@options.pattern
@click.option("-d", "d", type=options.DIMENSION, help="Query/key dimension; 1 if it is not given.")
@click.option(
    "--at",
    type=click.IntRange(min=1),
    metavar="K",
    help="Count the rows whose ones are not among the first K keys; zeros stand before ones of the "
    "same score.",
)
@click.option(
    "--recall",
    is_flag=True,
    help="With --at: let --yes and --no certify the mean recall at K instead of the right rows.",
)
@click.option("--entries", is_flag=True, help="Count wrong entries instead of wrong rows.")
@click.option(
    "--curve",
    is_flag=True,
    help="Print a table for d = 1, 2, .. until nothing is wrong; all d share --time-limit.",
)
@picture_of("Picture of the curve to write")
@given_vectors_options
@runs_options
@click.option(
    "--similarity",
    type=click.Choice((*SIMILARITIES, "all")),
    help="Score of a query and a key; all only with --embeddings.  [default: dot]",
)
@options.causal
@options.time_limit("Stop improving the bounds after this many seconds.")
@options.seed()
@bounds_options()
@options.saved_embedding("in float32; wrong rows have arbitrary queries")
@options.as_json
def fit(
    source: options.Source,
    d: int | None,
    at: int | None,
    recall: bool,
    entries: bool,
    curve: bool,
    given: GivenVectors,
    given_runs: GivenRuns,
    similarity: str | None,
    saved: options.SavedEmbedding,
    output: Output,
    **limits: Any,
) -> None:
    """Find the least number of rows of PATTERN that d dimensions get wrong, with certificates.

    A row is wrong if one of its entries is; with --at K, if its ones are not among the first K
    keys, where don't-cares do not count. The answer is exact if the bounds meet within the time
    limit, otherwise a proven interval. With --at, the greatest mean recall at K is bounded, too.

    With --embeddings, count the rows that given queries and keys get right instead: those whose
    ones all score strictly higher than their zeros, in exact arithmetic of the given floats; with
    --at K, also those with all ones among the first K.

    With --run, count the queries whose relevant documents all come first in a run instead, and
    compute recall, nDCG and MRR by ir_measures. Documents of equal scores are in the order of
    trec_eval: by id, descending.
    """
    saved.require_place()
    if saved.save_embedding is not None and (curve or given.embeddings or given_runs.runs):
        raise InputError("--save-embedding saves the embedding of one d that the search finds")
    certified = output.yes is not None or output.no is not None
    if recall and (at is None or not certified):
        raise InputError("--recall says what --yes and --no certify with --at")
    if given.embeddings is not None:
        if given_runs.runs:
            raise InputError("--embeddings and --run are two questions; ask one at a time")
        if d is not None or entries or curve or certified:
            raise InputError(
                "--embeddings does not go with -d, --entries, --curve, --yes and --no: the "
                "embeddings have a dimension, and their rows are counted"
            )
        if given.truncate is None and (output.picture or given_runs.measures):
            raise InputError("with --embeddings, --output and --measures need --truncate")
        output.keep_apart([source.path, *given.sources])
        chosen = similarity or ATTENTION.name
        if given.truncate is None:
            from samapprox.cli.pattern.evaluation import show_evaluations

            show_evaluations(source, given, chosen, at, output, limits)
        elif at is not None:
            raise InputError("--truncate takes cut-offs in --measures (R@10), not --at")
        elif chosen == "all":
            raise InputError("--truncate takes one similarity; choose it by --similarity")
        else:
            from samapprox.cli.pattern.evaluation import show_truncations

            show_truncations(source, given, chosen, given_runs.names, output, limits)
        return
    if given_runs.runs:
        if d is not None or at or entries or curve or output.picture or certified or similarity:
            raise InputError(
                "--run does not go with -d, --at, --entries, --curve, --output, --yes, --no and "
                "--similarity: the order of documents is given"
            )
        if source.causal or source.key is not None:
            raise InputError("--run is for judgements, which --causal and --key do not apply to")
        keep_apart([source.path, *given_runs.runs], [])
        given.require_none(but="skip_missing")
        from samapprox.cli.pattern.evaluation import show_runs

        show_runs(source, given_runs, skip_missing=given.skip_missing, as_json=output.as_json)
        return
    given.require_none()
    if given_runs.measures is not None:
        raise InputError("--measures needs --run or --truncate")
    if at is not None and entries:
        raise InputError("--at counts rows, so --entries does not go with it")
    if similarity == "all":
        raise InputError(
            "--similarity all needs --embeddings; without it, choose one of "
            f"{', '.join(SIMILARITIES)}"
        )
    if curve and (d is not None or certified):
        raise InputError("--curve covers every d, so -d, --yes and --no do not go with it")
    if output.picture is not None and not curve:
        raise InputError("--output needs --curve")
    output.keep_apart([source.path, saved.save_embedding])
    pattern = source.read().pattern
    asked: dict[str, Any] = {
        "unit": "entries" if entries else "rows",
        "similarity": find_similarity(similarity or ATTENTION),
        "at": at,
        **limits,
    }
    if curve:
        _show_curve(pattern, asked, source, output)
        return
    found, interrupt = search_until_interrupted(
        find_best_fit, pattern, 1 if d is None else d, **asked
    )
    certified_one = found.recall if recall and found.recall is not None else found
    output.write(
        lambda: found.to_json(**source.origin),
        lambda err: echo_answer(str(found), err=err),
        lambda: certified_one.yes_certificate,
        lambda: certified_one.no_certificate,
        interrupt=interrupt,
    )
    saved.write(pattern, found.yes, asked["similarity"])


def _show_curve(
    pattern: Pattern, asked: dict[str, Any], source: options.Source, output: Output
) -> None:
    """Print the table of a curve, or its document, and draw it."""
    from samapprox import fit_curve

    text = "searching for the best fit of each d"
    found, interrupt = search_until_interrupted(
        fit_curve, pattern, text=text, shows_limit=False, **asked
    )
    depth = "" if asked["at"] is None else f" at {asked['at']}"
    header = ["d", f"wrong {asked['unit']}", f"right{depth}", "at most"]
    if depth:
        header += [f"recall{depth}", "at most"]
    output.write(
        lambda: found.to_json(**source.origin),
        lambda err: print_table(header, [_cells(one) for one in found.fits], err=err),
        draw=found.draw,
        interrupt=interrupt,
    )


def _cells(found: BestFit) -> tuple[str, ...]:
    """Return d, the bounds, and the shares of right items and of recall, as they are printed."""
    bounds = str(found.lower) if found.exact else f"{found.lower}..{found.upper}"
    recalls = () if found.recall is None else found.recall.shares
    return str(found.d), bounds, percent(found.share_right), found.most_right_in_words, *recalls
