"""Sets of values: dot products of queries and keys whose entries lie in a finite set.

With the entries -1 and 1, dot products, cosines, Euclidean and Hamming distances rank keys alike.
"""

from samapprox.similarities.base import Similarity

__all__ = ["SETS"]


def _of(name: str, words: str, values: tuple[int, ...], per_row: int = 1) -> Similarity:
    return Similarity(
        name=name,
        words=f"with {words} queries and keys",
        ranking="by dot product",
        dimension_name=f"{name} dimension",
        regions="halfspaces",
        per_row=per_row,
        values=values,
        transfers="samapprox.solvers.values.trivial:TrivialVectors",
    )


SETS = {
    record.name: record
    for record in (
        _of("binary", "binary", (-1, 1), per_row=2),
        _of("ternary", "ternary", (-1, 0, 1)),
        *(_of(f"int{b}", f"int{b}", tuple(range(-(1 << b - 1), 1 << b - 1))) for b in (2, 3, 4)),
    )
}
"""The record of each name in `samapprox.similarities.VALUE_SETS`."""
