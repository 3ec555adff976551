"""Stretchability of pseudolines as a question about a pattern."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.reductions.base import Reduced
from samapprox.reductions.stretchability import Arrangement, line_cell_pattern, stretch

__all__ = ["ArrangementToPattern", "load_arrangement"]

_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class ArrangementToPattern:
    """Pseudolines as rows, cells as columns; see `samapprox.reductions.stretchability`.

    Examples
    --------
    >>> reduced = ArrangementToPattern().apply(Arrangement.from_wiring(3, [1, 0, 1]))
    >>> import samapprox
    >>> lines = reduced.lift(samapprox.decide(reduced.target, 2).proof)
    >>> Arrangement.from_lines(lines).sequences
    ((2, 1), (2, 0), (1, 0))
    """

    name: ClassVar[str] = "arrangement-to-pattern"
    preserves: ClassVar[str] = (
        "dimension 2 represents the pattern if and only if straight lines can cross in this order"
    )

    def apply(self, instance: Arrangement) -> Reduced[Pattern, Embedding, ExactArray]:
        """Build the line-cell pattern; the lift gives lines a x + b y = c, one a row."""
        return Reduced(line_cell_pattern(instance), lambda proof: stretch(instance, proof))


def load_arrangement(path: str) -> Arrangement:
    """Read a JSON list: the others in meeting order, for each pseudoline.

    Raises
    ------
    InputError
        The file cannot be read or holds no arrangement.
    """
    try:
        if Path(path).stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: more than {_MOST_BYTES} bytes")
        sequences = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(sequences, list) or not all(isinstance(row, list) for row in sequences):
            raise InputError(f"{path}: local sequences are a list of lists")
        return Arrangement(sequences)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except InputError as error:
        raise error if str(error).startswith(path) else error.within(path) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not local sequences in JSON: {error}") from None
