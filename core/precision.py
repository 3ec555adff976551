"""The margin of an embedding, and what is left of it in number formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, require_type
from samapprox.pattern import Pattern
from samapprox.proofs.base import Proof, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import exact_matmul
from samapprox.storage import block_height
from samapprox.support.packages import require_name

_MOST_LOGITS = 50_000_000  # measured without being asked for
_TOO_LONG = 10**4300  # logits that readers of JSON refuse


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


def measure_precision(
    pattern: Pattern, proof: Proof | None, rows_lost: Mapping[str, Sequence[int]] | None = None
) -> dict[str, Any] | None:
    """Return the "precision" of `samapprox schema verdict`.

    `proof`: one that holds for the pattern. `rows_lost`: for each number format that was tried, the
    rows that come out wrong. Returned: none without an embedding; also, if no number format was
    tried, above 50 million logits and for proofs that do not state their numbers.

    O(m n d) time for dimension d.

    >>> from samapprox import decide
    >>> verdict = decide([[1, 0], [0, 1]])
    >>> measure_precision(verdict.problem.pattern, verdict.proof)["least"]
    1.0
    """
    if pattern.size > _MOST_LOGITS and not rows_lost:
        return None
    if not isinstance(proof, Witness) or not (proof.EXPLICIT or rows_lost):
        return None
    lost = {name: list(rows) for name, rows in (rows_lost or {}).items()}
    return {**logit_margin(pattern, proof.embedding(pattern)).to_json(), "rows_lost": lost}


ARITHMETICS = ("float64", "float32", "bfloat16", "float16")

EMBEDDING_FORMATS = (*ARITHMETICS, "float8_e4m3", "float8_e5m2", "int8")
"""Formats of queries and keys: the arithmetics, and those of 8 bits."""

_LARGEST = {"float8_e4m3": 256, "float8_e5m2": 32768, "int8": 127}
"""Formats of 8 bits -> the largest value that queries and keys are scaled to."""


_MOST_COORDINATES = {"float16": 65504}
"""The largest number of a format, which logits of that many coordinates may reach."""


def rows_lost(pattern: Pattern, embedding: Embedding, arithmetic: str) -> list[int]:
    """Find the rows that come out wrong in an arithmetic: some one is not above every zero.

    Keys are shifted to the middle of their range, which softmax does not see, and queries and keys
    scaled by powers of two; both are rounded to the type. Products are summed in float32 (in
    float64 for float64), coordinate after coordinate, and the logits rounded to the type, as
    accelerators do.

    The formats of 8 bits hold queries and keys alone, as on accelerators: logits stay sums in
    float32 (exact sums for int8). int8 scales each query, and all keys together, such that the
    largest coordinate is 127 or -127; the float8 formats scale by powers of two, up to 256 (e4m3)
    or 32768 (e5m2).

    `arithmetic`: one of `EMBEDDING_FORMATS`. Returned: empty if the pattern is represented. Raises
    InputError: an unknown arithmetic, or more coordinates than its range allows: see
    `require_range`.

    O(m n d).
    """
    require_range(arithmetic, embedding.dimension)
    accumulator = np.float64 if arithmetic in ("float64", "int8") else np.float32
    logit_type = accumulator if arithmetic in _LARGEST else dtype_of(arithmetic)
    keys = embedding.keys.astype(object)
    if len(keys):
        keys = 2 * keys - (keys.max(axis=0) + keys.min(axis=0))
    queries = _round(embedding.queries.astype(object), 1, arithmetic).astype(accumulator)
    keys = _round(keys, None, arithmetic).astype(accumulator)
    lost = []
    for row, query in enumerate(queries):
        logits: NDArray[Any] = np.zeros(len(keys), dtype=accumulator)
        for coordinate in range(embedding.dimension):
            logits = logits + query[coordinate] * keys[:, coordinate]
        entries = pattern.block(row, row + 1)[0]
        rounded = logits.astype(logit_type).astype(accumulator)
        ones, zeros = rounded[entries == 1], rounded[entries == 0]
        if zeros.size and not ones.min() > zeros.max():
            lost.append(row)
    return lost


def require_arithmetic(arithmetic: str) -> None:
    """Refuse an arithmetic that embeddings are not tested in.

    Raises InputError: suggests the nearest name and lists all.
    """
    require_type("arithmetic", arithmetic, str, "the name of a number format")
    require_name("arithmetic", arithmetic, EMBEDDING_FORMATS)


def require_range(arithmetic: str, d: int) -> None:
    """Refuse a dimension whose logits may exceed the largest number of an arithmetic.

    `arithmetic`: one of `EMBEDDING_FORMATS`. `d`: queries and keys are scaled such that no
    coordinate exceeds 1, and no logit d. Only float16 has a range that such logits leave. Raises
    InputError: suggests formats with a larger range.
    """
    require_arithmetic(arithmetic)
    most = _MOST_COORDINATES.get(arithmetic)
    if most is not None and d > most:
        raise InputError(
            f"{arithmetic} ends at {most}, so logits of d = {d} may overflow; "
            "use bfloat16 or float32, or a smaller d"
        )


def dtype_of(arithmetic: str) -> Any:
    """Return the type of numpy arrays in a number format."""
    import ml_dtypes

    others = {
        "bfloat16": ml_dtypes.bfloat16,
        "float8_e4m3": ml_dtypes.float8_e4m3fn,
        "float8_e5m2": ml_dtypes.float8_e5m2,
    }
    return others.get(arithmetic) or np.dtype(arithmetic)


def count_fraction_bits(arithmetic: str) -> int:
    """Return the bits of a float's significand after the first one.

    >>> count_fraction_bits("float8_e4m3")
    3
    """
    import ml_dtypes

    return int(ml_dtypes.finfo(dtype_of(arithmetic)).nmant)  # type: ignore[no-untyped-call]


def round_floats(
    numbers: NDArray[np.float64], axis: int | None, arithmetic: str
) -> NDArray[np.float64]:
    """Scale floats to the range of a type, each row (axis 1) or all, and round them.

    What `rows_lost` does with whole numbers, for searches, which try many.

    >>> round_floats(np.array([[0.5, 0.3], [4.0, -1.1]]), 1, "int8").tolist()
    [[127.0, 76.0], [127.0, -35.0]]
    """
    largest = np.abs(numbers).max(axis=axis, keepdims=True)
    largest = np.where(largest > 0, largest, 1)
    if arithmetic == "int8":
        return np.rint(numbers / largest * _LARGEST[arithmetic])
    scaled = np.ldexp(numbers, -np.frexp(largest)[1]) * _LARGEST.get(arithmetic, 1)
    return scaled.astype(dtype_of(arithmetic)).astype(np.float64)


def _round(numbers: NDArray[np.object_], axis: int | None, arithmetic: str) -> NDArray[Any]:
    """Scale whole numbers to the range of a type, each row (axis 1) or all, and round them."""
    if not numbers.size:
        return numbers.astype(np.float64)
    if arithmetic == "int8":
        largest = np.abs(numbers).max(axis=axis, keepdims=True)
        shares = np.asarray(numbers / np.where(largest == 0, 1, largest), dtype=np.float64)
        return np.rint(shares * _LARGEST[arithmetic])
    scaled = _scaled(numbers, axis) * _LARGEST.get(arithmetic, 1)
    return np.asarray(scaled.astype(dtype_of(arithmetic)))


def _scaled(numbers: NDArray[np.object_], axis: int | None) -> NDArray[np.float64]:
    """Divide whole numbers by a power of two: at most 1 in each row (axis 1) or in all."""
    largest = np.abs(numbers).max(axis=axis, keepdims=True)
    shift = np.vectorize(lambda number: 1 << int(number).bit_length(), otypes=[object])(largest)
    return np.asarray(numbers / shift, dtype=np.float64)
