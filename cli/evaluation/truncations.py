"""The words, the document and the picture of `samapprox fit --embeddings --truncate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samapprox.cli.bounds import Output
from samapprox.cli.evaluation.measures import choose_measures
from samapprox.cli.options import Source
from samapprox.cli.options.given_vectors import GivenVectors
from samapprox.cli.progress import show_progress
from samapprox.cli.terminal import echo, echo_answer, print_table
from samapprox.errors import InputError, errors_within

__all__ = ["show_truncations"]

_DEFAULT_MEASURES = ("R@10", "nDCG@10")


def show_truncations(
    source: Source,
    given: GivenVectors,
    similarity: str,
    names: Sequence[str],
    output: Output,
    limits: dict[str, Any],
) -> None:
    """Evaluate embeddings cut to several lengths, which share the time limit."""
    from samapprox.solvers.questions.evaluation.joining import join_by_ids
    from samapprox.solvers.questions.evaluation.named_vectors import name_vectors
    from samapprox.solvers.questions.evaluation.truncation import evaluate_truncations
    from samapprox.solvers.questions.fits.fit import bound_right_rows

    lengths = given.lengths
    measures = choose_measures(names, source.relevant, default=_DEFAULT_MEASURES)
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


def _read_grades(source: Source) -> dict[str, dict[str, int]] | None:
    """Return the grades of judgements; None for patterns, whose ones are all of grade 1."""
    from samapprox.formats import load_judgements
    from samapprox.formats.files import recognize
    from samapprox.formats.known_formats import JUDGEMENTS

    if source.path == "-":
        raise InputError("--truncate reads PATTERN twice; name a file instead of -")
    with recognize(source.path, source.file_format) as (chosen, _):
        if chosen.name not in JUDGEMENTS:
            return None
    return load_judgements(source.path, format=source.file_format).by_query()
