"""Proofs for dot products as proofs for other similarities, and the trivial proofs of each."""

from __future__ import annotations

from math import inf

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Submatrix, Witness
from samapprox.similarities import Similarity

__all__ = ["Transfers", "carry_core", "represent_by", "trivial_witness"]


class Transfers:
    """Proofs for dot products as proofs for a similarity: here, for dot products themselves."""

    @staticmethod
    def represent(witness: Witness, _pattern: Pattern, _seconds: float) -> Witness:
        """Turn an embedding in R^d into a witness of d + `Similarity.above` dimensions."""
        return witness

    @staticmethod
    def trivial(pattern: Pattern, _similarity: Similarity) -> Witness:
        """Represent a pattern in the trivial dimension; don't-cares count as 0."""
        from samapprox.solvers.embeddings.trivial import trivial_embedding

        return trivial_embedding(pattern)

    @staticmethod
    def carry(core: Submatrix, _similarity: Similarity) -> Submatrix:
        """Return a core without halfspaces as one for the similarity."""
        return core


def represent_by(
    witness: Witness, pattern: Pattern, similarity: Similarity, seconds: float = inf
) -> Witness:
    r"""Turn an embedding into a witness for a similarity, of `Similarity.above` more dimensions.

    The check of the result may take so many seconds.

    Raises
    ------
    InputError
        Its numbers are too many or too long to be written out, or to be checked in time.

    Examples
    --------
    >>> from samapprox import Embedding
    >>> from samapprox.similarities import SIMILARITIES
    >>> pattern = Pattern.from_text("10\n01")
    >>> embedding = Embedding([[1], [-1]], [[1], [0]], [0, -1])
    >>> represent_by(embedding, pattern, SIMILARITIES["cosine"]).dimension
    2
    """
    return _load_transfers(similarity).represent(witness, pattern, seconds)


def trivial_witness(pattern: Pattern, similarity: Similarity) -> Witness:
    r"""Represent a pattern in its `trivial_dimension`; don't-cares count as 0.

    Examples
    --------
    >>> from samapprox.similarities import SIMILARITIES
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> trivial_witness(pattern, SIMILARITIES["cosine"]).keys.tolist()
    [[1, 0], [0, 1], [-1, -1]]
    """
    return _load_transfers(similarity).trivial(pattern, similarity)


def carry_core(core: Submatrix, similarity: Similarity) -> Submatrix:
    """Return a core without halfspaces as one for a similarity."""
    return _load_transfers(similarity).carry(core, similarity)


def _load_transfers(similarity: Similarity) -> type[Transfers]:
    found: type[Transfers] | None = similarity.load("transfers")
    if found is None:
        raise InputError(f"proofs for dot products do not carry over to {similarity}")
    return found
