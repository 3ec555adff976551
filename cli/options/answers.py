"""Options for answers: JSON, exit status, certificate, picture, arithmetic."""

from __future__ import annotations

from typing import Any

import click

from samapprox.cli.completion import complete_names
from samapprox.cli.options.checked import Checked, Decorator, take_one, together
from samapprox.cli.written import CERTIFICATE, PICTURE

__all__ = [
    "arithmetic_option",
    "bounds_options",
    "certificate_option",
    "exit_code_option",
    "json_option",
    "picture_option",
]

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as a JSON document."
)
"""``--json``: parameter `as_json`."""

exit_code_option = click.option(
    "--exit-code", is_flag=True, help="Exit with 10 for YES, 20 for NO, 30 for UNKNOWN."
)
"""``--exit-code``: parameter `exit_code`."""

certificate_option = click.option(
    "--certificate",
    type=CERTIFICATE,
    help="Save the certificate to this file; - is standard output.",
)
"""``--certificate``, a file to write: parameter `certificate`."""


def bounds_options(
    yes: str = "upper bound's certificate", no: str = "lower bound's certificate"
) -> Decorator[Any]:
    """``--yes`` and ``--no``, files to write: parameters `yes` and `no`.

    Parameters
    ----------
    yes, no : str
        The certificates that this command saves there, as the helps name them.
    """
    return together(
        *(
            click.option(name, type=CERTIFICATE, help=f"Save the {text}; - is standard output.")
            for name, text in (("--yes", yes), ("--no", no))
        )
    )


picture_option = click.option(
    "-o", "--output", type=PICTURE, required=True, help="Picture to write: a png, svg or pdf file."
)
"""``-o`` of commands that draw: parameter `output`."""


def _require_arithmetic(name: str) -> None:
    from samapprox.arithmetic import require_arithmetic

    require_arithmetic(name)


def _arithmetics() -> tuple[str, ...]:
    from samapprox.arithmetic import EMBEDDING_FORMATS

    return EMBEDDING_FORMATS


arithmetic_option = click.option(
    "--arithmetic",
    "arithmetics",
    multiple=True,
    type=Checked(click.STRING, _require_arithmetic),
    shell_complete=complete_names(_arithmetics),
    help="Also test the embedding of a YES in float64, float32, bfloat16, float16, float8_e4m3, "
    "float8_e5m2 or int8 (may be repeated).",
)
"""``--arithmetic``, which may be repeated: parameter `arithmetics`."""

embedding_format_option = click.option(
    "--arithmetic",
    multiple=True,
    callback=take_one,
    type=Checked(click.STRING, _require_arithmetic),
    shell_complete=complete_names(_arithmetics),
    help="Also find a small d whose embedding represents the pattern in this number format, in "
    "half of the time: float64, float32, bfloat16, float16, float8_e4m3, float8_e5m2 or int8.",
)
"""``--arithmetic``, at most once: parameter `arithmetic`."""
