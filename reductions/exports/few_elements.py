"""Refutations of cores on d + 2 elements, of which every sign pattern occurs: radon and its kin."""

from __future__ import annotations

from itertools import product
from math import comb

from samapprox.pattern import Pattern
from samapprox.proofs.base import Side
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.counting import Counting
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.reductions.exports import orientations
from samapprox.reductions.exports.refutation import Refutation

Vectors = frozenset[tuple[int, ...]]


def refutation_of(proof: Radon | Shattering | Counting, pattern: Pattern) -> Refutation:
    """Build the clauses of the core's circuit, each with its reason."""
    return orientations.refutation_of(as_chirotope(proof, pattern), pattern)


def as_chirotope(proof: Radon | Shattering | Counting, pattern: Pattern) -> Chirotope:
    r"""Convert a proof to one of kind chirotope, whose lemmas are all cases.

    d + 2 elements have one circuit and d + 2 orientations, and each of their assignments is
    forbidden. O(2^d) lemmas.

    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> as_chirotope(Radon(range(3), range(3)), pattern).lemmas
    ((-1, -2), (-1, 2), (1, -2), (1, 2), (-1,), (1,))
    """
    columns = proof.columns
    if isinstance(proof, Counting):
        columns = _find_radon_columns(proof, pattern)
    elements: Side = "rows" if isinstance(proof, Shattering) else "columns"
    d = proof.dimension
    lemmas = [
        [sign * variable for variable, sign in enumerate(signs, start=1)]
        for length in range(d + 1, 0, -1)
        for signs in product((-1, 1), repeat=length)
    ]
    return Chirotope(d, proof.rows, columns, elements, False, lemmas)


def _find_radon_columns(proof: Counting, pattern: Pattern) -> tuple[int, ...]:
    r"""Find d + 2 columns that the rows of a counting core split in every way.

    The proof of the lemma of Sauer and Shelah, as an algorithm: O(rows columns^2).

    Reference: Sauer (1972), "On the density of families of sets".

    >>> pattern = Pattern.from_text("1000\n0100\n0010\n1100")
    >>> _find_radon_columns(Counting(1, range(4), range(4)), pattern)
    (0, 1, 2)
    """
    entries = pattern.submatrix(proof.rows, proof.columns)
    normal = entries ^ entries[:, :1]  # a row and its complement split alike
    vectors = frozenset(map(tuple, normal[:, 1:].tolist())) | {(0,) * (len(proof.columns) - 1)}
    shattered = _find_shattered(vectors, len(proof.columns) - 1, proof.d)
    return (proof.columns[0], *(proof.columns[1 + place] for place in shattered))


def _find_shattered(vectors: Vectors, length: int, d: int) -> list[int]:
    """Return d + 1 places where vectors of 0 and 1 have all values, if there are enough of them."""
    found = []
    while d >= 0:
        length -= 1
        shorter = frozenset(vector[:-1] for vector in vectors)
        if len(shorter) > sum(comb(length, i) for i in range(min(d, length) + 1)):
            vectors = shorter
            continue
        vectors = frozenset(v for v in shorter if (*v, 0) in vectors and (*v, 1) in vectors)
        found.append(length)
        d -= 1
    return found[::-1]
