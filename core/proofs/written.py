"""Limits on the embeddings that are written out in numbers."""

from __future__ import annotations

from samapprox.errors import InputError

__all__ = ["MOST_BITS", "MOST_NUMBERS", "require_writable"]

MOST_NUMBERS = 1 << 26
"""Coordinates of the largest embedding that is multiplied out."""

MOST_BITS = 1 << 31
"""Bits of all its coordinates together."""


def require_writable(numbers: int, bits: int = 0) -> None:
    """Refuse to write out an embedding that is too large, before anything is allocated.

    Parameters
    ----------
    numbers : int
        The number of coordinates and thresholds.
    bits : int, optional
        A bound on the total number of their bits, if known.

    Raises
    ------
    InputError

    Examples
    --------
    >>> require_writable(1 << 27, 1 << 30)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the embedding has 134217728 numbers, more than 67108864 are not ...
    """
    if numbers > MOST_NUMBERS:
        raise InputError(
            f"the embedding has {numbers} numbers, more than {MOST_NUMBERS} are not written out; "
            "its certificate proves the answer without them"
        )
    if bits > MOST_BITS:
        raise InputError(
            f"the embedding may take {bits} bits, more than {MOST_BITS} are not written out; "
            "its certificate proves the answer without them"
        )
