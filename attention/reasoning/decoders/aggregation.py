"""AGG: the mean over a block of tokens, by linear attention (Lemma A.9, corrected)."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from samapprox.attention.reasoning.decoders.affine import Affine
from samapprox.attention.reasoning.decoders.assembly import Assembly

__all__ = ["aggregate", "aggregation_scale"]


def aggregate(
    assembly: Assembly,
    target: Sequence[Affine],
    block: Sequence[Affine],
    values: Sequence[Affine],
    *,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of linear attention that averages over the tokens so far of a block (AGG).

    Parameters
    ----------
    assembly : Assembly
    target : sequence of Affine
        The unit vector e_q of the block that a token asks for.
    block : sequence of Affine
        The unit vector of the block that a token belongs to.
    values : sequence of Affine
        They are averaged.
    bound : float
        A bound on the absolute values of `values`.
    error : float
        A bound on the difference from the mean.

    Returns
    -------
    list of Affine
        The means: some numbers of at most `bound` if the block has no token so far.

    Notes
    -----
    Queries are mu e_q - mu and keys mu e_k - mu, in m dimensions. With phi = elu + 1, their product
    is 1 + (m - 1) exp(-2 mu) if q = k, where the paper prints exp(-mu), and 2 exp(-mu) +
    (m - 2) exp(-2 mu) otherwise.

    References
    ----------
    Yang et al. (2024), Lemma A.9.
    """
    mu = aggregation_scale(len(block), bound, error)
    query, key = ([mu * entry - mu for entry in vector] for vector in (target, block))
    return assembly.attend(query, key, values)


def aggregation_scale(m: int, bound: float, error: float) -> float:
    """Return the mu of `aggregate` for m blocks of at most m tokens.

    Examples
    --------
    >>> round(aggregation_scale(m=23, bound=84, error=1e-3), 2)
    21.44
    """
    return log(2 * bound * m**3 / error)
