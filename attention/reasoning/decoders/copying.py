"""COPY: the values of one token, by sparse attention (Lemmas A.11 and A.12, corrected)."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from samapprox.attention.reasoning.decoders.affine import Affine
from samapprox.attention.reasoning.decoders.assembly import Assembly

__all__ = ["average_block", "copy_latest", "copying_gap"]


def average_block(
    assembly: Assembly,
    block: Sequence[Affine],
    values: Sequence[Affine],
    *,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of softmax attention that averages over the tokens so far of the own block.

    See `copy_latest` for the parameters. This is the second layer of Lemma A.12.

    Notes
    -----
    The paper averages over the last B tokens alike. But in Eq. 6, a token also attends to the ends
    of all earlier blocks, so the query must ask for the block.
    """
    gap = copying_gap(len(block) ** 2, bound, error)
    return assembly.attend([gap * entry for entry in block], block, values)


def copy_latest(
    assembly: Assembly,
    target: Sequence[Affine],
    block: Sequence[Affine],
    offset: Affine,
    values: Sequence[Affine],
    *,
    bound: float,
    error: float,
) -> list[Affine]:
    """Add a head of softmax attention that copies the latest token of a block that it attends to.

    Parameters
    ----------
    assembly : Assembly
    target, block : sequence of Affine
        The unit vectors of the block that a token asks for, and of its own.
    offset : Affine
        The place of a token in its block, from 1: the rating of Lemma A.11.
    values : sequence of Affine
        They are copied.
    bound : float
        A bound on the absolute values of `values`.
    error : float
        A bound on the difference from the values of the token.

    Notes
    -----
    The block's score B + 1 and the offset's 1, .., B are both multiplied by `copying_gap`: all
    tokens of other blocks, and earlier ones of this block, score less by at least this gap.

    References
    ----------
    Yang et al. (2024), Lemmas A.11 and A.12.
    """
    gap = copying_gap(len(block) ** 2, bound, error)
    query = [gap * (len(block) + 1) * entry for entry in target]
    return assembly.attend([*query, Affine(constant=gap)], [*block, offset], values)


def copying_gap(keys: int, bound: float, error: float) -> float:
    """Return a gap of scores with which softmax differs by at most `error` from the best values.

    Of at most `keys` keys, each that scores less by the gap has at most exp(-gap) of the best one's
    weight, and changes values of at most `bound` by twice as much.

    Examples
    --------
    >>> round(copying_gap(keys=529, bound=84, error=1e-3), 2)
    18.3
    """
    return log(2 * bound * keys / error)
