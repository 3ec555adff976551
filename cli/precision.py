"""How much room an embedding leaves and which arithmetics show it, for `decide` and `verify`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from samapprox import Pattern
from samapprox.proofs.base import Proof
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.kinds.self_attention import SelfAttention
from samapprox.proofs.margin import logit_margin

__all__ = ["in_words", "precision"]

_MOST_LOGITS = 50_000_000  # measured without being asked for
_MOST_NAMED = 5


def precision(
    pattern: Pattern, proof: Proof | None, arithmetics: Sequence[str]
) -> dict[str, Any] | None:
    """The "precision" of `schemas/verdict.schema.json`; None where there is no embedding."""
    from samapprox.attention.arithmetic import rows_lost

    if isinstance(proof, SelfAttention):
        proof = proof.embedding()
    if not isinstance(proof, Embedding):
        return None
    rows, columns = pattern.shape
    if rows * columns > _MOST_LOGITS and not arithmetics:
        return None
    lost = {name: rows_lost(pattern, proof, name) for name in arithmetics}
    return {**asdict(logit_margin(pattern, proof)), "rows_lost": lost}


def in_words(pattern: Pattern, room: dict[str, Any] | None) -> list[str]:
    """The same for people."""
    if room is None:
        return []
    lines = [
        f"Margin {room['least']:.2g} of a row's logits at least; logits in "
        f"{room['lowest']}..{room['highest']}, coordinates of {room['bits']} bits."
    ]
    for name, rows in room["rows_lost"].items():
        if not rows:
            lines.append(f"In {name} it shows the pattern too.")
            continue
        labels = ", ".join(pattern.row_label(row) for row in rows[:_MOST_NAMED])
        more = ", .." if len(rows) > _MOST_NAMED else ""
        lines.append(f"In {name} it loses {len(rows)} of {pattern.shape[0]} rows: {labels}{more}.")
    return lines
