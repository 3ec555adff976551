"""The construction of Theorem 0.4: random projections, Equations (9) to (17)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.checker import check
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.request import Construction, Request
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError

__all__ = ["bias", "build", "haar", "layer_of"]

Floats = NDArray[np.float64]


def bias(target: Target, eps1: float, eps2: float) -> Floats:
    """The nonzeros of B, Equation (9), in the places of `target.values`.

    Examples
    --------
    >>> A = Target.from_array([[0.5, 0.5], [0, 1]])
    >>> bias(A, eps1=np.exp(-1), eps2=0.5).tolist()
    [1.5, 1.5, 1.5]
    """
    least = np.repeat(np.log(target.least), np.diff(target.indptr))
    return np.asarray(target.logs - least - np.log(eps1) + eps2)


def haar(n: int, r: int, rng: np.random.Generator) -> Floats:
    """A uniformly distributed n x r Stiefel matrix: QR of a Gaussian, signs corrected.

    Parameters
    ----------
    n, r : int
        r <= n.
    rng : numpy.random.Generator

    References
    ----------
    Stewart (1980), "The Efficient Generation of Random Orthogonal Matrices".

    Examples
    --------
    >>> Y = haar(5, 2, np.random.default_rng(0))
    >>> bool(np.allclose(Y.T @ Y, np.eye(2)))
    True
    """
    Q, R = np.linalg.qr(rng.standard_normal((n, r)))
    return np.asarray(Q * np.sign(np.diagonal(R)))


def layer_of(
    target: Target,
    eps1: float,
    eps2: float,
    Y: Floats,
    *,
    d_hid: int | None = None,
    causal: bool = False,
) -> AttentionLayer:
    """X, W_Q and W_K of Equations (15) to (17) for a Stiefel matrix, with D = B and V = I.

    Parameters
    ----------
    target : Target, shape (n, n)
    eps1, eps2 : float
    Y : ndarray, shape (n, d / 2)
    d_hid : int, optional
        At least d, which is the default.
    causal : bool

    Notes
    -----
    O(nonzeros d). `docs/approximate.md` says why B and I may stand for the paper's SVD.
    """
    n, r = Y.shape
    weighted = bias(target, eps1, eps2)[:, None] * Y[target.columns]
    scale = np.sqrt(n / r)
    queries = scale * np.add.reduceat(weighted, target.indptr[:-1], axis=0)
    return AttentionLayer.from_factors(queries, scale * Y, theorem=True, d_hid=d_hid, causal=causal)


def build(request: Request) -> Construction:
    """Redraw and check, d ascending: the paper's search as it stands."""
    n = request.target.n
    grid = [request.d] if request.d is not None else range(request.step, 2 * n + 1, request.step)
    for d in grid:
        if d % 2 or d > 2 * n:
            raise InputError(f"d = {d} must be even and at most 2n = {2 * n} for projections")
        for draw in range(request.draws):
            rng = np.random.default_rng([request.seed, d, draw])
            layer = layer_of(
                request.target,
                request.eps1,
                request.eps2,
                haar(n, d // 2, rng),
                d_hid=request.d_hid,
                causal=request.causal,
            )
            if check(layer, request.target, request.eps1, request.eps2).holds:
                break
        else:
            continue
        break
    return Construction(layer, {"seed": request.seed, "draw": draw})
