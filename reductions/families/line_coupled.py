"""Square patterns for d = d_hid = 1, where queries and keys are the same numbers."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import (
    Bits,
    ends,
    random_stream,
    require,
    require_side,
)

__all__ = ["line_coupled"]


def line_coupled(n: int = 20, feasible: bool = True, seed: int = 0) -> Instance:
    """Make a pattern on a line, from logits c x_i x_j, or one that no such logits represent.

    Parameters
    ----------
    n : int
        Number of tokens.
    feasible : bool
        Whether d = d_hid = 1 suffices (the free case, d = 1, always does).
    seed : int
        Chooses the instance.

    Raises
    ------
    InputError
        An infeasible pattern of fewer than 3 tokens.

    Examples
    --------
    >>> for fact in line_coupled(4, feasible=False).facts:
    ...     print(fact.d, fact.d_hid, fact.answer)
    1 None YES
    1 1 NO
    """
    require_side(n)
    rng = random_stream(seed)
    if feasible:
        entries = _shared_logits(rng, n)
        facts = [Fact(1, 1, "YES", "each row is cut at a level of logits c x_i x_j")]
    else:
        require(n >= 3, f"an infeasible pattern needs at least 3 tokens, not {n}")
        entries, tokens = _interleaved(rng, n)
        facts = [
            Fact(1, None, "YES", "every row is an end of one planted order of the keys"),
            Fact(1, 1, "NO", f"tokens {tokens} ask for 011, 110 and 001 among themselves"),
        ]
    return Instance(
        Pattern.from_array(entries),
        tuple(facts),
        {"family": "line-coupled", "n": n, "feasible": int(feasible), "seed": seed},
    )


def _shared_logits(rng: np.random.RandomState, n: int) -> Bits:
    """Draw tokens x of both signs, c = 1 or -1, and a logit as the least 1 of every row."""
    x = rng.randint(-2 * n, 2 * n + 1, size=n, dtype=np.int64)
    c = 1 - 2 * rng.randint(0, 2, dtype=np.int64)
    logits = c * np.outer(x, x)
    least = np.take_along_axis(logits, rng.randint(0, n, size=(n, 1), dtype=np.int64), axis=1)
    return np.asarray(logits >= least)


def _interleaved(rng: np.random.RandomState, n: int) -> tuple[Bits, list[int]]:
    """Make ends of an order in which tokens a < b < c attend to {b, c}, {a, b} and {c}.

    On the line only a < b < c or its mirror image fits; then rows a and c prefer the far end and b
    the near one, so x_a and x_c have one sign and x_b, between them, the other.
    """
    order = rng.permutation(n)
    position = np.argsort(order)
    a, b, c = np.sort(rng.permutation(n)[:3])  # places in the order
    entries = ends(rng, position, n)
    for token, kept in (
        (order[a], position > rng.randint(a, b, dtype=np.int64)),
        (order[b], position <= rng.randint(b, c, dtype=np.int64)),
        (order[c], position > rng.randint(b, c, dtype=np.int64)),
    ):
        entries[token] = kept
    return entries, [int(order[place]) for place in (a, b, c)]
