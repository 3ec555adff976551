"""Sets of values: dot products of queries and keys whose entries lie in a finite set.

With the entries -1 and 1, dot products, cosines, Euclidean and Hamming distances rank keys alike.
"""

from samapprox.similarities.records import Similarity


def _of(
    name: str,
    values: tuple[int, ...],
    *,
    per_row: int = 1,
    what: str = "queries and keys",
    free_queries: bool = False,
) -> Similarity:
    return Similarity(
        name=name if what == "queries and keys" else f"{name}-{what}",
        words=f"with {name} {what}",
        ranking="by dot product",
        dimension_name=f"least dimension with {name} {what}",
        regions="halfspaces",
        per_row=per_row,
        values=values,
        free_queries=free_queries,
        transfers="samapprox.solvers.values.trivial:TrivialVectors",
    )


_ENTRIES = {
    "binary": (-1, 1),
    "ternary": (-1, 0, 1),
    **{f"int{b}": tuple(range(-(1 << b - 1), 1 << b - 1)) for b in (2, 3, 4)},
}

SETS = {
    record.name: record
    for record in (
        *(_of(name, values, per_row=1 if 0 in values else 2) for name, values in _ENTRIES.items()),
        *(_of(name, values, what="keys", free_queries=True) for name, values in _ENTRIES.items()),
    )
}
"""The record of each name in `samapprox.similarities.VALUE_SETS`."""
