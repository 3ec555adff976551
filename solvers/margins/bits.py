"""Embeddings in few bits and in the formats of models, from vectors with a large margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.exact import exact_matmul, largest
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.margin import gaps
from samapprox.solvers.margins.smooth import Vectors

__all__ = ["find_few_bits", "finely", "represents", "round_to_bits", "surviving_formats"]

Floats = NDArray[np.float64]

_MOST_BITS = 40
_FINE = 30


def find_few_bits(
    pattern: Pattern, vectors: Sequence[Vectors], fewer_than: int | None = None
) -> tuple[int, Embedding] | None:
    r"""Round vectors to an integer embedding with as few bits a coordinate as possible.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    vectors : sequence of Vectors
        Candidates, all of which are tried with each number of bits.
    fewer_than : int, optional
        A number of bits for which an embedding is known.

    Returns
    -------
    (int, Embedding) or None
        The bits, without the sign, and the embedding; None if 40 bits are too few.

    Notes
    -----
    O(m n d) for each number of bits and each candidate.

    Examples
    --------
    >>> vectors = Vectors(np.array([[1.0], [-1]]), np.array([[1.0], [-1]]))
    >>> find_few_bits(Pattern.from_text("10\n01"), [vectors])[0]
    1
    """
    entries = pattern.to_array()
    for bits in range(1, min(_MOST_BITS, fewer_than or _MOST_BITS + 1)):
        for candidate in vectors:
            for view in _views(candidate):
                if (found := round_to_bits(entries, view, bits)) is not None:
                    return bits, found
    return None


def round_to_bits(entries: NDArray[np.int8], vectors: Vectors, bits: int) -> Embedding | None:
    """Round vectors to whole numbers of at most so many bits; None if a row comes out wrong.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
    vectors : Vectors
    bits : int
        Without the sign.

    Examples
    --------
    >>> vectors = Vectors(np.array([[1.0], [-1]]), np.array([[1.0], [-1]]))
    >>> round_to_bits(np.eye(2, dtype=np.int8), vectors, 3).keys.tolist()
    [[7], [-7]]
    """
    top = 2**bits - 1
    tops = np.abs(vectors.queries).max(axis=1, keepdims=True)
    queries = np.rint(vectors.queries / np.where(tops > 0, tops, 1) * top).astype(np.int64)
    keys = np.rint(vectors.keys / max(np.abs(vectors.keys).max(), 1e-300) * top).astype(np.int64)
    zeros, ones = gaps(entries, exact_matmul(queries, keys.T))
    if (zeros >= ones).any():
        return None
    return Embedding(queries, keys, (zeros + ones) // 2)


def represents(pattern: Pattern, embedding: Embedding, arithmetic: str) -> bool:
    r"""Return whether an embedding represents the pattern in a number format.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> represents(pattern, Embedding([[1], [-1]], [[1], [-1]], [0, 0]), "int8")
    True
    """
    from samapprox.arithmetic import rows_lost

    return not rows_lost(pattern, embedding, arithmetic)


def surviving_formats(
    pattern: Pattern, candidates: Sequence[Embedding], formats: Sequence[str]
) -> dict[str, bool]:
    r"""Return, for each format, whether one of the embeddings represents the pattern in it.

    Examples
    --------
    >>> embedding = Embedding([[1], [-1]], [[1], [-1]], [0, 0])
    >>> surviving_formats(Pattern.from_text("10\n01"), [embedding], ["float16"])
    {'float16': True}
    """
    return {
        name: any(represents(pattern, candidate, name) for candidate in candidates)
        for name in formats
    }


def finely(pattern: Pattern, vectors: Vectors) -> Iterator[Embedding]:
    """Yield integer embeddings close to some vectors, if they represent the pattern."""
    entries = pattern.to_array()
    for view in _views(vectors):
        if (found := round_to_bits(entries, view, _FINE)) is not None and largest(found.keys):
            yield found


def _views(vectors: Vectors) -> Iterator[Vectors]:
    """Yield the vectors, then the same with each coordinate of the keys of the same size.

    A diagonal map of the keys, and its inverse on the queries, changes no logit.
    """
    yield vectors
    sizes = np.abs(vectors.keys).max(axis=0)
    sizes = np.where(sizes > 0, sizes, 1)
    yield Vectors(vectors.queries * sizes, vectors.keys / sizes)
