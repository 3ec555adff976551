"""`samapprox plot`."""

from __future__ import annotations

import click

from samapprox import Certificate, InputError, decide
from samapprox.cli.options import causal_option, pattern_argument, read_pattern
from samapprox.pictures import draw, save_picture

__all__ = ["plot"]


@click.command()
@pattern_argument
@causal_option
@click.option(
    "--certificate", type=click.Path(), help="Show this proof; it must hold for the pattern."
)
@click.option("--line", is_flag=True, help="Decide d = 1 and show that proof.")
@click.option("--output", type=click.Path(), required=True, help="File to write: png, svg, pdf, ..")
def plot(
    source: str,
    file_format: str | None,
    key: str | None,
    causal: bool,
    certificate: str | None,
    line: bool,
    output: str,
) -> None:
    """Draw PATTERN: its entries, the staircase of a line, or the core of a refutation."""
    pattern = read_pattern(source, file_format, key, causal)
    proof, title = None, None
    if certificate is not None:
        loaded = Certificate.load(certificate)
        check = loaded.verify(pattern)
        if not check:
            raise InputError(f"{certificate}: {check.reason}")
        proof, title = loaded.proof, check.reason
    elif line:
        verdict = decide(pattern, 1)
        proof, title = verdict.proof, f"{verdict.status.value} for d = 1"
    try:
        figure = draw(pattern, proof, title=title)
    except InputError as error:
        raise error.within(source) from None
    save_picture(figure, output)
    click.echo(output)
