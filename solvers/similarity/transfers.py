"""Cosines and distances as dot products, proofs on the way back, and the trivial proofs of each."""

from __future__ import annotations

from collections.abc import Collection
from functools import cmp_to_key
from math import inf

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Reduction
from samapprox.proofs.base import Obstruction, Proof, Submatrix, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, largest
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.proofs.similarities.extended import Extended, extend
from samapprox.proofs.similarities.key_order import KeyOrder
from samapprox.similarities import Similarity
from samapprox.support.arrays import places_of

_MOST_ENTRIES = 1 << 24
"""Entries of a pattern for which a proof other than an embedding is written out as one: its parts
are glued in integers of any length, with one product for each entry."""


_LONG = 128
"""Bits of products that compiled code no longer checks quickly once they are squared."""

_PRODUCT = 2e-7
"""Seconds for a product of longer integers; every entry may be a near tie."""


class Transfers:
    """Proofs for dot products as proofs for a similarity: here, for dot products themselves."""

    @staticmethod
    def represent(witness: Witness, _pattern: Pattern, _seconds: float) -> Witness:
        """Turn an embedding in R^d into a witness of d + `Similarity.above` dimensions."""
        return witness

    @staticmethod
    def trivial(pattern: Pattern, _similarity: Similarity) -> Witness:
        """Represent a pattern in the trivial dimension; don't-cares count as 0."""
        from samapprox.solvers.embeddings.whole_numbers import trivial_embedding

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


class BallTransfers(Transfers):
    """Embeddings as balls of the same dimension."""

    @staticmethod
    def represent(witness: Witness, pattern: Pattern, seconds: float) -> Witness:
        """Turn an embedding into balls."""
        return _make_balls(witness, pattern, seconds)

    @staticmethod
    def trivial(pattern: Pattern, _similarity: Similarity) -> Witness:
        """Represent a pattern by balls that are nearly halfspaces."""
        from samapprox.solvers.embeddings.whole_numbers import trivial_embedding

        return Balls.of(trivial_embedding(pattern))

    @staticmethod
    def carry(core: Submatrix, similarity: Similarity) -> Submatrix:
        """Wrap the core, whose rows and columns are numbered anew inside."""
        inner = core.place(_places_among(core.rows), _places_among(core.columns))
        return Extended(similarity.name, core.rows, core.columns, inner)


class CapTransfers(BallTransfers):
    """Embeddings as caps in one dimension more."""

    @staticmethod
    def represent(witness: Witness, pattern: Pattern, seconds: float) -> Witness:
        """Project balls to a sphere."""
        return Caps.of(_make_balls(witness, pattern, seconds))

    @staticmethod
    def trivial(pattern: Pattern, _similarity: Similarity) -> Witness:
        """Represent a pattern by caps in the trivial dimension.

        The keys are vertices of the cube with a coordinate for each row, all of the same length; or
        n - 1 axes and the opposite of their sum, vertices of a simplex around the origin: a row
        weighs its ones among the axes so much more than its zeros, or so much less, that the last
        key comes out right. No key lies on a boundary, which would be slow to check.
        """
        entries = pattern.to_array() == 1
        rows, columns = entries.shape
        if rows <= columns - 1:
            queries = np.eye(rows, dtype=np.int64)
            return Caps(queries, 2 * entries.T.astype(np.int64) - 1, np.zeros(rows, dtype=np.int64))
        if columns == 1:
            return Caps(np.zeros((rows, 1), dtype=np.int64), [[1]], np.full(rows, -1))
        axes = np.eye(columns - 1, dtype=np.int64)
        keys = np.vstack([axes, -np.ones(columns - 1, dtype=np.int64)])
        first = entries[:, :-1].astype(np.int64)
        counts = first.sum(axis=1)[:, None]
        # The last product is the opposite of the sum of the others.
        with_last = first - (counts + 1) * (1 - first)
        without = columns * first - (1 - first)
        queries = np.where(entries[:, -1:], with_last, without)
        return Caps(queries, keys, np.where(entries.all(axis=1), -columns, 0))


_Back = tuple[Pattern, Similarity]


class ToDotProducts(Reduction[Problem, Problem, _Back]):
    """The question whether dot products represent a pattern, in as many dimensions as carry over.

    A YES for dot products is a YES for the similarity, in `Similarity.above` more dimensions, and
    so the largest d for which it decides is asked about. A NO excludes one dimension less, or two.

    Parameters
    ----------
    seconds : float
        What the check of a lifted YES may take.
    """

    def __init__(self, seconds: float = inf) -> None:
        self._seconds = seconds

    def apply(self, asked: Problem, /) -> tuple[Problem, _Back]:
        """Return the same question with dot products."""
        similarity = asked.similarity
        return Problem(asked.pattern, max(1, asked.d - similarity.above)), (
            asked.pattern,
            similarity,
        )

    def lift(self, proof: Proof, back: _Back, /) -> Proof | str:
        """Turn an embedding into regions of the similarity, and place a core beside single keys."""
        pattern, similarity = back
        try:
            if isinstance(proof, Witness):
                return represent_by(proof, pattern, similarity, self._seconds)
        except InputError as error:  # its numbers are too many or too long
            return str(error)
        assert isinstance(proof, Obstruction)
        return refute_by(proof, pattern, similarity)


