"""Conversion of queries and keys to the layer that a request asks for."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.request import Request
from samapprox.errors import InputError

__all__ = ["make_layer"]


def make_layer(request: Request, queries: NDArray[Any], keys: NDArray[Any]) -> AttentionLayer:
    """Make the layer of these factors, with d = r, or d = 2r (the theorem's form).

    Parameters
    ----------
    request : Request
        Says d, d_hid and whether the layer is causal.
    queries, keys : ndarray, shape (n, r)

    Raises
    ------
    InputError
        A d that is neither r nor 2r, or d_hid < 2r.

    Examples
    --------
    >>> import numpy as np
    >>> from samapprox.attention.approximation import sample
    >>> request = Request(target=sample(4, 1, 1.0), eps1=0.5, eps2=1.0, d=2)
    >>> make_layer(request, np.ones((4, 1)), np.ones((4, 1))).d_hid
    2
    """
    rank = queries.shape[1]
    d = rank if request.d is None else request.d
    if d not in (rank, 2 * rank):
        raise InputError(
            f"this construction has rank {rank}: give d = {rank}, or d = {2 * rank} for the "
            f"theorem's form, not {d}"
        )
    return AttentionLayer.from_factors(
        queries, keys, theorem=d == 2 * rank, d_hid=request.d_hid, causal=request.causal
    )
