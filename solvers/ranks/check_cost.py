"""Limits on the cost of checking factors, which takes place when the time is up."""

from __future__ import annotations

from samapprox.errors import InputError
from samapprox.proofs.base import Witness
from samapprox.proofs.exact import largest
from samapprox.proofs.kinds.moment_curve import MomentCurve
from samapprox.proofs.kinds.ranks.factors import Factors

__all__ = ["require_few_products", "require_quick_check", "require_quick_numbers"]

_MOST_PRODUCTS = 1 << 31  # some second
_MOST_LONG_WORK = 1 << 28  # the same for products beyond 64 bits, times their bits
_SHORT = 62


def require_few_products(rows: int, columns: int, rank: int, bits: int = 1) -> None:
    """Refuse factors whose check would take seconds.

    Parameters
    ----------
    rows, columns, rank : int
    bits : int
        Of a product.

    Raises
    ------
    InputError

    Examples
    --------
    >>> require_few_products(1000, 1000, 1000)
    >>> require_few_products(400, 400, 40, 80)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: 400 x 400 products of 80 bits in rank 40 take too long to check
    """
    products = rows * columns * rank
    if products > _MOST_PRODUCTS or (bits > _SHORT and products * bits > _MOST_LONG_WORK):
        raise InputError(
            f"{rows} x {columns} products of {bits} bits in rank {rank} take too long to check"
        )


def require_quick_check(factors: Factors) -> None:
    """Refuse factors whose check would take seconds.

    Raises
    ------
    InputError

    Examples
    --------
    >>> require_quick_check(Factors([[1]], [[2]], [0]))
    """
    bits = largest(factors.left).bit_length() + largest(factors.right).bit_length()
    require_few_products(len(factors.left), len(factors.right), factors.dimension, bits)


def require_quick_numbers(witness: Witness, shape: tuple[int, int]) -> None:
    """Refuse an order of many dimensions, before its long numbers are computed.

    Parameters
    ----------
    witness : Witness
    shape : (m, n)

    Raises
    ------
    InputError

    Examples
    --------
    >>> require_quick_numbers(MomentCurve(2, "columns", range(300)), (300, 300))
    """
    if isinstance(witness, MomentCurve):
        require_few_products(*shape, witness.dimension, witness.dimension * max(shape).bit_length())
