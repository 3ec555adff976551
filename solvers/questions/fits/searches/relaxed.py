"""Numeric search for rows that are right at K: the zeros that score highest cease to count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.proofs.questions import Fit
from samapprox.solvers.embeddings.descent import iterate_subspace
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.first_keys import Entries, relax
from samapprox.solvers.questions.fits.searches import robust
from samapprox.solvers.questions.fits.searches.scores import (
    Floats,
    NumericWitness,
    best_thresholds,
    compute_logits,
)

__all__ = ["list_embeddings"]

# Seconds of the first turn; each start takes twice as long as the one before.
_FIRST_TURN = 0.5
# Turns of a start: each relaxes the zeros that scored highest in the one before.
_TURNS = 4


def list_embeddings(question: Fit, search: Search) -> Iterator[NumericWitness]:
    """Yield embeddings with many rows that are right at K, until the time is up.

    No row has more than K ones. The ones of a row may come after some zeros. These are chosen by
    the scores so far, at first those of singular vectors; then the search for rows that are right
    goes on without them, and so on in turn.
    """
    assert question.at is not None
    entries = question.pattern.to_array()
    random = np.random.RandomState(search.seed % (1 << 32))
    plain = replace(question, at=None)
    start, seconds = 0, _FIRST_TURN
    while not search.out_of_time:
        relaxed = relax(entries, _approximate(entries, question.d, random, start), question.at)
        for turn in range(_TURNS):
            part = search.apart().slice(seconds, _TURNS * start + turn)
            asked = replace(plain, pattern=_as_pattern(relaxed))
            found = robust.find_embedding(asked, part)
            if isinstance(found, str):
                if seconds > search.remaining:  # more time would not help
                    return
                break
            logits = compute_logits(found)
            relaxed = relax(entries, logits, question.at)
            yield replace(found, thresholds=best_thresholds(relaxed, logits))
        start += 1
        seconds *= 2


def _as_pattern(entries: Entries) -> Pattern:
    return Pattern.from_array(entries == 1, entries != UNSPECIFIED)


def _approximate(entries: Entries, d: int, random: np.random.RandomState, start: int) -> Floats:
    """Approximate the signs by a matrix of rank d, with more noise in later starts."""
    signs = np.where(entries == UNSPECIFIED, 0.0, np.where(entries == 1, 1.0, -1.0))
    signs -= signs.mean(axis=1, keepdims=True)
    signs += min(start, 4) / 4 * random.normal(size=signs.shape)
    left, values, right = iterate_subspace(signs, min(d, *signs.shape), random)
    return np.asarray((left * values) @ right)
