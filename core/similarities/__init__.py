"""The similarities of queries and keys: one record each, found by its name.

No other module asks which similarity one is. It asks the record what holds for it.
"""

from samapprox.similarities.records import RECORDS, Similarity
from samapprox.support.packages import lazy_modules, unknown_name

__all__ = [
    "ATTENTION",
    "SIMILARITIES",
    "VALUE_SETS",
    "Similarity",
    "SimilarityLike",
    "find_comparison",
    "find_similarity",
]

SIMILARITIES: dict[str, Similarity] = {record.name: record for record in RECORDS}
"""All similarities by name."""

_ENTRIES = ("binary", "ternary", "int2", "int3", "int4")
VALUE_SETS = (*_ENTRIES, *(f"{name}-keys" for name in _ENTRIES))
"""Dot products of vectors with few values: records that only questions of dimensions take."""

ATTENTION = SIMILARITIES["dot"]
"""The similarity that attention computes, and the default everywhere."""

SimilarityLike = str | Similarity
"""A similarity or its name, as users write it."""


def find_similarity(similarity: SimilarityLike) -> Similarity:
    """Return the record of a similarity that is given by name, or as a record.

    Parameters
    ----------
    similarity : str or Similarity
        "dot", "cosine" or "l2", or a record, which is returned as it is.

    Returns
    -------
    Similarity
        The record.

    Raises
    ------
    InputError
        No similarity has this name.

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


def find_comparison(similarity: SimilarityLike) -> Similarity:
    """Return the record of a similarity, or of a set of values, by name or as a record.

    Parameters
    ----------
    similarity : str or Similarity
        A name such as "cosine" or "ternary", or a record, which is returned as it is.

    Returns
    -------
    Similarity
        The record.

    Raises
    ------
    InputError
        No similarity and no set of values has this name.

    Examples
    --------
    >>> find_comparison("ternary").values
    (-1, 0, 1)
    """
    name = str(similarity)
    if name not in VALUE_SETS:
        return find_similarity(similarity)
    from samapprox.similarities.values import SETS  # few questions need them

    if isinstance(similarity, Similarity) and similarity is not SETS[name]:
        raise unknown_name("similarity", name, SIMILARITIES)
    return SETS[name]


__getattr__, __dir__ = lazy_modules(__name__)
