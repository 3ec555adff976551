"""`samapprox verify`."""

from __future__ import annotations

import json

import click

from samapprox import Certificate
from samapprox.cli.options import (
    arithmetic_option,
    causal_option,
    pattern_argument,
    read_pattern,
)
from samapprox.cli.precision import in_words, precision

__all__ = ["verify"]


@click.command()
@pattern_argument
@click.argument("certificate", type=click.Path())
@causal_option
@arithmetic_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def verify(
    ctx: click.Context,
    source: str,
    certificate: str,
    file_format: str | None,
    key: str | None,
    causal: bool,
    arithmetics: tuple[str, ...],
    as_json: bool,
) -> None:
    """Check that CERTIFICATE proves its answer for this very PATTERN.

    The check is exact and independent of the solvers. Exit status: 0 valid, 1 not valid, 2 when
    either file cannot be read.
    """
    pattern = read_pattern(source, file_format, key, causal)
    document = Certificate.load(certificate)
    check = document.verify(pattern)
    room = precision(pattern, document.proof if check else None, arithmetics)
    if as_json:
        click.echo(json.dumps(check.to_json(precision=room)))
    else:
        click.echo(f"{'VALID' if check.valid else 'NOT VALID'}: {check.reason}")
        for line in in_words(pattern, room):
            click.echo(line)
    ctx.exit(0 if check else 1)
