"""Options for the limits of a search: time, memory and random seed."""

from __future__ import annotations

import re
from typing import Any

import click

from samapprox.cli.options.checked import Checked, Decorator
from samapprox.cli.param_type import ParamType
from samapprox.support.time_limit import require_time_limit

__all__ = ["memory_limit_option", "seed_option", "time_limit_option"]


def time_limit_option(
    text: str = "Give up with UNKNOWN after this many seconds.", *, default: float = 60.0
) -> Decorator[Any]:
    """``--time-limit``: parameter `time_limit`.

    Parameters
    ----------
    text : str
        The help: the meaning of the limit for this command.
    default : float
        Seconds.
    """
    return click.option(
        "--time-limit",
        type=Checked(click.FLOAT, require_time_limit),
        default=default,
        show_default=True,
        help=text,
    )


def seed_option(
    text: str = "Seed of all random choices: the same seed, the same answer.",
) -> Decorator[Any]:
    """``--seed``: parameter `seed`.

    Parameters
    ----------
    text : str
        The help: the use of the seed in this command.
    """
    return click.option("--seed", type=int, default=0, show_default=True, help=text)


class Bytes(ParamType[int]):
    """A size in bytes, or with K, M or G in powers of 1024."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number of bytes."""
        match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?) ?([KMG]?)i?B?", str(value).strip(), re.I)
        if match is None:
            self.fail(f"{value!r} is not a size such as 500M or 2GB", param, ctx)
        return int(float(match[1]) * 1024 ** " KMG".index(match[2].upper() or " "))


def _require_memory_limit(memory: int) -> None:
    from samapprox.support.limits import require_memory_limit

    require_memory_limit(memory)


memory_limit_option = click.option(
    "--memory-limit",
    type=Checked(Bytes(), _require_memory_limit),
    help="Give up with UNKNOWN when more memory than this is needed, such as 500M or 2G.",
)
"""``--memory-limit``: parameter `memory_limit`."""