class ToExposedKeys(Reduction[Problem, Problem, Problem]):
    """The question whether dot products represent a pattern with a query for every single key.

    docs/theory/similarities.md has the proof that a NO carries over, and a YES in the plane.
    """

    def apply(self, asked: Problem, /) -> tuple[Problem, Problem]:
        """Return the question about the extended pattern."""
        dimension = asked.d + asked.similarity.below
        return Problem(extend(asked.pattern, asked.similarity, dimension), dimension), asked

    def lift(self, proof: Proof, asked: Problem, /) -> Proof | str:
        """Carry a refutation over; an embedding in the plane orders the keys around a circle."""
        if isinstance(proof, Obstruction):
            return refute_by(proof, asked.pattern, asked.similarity)
        if asked.d > len(asked.similarity.curves):
            return "dot products represent the extended pattern"
        assert isinstance(proof, Witness)
        try:
            embedding = proof.embedding(self.apply(asked)[0].pattern)
        except InputError as error:  # its numbers are too large to be written out
            return str(error)
        return order_of_hull(embedding.keys, asked.similarity)


def order_of_hull(keys: ExactArray, similarity: Similarity) -> KeyOrder:
    """Order points of the plane, each a vertex of their convex hull, around this hull.

    For Euclidean distance, the last point stands for infinity, where the others follow and end.

    >>> from samapprox.similarities import SIMILARITIES
    >>> order_of_hull(np.array([[3, 0], [0, 3], [1, 0], [0, 1]]), SIMILARITIES["cosine"]).places
    array([3, 0, 2, 1])
    """
    count = len(keys)
    points = np.zeros((count, 2), dtype=object)
    points[:, : keys.shape[1]] = keys
    around = (count * points - points.sum(axis=0)).tolist()  # seen from their center

    def turn(a: int, b: int) -> int:
        """Compare two directions, exactly: those above the center come first."""
        (x, y), (u, v) = around[a], around[b]
        upper, other = (y, x) > (0, 0), (v, u) > (0, 0)
        return other - upper if upper != other else y * u - x * v

    order = sorted(range(count), key=cmp_to_key(turn))
    if not similarity.below:
        return KeyOrder("circle", np.argsort(order))
    cut = order.index(count - 1)
    return KeyOrder("line", np.argsort(order[cut + 1 :] + order[:cut]))


def _make_balls(witness: Witness, pattern: Pattern, seconds: float) -> Balls:
    rows, columns = pattern.shape
    if not isinstance(witness, Embedding) and rows * columns > _MOST_ENTRIES:
        raise InputError(f"a proof about {rows} x {columns} is not written out as an embedding")
    balls = Balls.of(witness.embedding(pattern))
    bits = (largest(balls.centers) * largest(balls.keys)).bit_length()
    if bits > _LONG and rows * columns * balls.dimension * _PRODUCT > seconds:
        raise InputError(f"a check of {rows} x {columns} products of {bits} bits takes too long")
    return balls


def _places_among(numbers: Collection[int]) -> NDArray[np.int64]:
    """Return an array with the place of each number among them."""
    places = np.zeros(max(numbers) + 1, dtype=np.int64)
    places[list(numbers)] = np.arange(len(numbers))
    return places


def refute_by(obstruction: Obstruction, pattern: Pattern, similarity: Similarity) -> Extended | str:
    r"""Turn a refutation of an extended pattern into one for another similarity.

    Parameters
    ----------
    obstruction : Obstruction
        NO for dot products, for the pattern or for what `extend` makes of it.
    pattern : Pattern, shape (m, n)
        The pattern, without the lines that `extend` adds.
    similarity : Similarity
        The other similarity.

    Returns
    -------
    Extended or str
        With a core of the rows and columns that the refutation names; or why there is none.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> from samapprox.similarities import SIMILARITIES
    >>> pattern = Pattern.from_text("110\n010\n011\n101")
    >>> refute_by(Radon([0, 2, 3, 4, 5, 6, 7], range(4)), pattern, SIMILARITIES["l2"])
    Extended(similarity='l2', rows=(0, 2, 3), columns=(0, 1, 2), proof=Radon(rows=(0, 1, 2, 3, ...
    """
    if not isinstance(obstruction, Submatrix):
        return f"a proof of kind {obstruction.KIND} cannot be carried over"
    height, width = pattern.shape
    singles = {row - height for row in obstruction.rows if height <= row < height + width}
    columns = {column for column in obstruction.columns if column < width} | singles
    rows = sorted({row for row in obstruction.rows if row < height})
    entries = pattern.submatrix(rows, range(width)) == 1
    for ones in entries:  # every row of the core needs a one in it
        if not any(ones[column] for column in columns):
            columns.add(int(ones.argmax()))
    order = sorted(columns)
    row_at = places_of(rows, height + width + 1)
    row_at[height + np.array(order)] = len(rows) + np.arange(len(order))
    row_at[-1] = len(rows) + len(order)
    column_at = places_of(order, width + 1)
    column_at[-1] = len(order)
    return Extended(similarity.name, rows, order, obstruction.place(row_at, column_at))
