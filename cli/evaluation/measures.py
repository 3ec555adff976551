"""The measures that a command computes: those that are asked for, or the usual ones if it can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samapprox.cli.terminal import echo
from samapprox.errors import InputError

__all__ = ["choose_measures"]


def choose_measures(
    names: Sequence[str], relevant: int, *, default: Sequence[str] = ()
) -> list[Any] | None:
    """Return measures; without names the usual ones, or None and a note without ir_measures."""
    from samapprox.solvers.questions.evaluation.retrieval_measures import (
        DEFAULT_MEASURES,
        parse_measures,
    )

    try:
        return parse_measures(names or default or DEFAULT_MEASURES, relevant)
    except InputError as error:
        if names:
            raise error.within("--measures") from None
        echo(f"samapprox: note: {error}", err=True)
        return None
