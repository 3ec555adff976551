"""The margin of an embedding, and the size of its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import exact_matmul
from samapprox.storage.packed import block_height

_TOO_LONG = 10**4300


@dataclass(frozen=True, slots=True)
class Margin:
    """The margin between the ones and the zeros of an embedding.

    `least`: over all rows, the least share that the gap between ones and zeros has in the row's
    range of logits; 1 where nothing lies outside the gaps. Queries may be scaled and keys shifted
    freely without changing it. `lowest` and `highest`: range of the logits of the integer
    embedding. `bits`: the bits of the largest query or key coordinate, without the sign.
    """

    least: float
    lowest: int
    highest: int
    bits: int

    def to_json(self) -> dict[str, float | int | None]:
        """Return the members of "precision" in `samapprox schema verdict`.

        Logits of more than 4,300 digits are None: Python and other readers of JSON refuse them.
        """
        lowest, highest = (
            logit if abs(logit) < _TOO_LONG else None for logit in (self.lowest, self.highest)
        )
        return {"least": self.least, "lowest": lowest, "highest": highest, "bits": self.bits}


def logit_margin(pattern: Pattern, embedding: Embedding) -> Margin:
    """Measure the margin that an embedding leaves; exact except for the final division.

    O(m n d).
    """
    least, lowest, highest = 1.0, 0, 0
    step = block_height(8 * pattern.shape[1])
    for start in range(0, pattern.shape[0], step):
        logits = exact_matmul(embedding.queries[start : start + step], embedding.keys.T)
        entries = pattern.block(start, start + step)
        zeros, ones = gaps(entries, logits)
        bound = (entries == 0).any(axis=1)
        ranges = (logits.max(axis=1) - logits.min(axis=1))[bound]
        shares = ((ones - zeros)[bound] / ranges).tolist()
        least = min([least, *shares])
        lowest = min(lowest, int(logits.min()))
        highest = max(highest, int(logits.max()))
    numbers = [*embedding.queries.flat, *embedding.keys.flat]
    bits = max((abs(int(number)).bit_length() for number in numbers), default=0)
    return Margin(least, lowest, highest, bits)
