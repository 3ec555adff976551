"""Rows and columns of a pattern as tokens of one sequence.

The free case reduces to that of self-attention, where queries and keys share X. The proof is in
docs/theory/stretchability.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Reduction
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.reductions.padding import merge_embedding, require_embedding

_MOST_TOKENS = 1 << 14


@dataclass(frozen=True, slots=True)
class PatternToTokens(Reduction[Pattern, Pattern, Pattern]):
    r"""Rows and columns of a pattern as tokens of one sequence.

    Examples
    --------
    >>> reduction = PatternToTokens()
    >>> target, back = reduction.apply(Pattern.from_text("10\n01"))
    >>> print(target.to_text())
    001
    111
    111
    >>> import samapprox
    >>> proof = samapprox.decide(target, 1, d_hid=1).proof
    >>> reduction.lift(proof.embedding(), back).queries.tolist()
    [[-1], [1]]
    """

    name: ClassVar[str] = "pattern-to-tokens"
    preserves: ClassVar[str] = (
        "dimension d represents the pattern if and only if (d, d_hid) represents the new one, for "
        "every d_hid >= d"
    )

    def apply(self, instance: Pattern) -> tuple[Pattern, Pattern]:
        """Join rows and columns; the way back is the original pattern.

        Parameters
        ----------
        instance : Pattern
            With at most 2^14 distinct rows and columns together.

        Raises
        ------
        InputError
            More than 2^14 tokens.
        """
        return join_tokens(instance), instance

    def lift(self, proof: Embedding, back: Pattern) -> Embedding:
        """Restrict an embedding to the original rows and columns.

        Parameters
        ----------
        proof : Embedding
            Of the joined tokens.
        back : Pattern
            The second result of `apply`.

        Raises
        ------
        InputError
            The embedding does not represent the joined tokens.
        """
        require_embedding(join_tokens(back), proof)
        simplified = _merge(back)
        rows = len(simplified.rows)
        merged = Embedding(proof.queries[:rows], proof.keys[rows:], proof.thresholds[:rows])
        lifted = merged.lift(simplified)
        require_embedding(back, lifted)
        return lifted


def join_tokens(pattern: Pattern) -> Pattern:
    r"""Return [0 S; 1 1], where S has the distinct rows and columns of a pattern.

    Rows are complemented where the first column has a 1, so the first column of S is 0. If the
    pattern has entries *, the block 0 is * as well, and no row is complemented. There is a token
    for each distinct row (up to complement) with both values, then one for each distinct column.
    O((m + n)^2).
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
        Of any shape; queries and keys are free.
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


def _merge(pattern: Pattern) -> Simplification:
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
