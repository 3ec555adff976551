"""Options for runs of retrieval systems, and for their measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from samapprox.cli.values import Decorator, gather, together

__all__ = ["GivenRuns", "runs_options"]


@dataclass(frozen=True, slots=True)
class GivenRuns:
    """Files of runs, and the names of measures."""

    runs: tuple[str, ...]
    measures: str | None

    @property
    def names(self) -> list[str]:
        """The names of the measures, which commas or blanks separate."""
        return [] if self.measures is None else _split(self.measures)


def _split(text: str) -> list[str]:
    """Split a text at commas and blanks outside brackets.

    >>> _split("R@10, nDCG(dcg='log2',cutoff=5) RR")
    ['R@10', "nDCG(dcg='log2',cutoff=5)", 'RR']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter in ", " and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


runs_options: Decorator[Any] = together(
    click.option(
        "--run",
        "runs",
        multiple=True,
        metavar="FILE",
        help="Evaluate this run of judged queries instead (TREC's six columns; may be repeated).",
    ),
    click.option(
        "--measures",
        help="Measures of --run and --truncate by ir_measures' names, such as 'R@10 nDCG@10 RR'.",
    ),
    gather("given_runs", GivenRuns),
)
"""``--run`` and ``--measures``: parameter `given_runs`, a `GivenRuns`."""
