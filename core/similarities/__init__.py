"""The similarities of queries and keys: one record each, found by its name.

No other module asks which similarity one is. It asks the record what holds for it.
"""

from samapprox.similarities.base import Similarity
from samapprox.similarities.cosine import COSINE
from samapprox.similarities.dot import DOT
from samapprox.similarities.l2 import L2
from samapprox.support.lookup import unknown_name

__all__ = ["ATTENTION", "SIMILARITIES", "Similarity", "SimilarityLike", "find_similarity"]

SIMILARITIES: dict[str, Similarity] = {
    record.name: record
    for record in (
        DOT,
        COSINE,
        L2,
    )
}
"""All similarities by name. A new one is a line here, and its file."""

ATTENTION = DOT
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
    if isinstance(similarity, Similarity):
        return similarity
    name = str(similarity)
    if name not in SIMILARITIES:
        raise unknown_name("similarity", name, SIMILARITIES)
    return SIMILARITIES[name]
