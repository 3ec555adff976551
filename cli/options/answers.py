"""Options for answers: as text or JSON, by the exit status, with a certificate or a picture."""

from __future__ import annotations

import click

from samapprox.cli.options.checked import Checked
from samapprox.cli.written import FILE_OR_STDOUT, PICTURE

__all__ = [
    "arithmetic_option",
    "certificate_option",
    "exit_code_option",
    "json_option",
    "picture_option",
]

json_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
"""``--json``: parameter `as_json`."""

exit_code_option = click.option(
    "--exit-code", is_flag=True, help="Exit with 10 for YES, 20 for NO, 30 for UNKNOWN."
)
"""``--exit-code``: parameter `exit_code`."""

certificate_option = click.option(
    "--certificate",
    type=FILE_OR_STDOUT,
    help="Save the certificate to this file; - is standard output.",
)
"""``--certificate``, to be written: parameter `certificate`."""

picture_option = click.option(
    "-o", "--output", type=PICTURE, required=True, help="File to write: png, svg or pdf."
)
"""``-o`` of a command that draws: parameter `output`."""


def _require_arithmetic(name: str) -> None:
    from samapprox.attention.arithmetic import require_arithmetic

    require_arithmetic(name)


arithmetic_option = click.option(
    "--arithmetic",
    "arithmetics",
    multiple=True,
    type=Checked(click.STRING, _require_arithmetic),
    help="Also test an embedding in this arithmetic: float64, float32, bfloat16 or float16.",
)
"""``--arithmetic``, which may be repeated: parameter `arithmetics`."""
