"""Search for rows that are right at K: keys placed on points of which many K-sets are cut off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.questions import Fit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.placement import (
    Rows,
    Template,
    anneal,
    embed_sides,
    hash_sides,
    make_templates,
)

__all__ = ["CutTemplate", "list_embeddings"]

# Entries of the pattern, as in `placement`.
_MOST_ENTRIES = 1 << 24
# Entries of the sets that the splits of a template cut off.
_MOST_CUT = 1 << 24
# Subsets of cut sets: more of them fit more rows, and take more memory and time.
_MOST_SUBSETS = 1 << 21
# Annealings of each template, from other permutations.
_STARTS = 2


def list_embeddings(question: Fit, search: Search) -> Iterator[Embedding]:
    """Yield embeddings for dot products (for cosines in a dimension less), by placing the keys.

    No row has more than K ones; K is less than the number of keys. As in `placement`, two keys
    change places by simulated annealing. A row is right if its ones lie in a set of K points that
    is cut off.
    """
    assert question.at is not None
    ones = question.pattern.to_array() == 1  # don't-cares count as zeros
    d = question.d - question.similarity.above  # halfspaces become caps
    if not d or ones.size > _MOST_ENTRIES:
        return
    rows = Rows.merge(ones)
    sizes = sorted(set(ones.sum(axis=1).tolist()))
    random = np.random.RandomState(search.seed % (1 << 32))
    templates = [
        (plain, cut)
        for plain in make_templates(ones.shape[1], d, search.remaining)
        if (cut := CutTemplate.of(plain, question.at, sizes)) is not None
    ]
    for plain, cut in templates * _STARTS:
        if search.out_of_time:
            return
        order, right = anneal(rows, cut, random, search.slice(search.remaining / 2, 0))
        if right:
            yield embed_sides(cut.extend(ones, order), plain, order, np.arange(ones.shape[1]))


@dataclass(frozen=True, slots=True, eq=False)
class CutTemplate(Template):
    """Points whose `splits` are the subsets of sets of K points that are cut off.

    Other than in a plain template, the hash of a set is that of its points. `owners`: the number of
    a cut set for each of the subsets; `sets`: the points of each cut set, shape (cut sets, K).
    """

    owners: NDArray[np.int64] | None = None
    sets: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, plain: Template, at: int, sizes: list[int]) -> CutTemplate | None:
        """List the cut sets of K points and their subsets of these sizes; None if too many."""
        sets = _list_cut_sets(plain, at)
        count = sum(comb(at, size) for size in sizes)
        if sets is None or not len(sets) or count * len(sets) > _MOST_SUBSETS:
            return None
        hashes, owners = [], []
        for size in sizes:
            chosen = np.array(list(combinations(range(at), size)), dtype=np.int64)
            subsets = np.bitwise_xor.reduce(plain.hashes[sets[:, chosen]], axis=2)
            hashes.append(subsets.ravel())
            owners.append(np.repeat(np.arange(len(sets)), len(chosen)))
        splits, first = np.unique(np.concatenate(hashes), return_index=True)
        own = np.concatenate(owners)[first]
        return cls(plain.points, plain.hashes, splits, plain.normals, own, sets)

    def find_places(self, sides: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Find the places of sets among the subsets, by their hashes, if they are there."""
        return np.minimum(np.searchsorted(self.splits, sides), len(self.splits) - 1)

    def find_cut(self, sides: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Find the sets that lie in a cut set, by their hashes."""
        return np.asarray(self.splits[self.find_places(sides)] == sides)

    def extend(self, ones: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Extend the ones of right rows to cut sets; `order` has the key at each point."""
        assert self.owners is not None
        assert self.sets is not None
        sides = hash_sides(np.ascontiguousarray(ones.T), self, order)
        right = np.flatnonzero(self.find_cut(sides))
        points = self.sets[self.owners[self.find_places(sides[right])]]
        extended = ones.copy()
        extended[right[:, None], order[points]] = True
        return extended


def _list_cut_sets(plain: Template, size: int) -> NDArray[np.int64] | None:
    """List the sets of so many points that a plain template cuts off; None if there are too many.

    >>> from samapprox.solvers.questions.fits.placement import make_curve
    >>> _list_cut_sets(make_curve(5, 1), 2).tolist()
    [[0, 1], [3, 4]]
    """
    n = len(plain.points)
    if len(plain.splits) * n > _MOST_CUT:
        return None
    if plain.normals is None:
        sides = _list_sides_of_curve(plain)
        sides = np.concatenate([sides, ~sides])
        sets = np.nonzero(sides[sides.sum(axis=1) == size])[1].reshape(-1, size)
    else:
        heights = plain.points @ plain.normals.T
        order, heights = np.argsort(heights, axis=0, kind="stable").T, np.sort(heights, axis=0).T
        low = order[heights[:, size - 1] < heights[:, size], :size]
        high = order[heights[:, n - size - 1] < heights[:, n - size], n - size :]
        sets = np.sort(np.concatenate([low, high]), axis=1)
    return np.asarray(np.unique(sets, axis=0), dtype=np.int64)


def _list_sides_of_curve(plain: Template) -> NDArray[np.bool_]:
    """List one side of each split of points along a curve, of as many changes as its splits."""
    n = len(plain.points)
    changes, splits = 0, 1
    while splits < len(plain.splits) and changes < n - 1:
        changes += 1
        splits += comb(n - 1, changes)
    places = [cuts for count in range(changes + 1) for cuts in combinations(range(1, n), count)]
    flips = np.zeros((len(places), n), dtype=np.int64)
    for row, cuts in zip(flips, places, strict=True):
        row[list(cuts)] = 1
    return np.asarray(flips.cumsum(axis=1) % 2 == 1, dtype=np.bool_)
