"""The check of X, W_Q and W_K."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.checks.embedding import find_fault_of_logits
from samapprox.proofs.exact import exact_matmul
from samapprox.proofs.kinds.embedding import Embedding, SelfAttention

__all__ = ["find_fault"]


def find_fault(problem: Problem, attention: SelfAttention) -> str | None:
    r"""Return the reason why the logits do not represent the pattern in (d, d_hid), or None.

    Parameters
    ----------
    problem : Problem
    attention : SelfAttention

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10\n01"), 1, 1)
    >>> find_fault(problem, SelfAttention([[-1], [2]], [[1]], [[1]], [0, 0])) is None
    True
    """
    if attention.dimension > problem.d:
        return f"W_Q and W_K have dimension {attention.dimension}, more than d = {problem.d}"
    if problem.d_hid is not None and attention.hidden_dimension > problem.d_hid:
        return f"X has d_hid = {attention.hidden_dimension}, more than {problem.d_hid}"
    return find_fault_of_logits(problem.pattern, _embed(attention))


def _embed(attention: SelfAttention) -> Embedding:
    """Return queries and keys with the same logits that are no wider than X.

    For d > d_hid they are X (W_Q W_K^T) and X: queries and keys of dimension d would take n d
    numbers, far more than the n d_hid + 2 d_hid d of the proof.
    """
    if attention.dimension <= attention.hidden_dimension:
        return attention.embedding()
    product = exact_matmul(attention.W_Q, attention.W_K.T)
    return Embedding(exact_matmul(attention.X, product), attention.X, attention.thresholds)
