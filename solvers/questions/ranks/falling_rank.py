"""Embeddings of large patterns without structure, in fewer and fewer dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.embeddings.descent import homogeneous
from samapprox.solvers.embeddings.projections import Approach
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search, too_slow
from samapprox.support.limits import search_clock

# Entries up to which patterns are embedded: a step takes 8 r operations an entry.
_MOST_CELLS = 5_000_000
# Operations a second, by which attempts that cannot end in time are not begun.
_PACE = 5e9
# Steps of an attempt: three to begin with, and three that may succeed.
_LEAST_STEPS = 6
# Steps after which an attempt has failed: a solution takes a few tens, or is far away.
_MOST_STEPS = 300
# The first rank, as a part of the shorter side: most patterns take two or three steps in it.
_FIRST = 0.5
# Factor of the rank as long as attempts succeed: a smaller one saves attempts that succeed, and
# fails further below the last one.
_FALL = 0.8
# Part of the time that is left, for one attempt.
_SHARE = 0.4


def embed_in_falling_rank(
    pattern: Pattern, least: int, first: int, most: int, search: Search
) -> Iterator[Embedding]:
    """Embed a pattern in some dimension of a range, then in fewer, until the time is up.

    The first dimension is at most `first`. Embeddings have numbers with few bits, each in a
    smaller dimension than the one before.

    Alternating projections start from the signs themselves, with a row 0 of ones. For random signs
    they take 3 steps in rank min(m, n) / 2 and some 20 in half of it; a step takes 8 m n r
    operations. So the rank falls by a fifth while attempts succeed, and is bisected when one has
    failed.
    """
    if pattern.shape[0] * pattern.shape[1] > _MOST_CELLS:
        return
    signs = homogeneous(pattern)
    rng = np.random.RandomState(search.seed % (1 << 32))
    failed, found = least, most + 2  # ranks, which exceed dimensions by one
    rank = max(least, min(first, int(_FIRST * min(pattern.shape)) - 1)) + 1
    with one_blas_thread():
        while failed < rank < found and not search.out_of_time:
            if too_slow(_LEAST_STEPS * 8 * signs.size * rank / _PACE, search):
                return
            approach = Approach(signs, rank, rng)
            seconds = _SHARE * (search.deadline - search_clock.now())
            turn = replace(search, deadline=search_clock.now() + seconds)
            embedding = None
            if approach.go(_MOST_STEPS, turn):
                embedding = whole_numbers(pattern, *approach.nearest, search)
            if embedding is None:
                failed = rank
            else:
                found = rank
                yield embedding
            is_falling = failed == least
            rank = max(failed + 1, int(_FALL * rank)) if is_falling else (failed + found) // 2
