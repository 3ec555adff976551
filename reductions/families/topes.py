"""Topes of uniform oriented matroids."""

from __future__ import annotations

import numpy as np

from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import random_stream
from samapprox.reductions.oriented_matroid import OrientedMatroid, require_size

__all__ = ["topes"]

_RANGE = 1 << 12  # coordinates are whole numbers up to this


def topes(rank: int = 3, elements: int = 9, chirotope: str = "", seed: int = 0) -> Instance:
    """Make all topes of a uniform oriented matroid: YES for d = rank - 1 iff it is realizable.

    Keys are the elements, and each pair of antipodal topes is one query, with a 1 where it agrees
    with key 0. If + on all elements is not a tope, the elements are reoriented so that it is; that
    pair is left out, since it constrains nothing.

    Parameters
    ----------
    rank : int
        Rank of the oriented matroid, at least 2.
    elements : int
        Number of keys.
    chirotope : str
        The signs + and - of all subsets of `rank` elements, in colexicographic order ("reverse
        lexicographic": 012, 013, 023, 123, 014, ..); by default those of random integer vectors.
    seed : int
        Chooses the vectors.

    Raises
    ------
    InputError
        Not a chirotope of this rank and size, or too large.

    Notes
    -----
    NO for d = rank - 2, which has room for fewer topes. Realizability is known for rank 2, for rank
    3 up to 8 elements, and for the duals of these.

    References
    ----------
    Goodman and Pollack (1980), "Proof of Gruenbaum's Conjecture on the Stretchability of Certain
    Arrangements of Pseudolines".

    Examples
    --------
    >>> print(topes(3, 4, "++++").pattern.to_text())
    1110
    1101
    1100
    1011
    1001
    1000
    >>> [(fact.d, fact.answer) for fact in topes().facts]
    [(1, 'NO'), (2, 'YES')]
    """
    rng = random_stream(seed)
    require_size(rank, elements)
    matroid = (
        OrientedMatroid(rank, elements, chirotope) if chirotope else _random(rank, elements, rng)
    )
    signs = matroid.topes()
    signs = np.unique(signs * signs[0], axis=0)[-2::-1]
    facts = []
    if rank > 2:
        facts.append(Fact(rank - 2, None, "NO", "more topes than the dimension has room for"))
    if not chirotope:
        facts.append(Fact(rank - 1, None, "YES", "topes of vectors of whole numbers"))
    elif matroid.surely_realizable:
        facts.append(Fact(rank - 1, None, "YES", "all of this rank and size are realizable"))
    return Instance(
        Pattern.from_array(signs > 0),
        tuple(facts),
        {
            "family": "topes",
            "rank": rank,
            "elements": elements,
            "chirotope": chirotope,
            "seed": seed,
        },
    )


def _random(rank: int, elements: int, rng: np.random.RandomState) -> OrientedMatroid:
    """Draw random vectors until they are in general position."""
    while True:
        vectors = rng.randint(-_RANGE, _RANGE + 1, size=(elements, rank), dtype=np.int64)
        try:
            return OrientedMatroid.from_vectors(vectors)
        except InputError:
            continue
