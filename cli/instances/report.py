"""`samapprox report`."""

from __future__ import annotations

import click

from samapprox.batch.report import Report, Selection, write_report
from samapprox.batch.results.known_tasks import EVERY_VERDICT
from samapprox.cli.files import FILE, keep_apart
from samapprox.cli.options.weights import head_size_option
from samapprox.cli.terminal import echo, show_progress
from samapprox.cli.values import complete_files, complete_names


@click.command()
@click.argument("results", shell_complete=complete_files([".sqlite"]))
@click.option(
    "-o", "--output", type=FILE, default="report.html", show_default=True, help="Page to write."
)
@click.option("--family", help="Include only results of this family.")
@click.option(
    "--verdict",
    shell_complete=complete_names(lambda: EVERY_VERDICT),
    help="Include only results with this verdict.",
)
@click.option("--name", help="Include only results whose names match this glob, such as '*_top1*'.")
@click.option(
    "--list",
    "listed",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="Number of results to list one by one, with patterns and proofs in words.",
)
@click.option(
    "--pictures",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Number of listed results with pictures of their proofs.",
)
@head_size_option
def report(
    results: str,
    output: str,
    family: str | None,
    verdict: str | None,
    name: str | None,
    listed: int,
    pictures: int,
    head_size: int | None,
) -> None:
    """Turn RESULTS, a result file of `samapprox batch`, into one HTML page.

    The page shows heads by layer, counts, families, bounds, times, and single results with their
    patterns and proofs. It needs no network, and its size is bounded: --list and --pictures limit
    the single results.
    """
    keep_apart([results], [output])
    asked = Report(Selection(family, verdict, name), listed, pictures, head_size)
    with show_progress("counting results") as show:
        write_report(results, output, asked, progress=show)
    echo(output)
