"""`samapprox verify`."""

from __future__ import annotations

import json

import click

from samapprox import Certificate
from samapprox.cli.options import causal_option, pattern_argument, read_pattern

__all__ = ["verify"]


@click.command()
@pattern_argument
@click.argument("certificate", type=click.Path())
@causal_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def verify(
    ctx: click.Context,
    source: str,
    certificate: str,
    file_format: str | None,
    key: str | None,
    causal: bool,
    as_json: bool,
) -> None:
    """Check that CERTIFICATE proves its answer for this very PATTERN.

    The check is exact and independent of the solvers. Exit status: 0 valid, 1 not valid, 2 when
    either file cannot be read.
    """
    pattern = read_pattern(source, file_format, key, causal)
    check = Certificate.load(certificate).verify(pattern)
    if as_json:
        click.echo(json.dumps({"valid": check.valid, "reason": check.reason}))
    else:
        click.echo(f"{'VALID' if check.valid else 'NOT VALID'}: {check.reason}")
    ctx.exit(0 if check else 1)
