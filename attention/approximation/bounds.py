"""Lower bounds on rank and bits that hold for every layer."""

from __future__ import annotations

import math

from samapprox.attention.approximation.precision import least_that
from samapprox.attention.approximation.request import Request
from samapprox.errors import InputError


def fixed_keys_rank(n: int, k: int) -> int:
    r"""Return the exact least rank of keys that serve every A with rows of at most k nonzeros.

    Radon: any r + 2 points in R^r fall into two parts whose hulls meet. For r < 2k one part has at
    most k points, and no query prefers it to all others. So the rank is at least min(2k, n - 1),
    and the moment curve (or a simplex) has it. If every row has exactly k nonzeros, the part is
    filled up to k first, which takes n >= 3k.
    """
    _require(n, k)
    return min(2 * k, n - 1)


def log2_supports(n: int, k: int) -> float:
    r"""Bound log2 of the number of 0/1 matrices with k ones per row and column from below.

    Permutation matrices P_1, .., P_k with disjoint ones: given j of them, the zeros left have n - j
    a row and column, and at least ((n - j) / n)^n n! permutations (van der Waerden's conjecture,
    proved by Egorychev and Falikman). A matrix with k ones a row and column is such a sum in at
    most prod_(j <= k) j!^(n / j) ways (Bregman's theorem). For k = 1 this is n!, exactly. Scaled
    rows of one such matrix are a right stochastic A with gamma = 1.
    """
    _require(n, k)
    natural = 0.0
    for j in range(k):
        natural += n * math.log((n - j) / n) + math.lgamma(n + 1)
        natural -= n / (j + 1) * math.lgamma(j + 2)
    return max(0.0, natural / math.log(2))


def least_bits(n: int, k: int, rank: int) -> float:
    r"""Return the bits each entry of X needs at this rank, for some A with k nonzeros a row.

    The k greatest logits of each row are the row's columns, so that the 2 n r entries of X1 and X2
    determine the matrix: 2 n r b >= log2 of the number of matrices, whatever scales the rows have.
    About rank * b >= k/2 log2 n.
    """
    if rank < 1:
        raise InputError(f"the rank must be at least 1, not {rank}")
    return log2_supports(n, k) / (2 * n * rank)


def matrices_rank(n: int, k: int) -> int:
    r"""Return a rank that some A with k nonzeros per row and column needs, even with its own keys.

    Warren: N polynomials of degree D in p variables have at most (4 e D N / p)^p sign patterns
    without a zero, for N >= p. Here they are the n^2 differences q_i.k_j - t_i, of degree 2 in
    p = n (2r + 1) variables, and every matrix needs a pattern of its own. For large n this tends to
    (k - 1) / 2; from below, slowly. Where every row is full, nothing is required: rank 0.

    Source: Warren (1968), "Lower bounds for approximation by nonlinear manifolds".
    """
    wanted = log2_supports(n, k)
    if k == n:
        return 0

    def enough(rank: int) -> bool:
        variables = 2 * rank + 1
        return variables >= n or n * variables * math.log2(8 * math.e * n / variables) >= wanted

    return least_that(enough, n)


def pattern_rank(request: Request) -> int:
    """Return the lower bound on the rank of this A from counting, over its sets of columns.

    Conditions (7) and (8) make the support of A a pattern that attention shows; its weak dimension
    is a lower bound on the rank. Here only its quick bounds are used (`samapprox.weak_dimension`
    knows more): that of lines, exactly, and counting. Without a zero there is nothing to show, and
    equal logits may do: 0.
    """
    from samapprox import Pattern, Status, decide

    pattern = Pattern.from_array(request.target.to_array() > 0)
    seen = pattern.causal() if request.causal else pattern
    if not seen.row_zeros.any():
        return 0
    rank = 1
    for strategies in ("line", "counting"):
        # The line decides d = 1; counting may refute some d more.
        while (
            decide(pattern, rank, causal=request.causal, only=(strategies,), time_limit=5.0).status
            is Status.NO
        ):
            rank += 1
    return rank


def _require(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise InputError(f"k must be in 1..n, not k = {k} for n = {n}")
