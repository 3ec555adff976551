"""`samapprox plot`."""

from __future__ import annotations

from typing import Any

import click

from samapprox import InputError, Pattern, SignMatrix, Verdict, WeakDimension, weak_dimension
from samapprox import decide as decide_pattern
from samapprox.cli import options
from samapprox.cli.files import PICTURE, keep_apart, load_certificate, stem_of
from samapprox.cli.terminal import echo, show_progress
from samapprox.cli.values import complete_files
from samapprox.errors import errors_within
from samapprox.pictures import draw, save_picture
from samapprox.pictures.pattern import require_drawable
from samapprox.problem import require_hidden_dimension, require_one_question
from samapprox.proofs.base import Proof
from samapprox.similarities import ATTENTION


@click.command()
@options.pattern
@options.causal
@click.option("-d", "d", type=options.DIMENSION, help="Decide this dimension and draw the proof.")
@click.option("--d-hid", type=options.HIDDEN_DIMENSION, help="With -d: hidden dimension of X.")
@click.option("--dim", is_flag=True, help="Find the least dimension and draw both proofs.")
@options.similarity
@click.option(
    "--certificate",
    type=click.Path(),
    shell_complete=complete_files([".json"]),
    help="Draw this proof, which must be valid for the pattern.",
)
@click.option(
    "--row",
    "rows",
    type=int,
    multiple=True,
    help="Draw the half-line, line or plane of this row (may be repeated).",
)
@options.time_limit("Stop -d or --dim after this many seconds.")
@options.seed()
@click.option(
    "-o",
    "--output",
    type=PICTURE,
    help="Picture to write: a png, svg or pdf file.  [default: NAME.plot.png in this folder]",
)
def plot(
    source: options.Source,
    d: int | None,
    d_hid: int | None,
    dim: bool,
    similarity: str,
    certificate: str | None,
    rows: tuple[int, ...],
    time_limit: float,
    seed: int,
    output: str | None,
) -> None:
    """Draw the entries of PATTERN, and the proof for or against a dimension.

    A YES is drawn as a staircase over the line and its half-lines (d = 1), as points and lines
    (d = 2), or as points and the planes of chosen rows (d = 3). With --similarity, each row is an
    arc, an interval or a circle around its ones. A NO is drawn as the rows and columns of its
    proof, marked in the pattern. PATTERN may also be a matrix of signs, + and - or 1 and -1, alone
    or with a certificate of `samapprox rank`.
    """
    if sum([d is not None, dim, certificate is not None]) > 1:
        raise InputError("-d, --dim and --certificate each choose a proof: give only one of them")
    if d_hid is not None and d is None:
        raise InputError("--d-hid needs -d: give both")
    if d is not None:
        require_hidden_dimension(d, d_hid)
        require_one_question(d_hid, similarity)
    elif not dim and similarity != ATTENTION.name:
        raise InputError("--similarity needs -d or --dim: give one of them")
    output = output or f"{stem_of(source.path)}.plot.png"
    keep_apart([source.path, certificate], [output])
    pattern = source.read_matrix().pattern
    if isinstance(pattern, SignMatrix) and (d is not None or dim):
        raise InputError(
            f"{source.path}: -d and --dim are for patterns of 0 and 1, and this is a matrix of "
            "signs; `samapprox rank` finds its ranks, and --certificate draws their proofs"
        )
    proof, title = (None, None) if certificate is None else _proven(pattern, certificate)
    chosen = rows or None
    for row in rows:
        options.require_index("--row", "row", row, pattern.shape[0])
    limits: dict[str, Any] = {"similarity": similarity, "time_limit": time_limit, "seed": seed}
    with errors_within(source.path):
        require_drawable(pattern, chosen)
        answer: WeakDimension | Verdict | None = None
        if dim or d is not None:
            with show_progress(time_limit=time_limit) as progress:
                answer = (
                    weak_dimension(pattern, progress=progress, **limits)
                    if d is None
                    else decide_pattern(pattern, d, d_hid, progress=progress, **limits)
                )
        with show_progress("drawing"):
            figure = (
                draw(pattern, proof, title=title, rows=chosen)
                if answer is None
                else answer.draw(rows=chosen)
            )
    with show_progress(f"writing {output}"):
        save_picture(figure, output)
    echo(output)


def _proven(pattern: Pattern, certificate: str) -> tuple[Proof, str]:
    """Load a certificate that is valid for the pattern; return its proof and its statement."""
    loaded = load_certificate(certificate)
    with show_progress("checking the certificate"):
        check = loaded.verify(pattern)
    if not check:
        raise InputError(f"{certificate}: {check.reason}")
    return loaded.proof, check.reason
