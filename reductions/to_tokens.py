"""Free queries and keys as tokens of one sequence, for every hidden dimension.

The free case reduces to the case of self-attention, where queries and keys share X;
docs/theory/stretchability.md has the proof, and what follows for hardness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.embedding import Embedding, SelfAttention
from samapprox.proofs.simplify import Simplified, simplify
from samapprox.reductions.base import Reduced
from samapprox.reductions.merging import merge_embedding, require_embedding

__all__ = ["PatternToTokens", "embed_tokens", "join_tokens"]

_MOST_TOKENS = 1 << 14


@dataclass(frozen=True, slots=True)
class PatternToTokens:
    r"""Rows and columns of a pattern as tokens of one sequence.

    Examples
    --------
    >>> reduced = PatternToTokens().apply(Pattern.from_text("10\n01"))
    >>> print(reduced.target.to_text())
    001
    111
    111
    >>> import samapprox
    >>> proof = samapprox.decide(reduced.target, 1, d_hid=1).proof
    >>> reduced.lift(proof.embedding()).queries.tolist()
    [[-1], [1]]
    """

    name: ClassVar[str] = "pattern-to-tokens"
    preserves: ClassVar[str] = (
        "dimension d represents the pattern if and only if (d, d_hid) represents the new one, for "
        "every d_hid >= d"
    )

    def apply(self, instance: Pattern) -> Reduced[Pattern, Embedding, Embedding]:
        """Join rows and columns; the lift restricts embeddings to the original rows and columns.

        Raises
        ------
        InputError
            More than 2^14 tokens; from the lift, an embedding that does not represent the target.
        """
        simplified = _merge(instance)
        target = join_tokens(instance)

        def lift(proof: Embedding) -> Embedding:
            require_embedding(target, proof)
            rows = len(simplified.rows)
            merged = Embedding(proof.queries[:rows], proof.keys[rows:], proof.thresholds[:rows])
            lifted = merged.lift(simplified)
            require_embedding(instance, lifted)
            return lifted

        return Reduced(target, lift)


def join_tokens(pattern: Pattern) -> Pattern:
    r"""Return [0 S; 1 1], where S has the distinct rows and columns of a pattern.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        Its rows are complemented where the first column has a 1, so the first column of S is 0. If
        it has entries *, the block 0 is * as well, and no row is complemented.

    Returns
    -------
    Pattern
        Square, with a token for each distinct row (up to complement) with both values, then one for
        each distinct column.

    Raises
    ------
    InputError
        More than 2^14 tokens.

    Notes
    -----
    O((m + n)^2).

    Examples
    --------
    >>> print(join_tokens(Pattern.from_text("1*0\n011")).to_text())
    **1*0
    **100
    11111
    11111
    11111
    """
    source = _merge(pattern).pattern
    rows, columns = (0, 1) if source is None else source.shape
    tokens = rows + columns
    entries = np.ones((tokens, tokens), dtype=np.int8)
    if source is not None:
        entries[:rows, :rows] = 0 if source.is_specified else -1
        entries[:rows, rows:] = source.to_array()
    return Pattern.from_array(entries, entries >= 0)


def embed_tokens(pattern: Pattern, embedding: Embedding, d_hid: int | None = None) -> SelfAttention:
    r"""Represent the joined tokens by self-attention of the same dimension.

    Parameters
    ----------
    pattern : Pattern
    embedding : Embedding
        Of the pattern, of dimension d.
    d_hid : int, optional
        At least d, which is the default.

    Returns
    -------
    SelfAttention
        Of `join_tokens(pattern)`, checked.

    Raises
    ------
    InputError
        The embedding does not represent the pattern, or d_hid < d.

    Notes
    -----
    The key of the first column is moved to the origin, where no row holds it, so all thresholds are
    positive. Long keys make them large, and the products of queries are small beside them.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> embed_tokens(pattern, Embedding([[1], [-1]], [[1], [0]], [0, -1])).X.tolist()
    [[-2], [0], [-5]]
    """
    require_embedding(pattern, embedding)
    d = embedding.dimension
    d_hid = d if d_hid is None else d_hid
    if d_hid < d:
        raise InputError(f"d_hid must be at least d = {d}, not {d_hid}")
    simplified = _merge(pattern)
    if simplified.pattern is None:
        X = np.zeros((1, d_hid), dtype=object)
        thresholds = np.array([-1], dtype=object)
    else:
        merged = merge_embedding(embedding, simplified)
        queries, keys = 2 * merged.queries.astype(object), merged.keys.astype(object)
        thresholds = 2 * merged.thresholds.astype(object) + 1 - queries @ keys[0]
        keys = keys - keys[0]
        length = int((queries * queries).sum(axis=1).max()) + 1
        keys, thresholds = length * keys, length * thresholds
        lowest = (keys @ np.vstack([queries, keys]).T).min(axis=1) - 1
        X = np.zeros((len(queries) + len(keys), d_hid), dtype=object)
        X[:, :d] = np.vstack([queries, keys])
        thresholds = np.concatenate([thresholds, lowest])
    identity = np.eye(d_hid, d, dtype=np.int64)
    attention = SelfAttention(X, identity, identity, thresholds)
    assert check(Problem(join_tokens(pattern), d, d_hid), attention) is None
    return attention


def _merge(pattern: Pattern) -> Simplified:
    """Merge rows and columns, at most 2^14; without entries *, no row holds the first column."""
    simplified = simplify(pattern)
    source = simplified.pattern
    if source is None:
        return simplified
    rows, columns = source.shape
    if rows + columns > _MOST_TOKENS:  # a sparse pattern of any size may come here
        raise InputError(f"{rows} rows and {columns} columns are more than {_MOST_TOKENS} tokens")
    if not source.is_specified:
        return simplified
    return simplified.complement(source.to_array()[:, 0] == 1)
