"""The similarities of queries and keys: one record each, found by its name.

No other module asks which similarity one is. It asks the record what holds for it.
"""

from samapprox.similarities.base import Similarity
from samapprox.support.lookup import load_object, unknown_name

__all__ = ["ATTENTION", "SIMILARITIES", "Similarity", "SimilarityLike", "find_similarity"]

_HERE = "samapprox.similarities"

RECORDS = (
    f"{_HERE}.dot:DOT",
    f"{_HERE}.cosine:COSINE",
    f"{_HERE}.l2:L2",
)
"""Module and name of each similarity's record."""

SIMILARITIES: dict[str, Similarity] = {record.name: record for record in map(load_object, RECORDS)}
"""All similarities by name."""

ATTENTION = SIMILARITIES["dot"]
"""The similarity that attention computes, and the default everywhere."""

SimilarityLike = str | Similarity
"""A similarity or its name, as users write it."""


def find_similarity(similarity: SimilarityLike) -> Similarity:
    """Return the record of a similarity that is given by name, or as a record.

    Raises
    ------
    InputError

    Examples
    --------
    >>> find_similarity("cosin")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: unknown similarity 'cosin' (did you mean 'cosine'?); ...
    """
    name = str(similarity)
    known = SIMILARITIES.get(name)
    # Checks rely on the records, so one that is not in the table proves nothing.
    if known is None or (isinstance(similarity, Similarity) and similarity is not known):
        raise unknown_name("similarity", name, SIMILARITIES)
    return known
