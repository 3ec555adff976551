"""`samapprox report`."""

from __future__ import annotations

import click

from samapprox.batch.report import Report, Selection, write_report
from samapprox.cli.options import keep_apart, progress_bar
from samapprox.cli.written import FILE

__all__ = ["report"]


@click.command()
@click.argument("results")
@click.option(
    "-o", "--output", type=FILE, default="report.html", show_default=True, help="The page."
)
@click.option("--family", help="Only results of this family.")
@click.option("--verdict", help="Only results with this verdict.")
@click.option("--name", help="Only results with such names, as '*_top1*'.")
@click.option(
    "--list",
    "listed",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="How many results are listed one by one, with patterns and proofs in words.",
)
@click.option(
    "--pictures",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="How many of them have pictures of their proofs.",
)
def report(
    results: str,
    output: str,
    family: str | None,
    verdict: str | None,
    name: str | None,
    listed: int,
    pictures: int,
) -> None:
    """Write the result file RESULTS of `samapprox batch` as one HTML page.

    Counts, times, bounds, families, heads by layer, and results one by one with their patterns and
    proofs. The page needs no network, and holds a bounded part of however many results there are.
    """
    keep_apart([results], [output])
    asked = Report(Selection(family, verdict, name), listed, pictures)
    with progress_bar() as show:
        write_report(results, output, asked, progress=show)
    click.echo(output)
