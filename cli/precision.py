"""The margin of an embedding and the number formats that preserve it, as printed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from math import log10
from typing import Any

from samapprox import InputError, Pattern
from samapprox.cli.terminal import echo
from samapprox.proofs.base import Proof, Witness
from samapprox.similarities import SimilarityLike, find_similarity
from samapprox.support.text import plural

__all__ = ["in_words", "precision", "require_dot_products", "require_ranges"]

_MOST_NAMED = 5
_MOST_BITS = 128  # bits of the longest integer that is printed in full


def precision(
    pattern: Pattern, proof: Proof | None, arithmetics: Sequence[str]
) -> dict[str, Any] | None:
    """Compute the member "precision" of `samapprox schema verdict`."""
    if not isinstance(proof, Witness):
        return None
    from samapprox.precision import measure_precision, rows_lost

    lost = {}
    if arithmetics:
        try:
            embedding = proof.embedding(pattern)
        except InputError as error:
            echo(f"samapprox: note: --arithmetic has no effect: {error}", err=True)
            return None
        lost = {name: rows_lost(pattern, embedding, name) for name in arithmetics}
    return measure_precision(pattern, proof, lost)


def require_dot_products(arithmetics: Sequence[str], similarity: SimilarityLike) -> None:
    """Refuse arithmetics for other similarities than dot products, which they do not compute."""
    if arithmetics and not find_similarity(similarity).is_attention:
        raise InputError(
            f"--arithmetic tests dot products, and the similarity is {similarity}: leave out "
            "--arithmetic, or use dot products"
        )


def require_ranges(arithmetics: Sequence[str], d: int) -> None:
    """Refuse a dimension beyond the range of one of the arithmetics, before any search."""
    if arithmetics:
        from samapprox.precision import require_range

        for arithmetic in arithmetics:
            require_range(arithmetic, d)


def in_words(pattern: Pattern, room: dict[str, Any] | None) -> list[str]:
    """Describe the precision in sentences."""
    if room is None:
        return []
    lines = [
        f"Ones and zeros are separated by at least {_percent(room['least'])} of each row's "
        f"logit range; {_logits(room['lowest'], room['highest'])}, coordinates have "
        f"{plural(room['bits'], 'bit')}."
    ]
    for name, rows in room["rows_lost"].items():
        if not rows:
            lines.append(f"In {name}, every row comes out right.")
            continue
        labels = ", ".join(pattern.row_label(row) for row in rows[:_MOST_NAMED])
        more = ", .." if len(rows) > _MOST_NAMED else ""
        verb = "comes" if len(rows) == 1 else "come"
        of = plural(pattern.shape[0], "row")
        lines.append(f"In {name}, {len(rows)} of {of} {verb} out wrong: {labels}{more}.")
    return lines


def _percent(share: float) -> str:
    """Write a share in percent with two digits, rounded down: it is a lower bound."""
    whole = Decimal(f"{100 * share:.12g}")  # without the rounding errors of the product
    percent = float(Context(prec=2, rounding=ROUND_FLOOR).plus(whole))
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def _logits(lowest: int | None, highest: int | None) -> str:
    """Describe the range of the logits; None stands for integers too long for JSON."""
    if lowest is None or highest is None:
        return "logits have more than 4,300 digits"
    return f"logits lie in {_short(lowest)}..{_short(highest)}"


def _short(number: int) -> str:
    """Write a logit in digits, or a very long one as a power of ten."""
    if number.bit_length() <= _MOST_BITS:
        return str(number)
    return f"{'-' if number < 0 else ''}10^{log10(abs(number)):.1f}"
