"""Attention weights and retrieval judgements as patterns, and embeddings of patterns back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.weights.binarization import binarize
from samapprox.attention.weights.rules import Rule
from samapprox.formats.judgements import Judgements
from samapprox.grading import Grading, Unjudged
from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray, exact_matmul
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.reductions.base import Reduced

__all__ = ["AttentionToPattern", "JudgementsToPattern"]


@dataclass(frozen=True, slots=True)
class AttentionToPattern:
    """Binarized attention, by a rule; see `samapprox.attention.binarize`.

    Attributes
    ----------
    rule : Rule
    causal, logits : bool
    ties : str or None

    Examples
    --------
    >>> from samapprox.attention import TopK
    >>> reduced = AttentionToPattern(TopK(1)).apply([[0.9, 0.1], [0.2, 0.8]])
    >>> print(reduced.target.to_text())
    10
    01
    >>> import samapprox
    >>> reduced.lift(samapprox.decide(reduced.target).proof).argmax(axis=1).tolist()
    [0, 1]
    """

    name: ClassVar[str] = "attention-to-pattern"
    preserves: ClassVar[str] = (
        "dimension d represents the pattern if and only if some attention of that dimension gives "
        "every key that the rule keeps more weight than any it drops"
    )

    rule: Rule
    causal: bool = False
    logits: bool = False
    ties: str | None = None

    def apply(self, instance: ArrayLike) -> Reduced[Pattern, Embedding, ExactArray]:
        """Binarize; the lift gives whole logits of dimension d that prefer the same keys.

        Raises
        ------
        InputError
            See `samapprox.attention.binarize`.
        """
        pattern = binarize(
            instance, self.rule, causal=self.causal, logits=self.logits, ties=self.ties
        )
        return Reduced(pattern, lambda proof: exact_matmul(proof.queries, proof.keys.T))


@dataclass(frozen=True, slots=True)
class JudgementsToPattern:
    r"""Queries as rows, documents as columns; see `samapprox.formats.judgements`.

    Attributes
    ----------
    relevant : int
        Least grade that makes a 1.
    unjudged : {"zero", "unspecified"}
        The entries of unjudged pairs: 0 or *.

    Examples
    --------
    >>> import io
    >>> from samapprox.formats import load_judgements
    >>> judgements = load_judgements(io.BytesIO(b"q 0 relevant 1\nq 0 other 0\n"))
    >>> reduced = JudgementsToPattern().apply(judgements)
    >>> import samapprox
    >>> sorted(reduced.lift(samapprox.decide(reduced.target).proof)["documents"])
    ['other', 'relevant']
    """

    name: ClassVar[str] = "judgements-to-pattern"
    preserves: ClassVar[str] = (
        "dimension d represents the pattern if and only if some embedding of that dimension scores "
        "every relevant document of each query above all others (with unjudged unspecified: above "
        "all that are judged and not relevant)"
    )

    relevant: int = 1
    unjudged: Unjudged = "zero"

    def apply(
        self, instance: Judgements
    ) -> Reduced[Pattern, Embedding, dict[str, dict[str, list[int]]]]:
        """Collect the judgements; the lift names the vectors of an embedding.

        Raises
        ------
        InputError
            No document is relevant to any query.
        """
        pattern = instance.instance(Grading(self.relevant, self.unjudged)).pattern

        def lift(proof: Embedding) -> dict[str, dict[str, list[int]]]:
            return {
                "queries": _named(pattern.row_names, proof.queries),
                "documents": _named(pattern.column_names, proof.keys),
            }

        return Reduced(pattern, lift)


def _named(names: tuple[str, ...] | None, vectors: ExactArray) -> dict[str, list[int]]:
    assert names is not None
    return {name: np.asarray(row).tolist() for name, row in zip(names, vectors, strict=True)}
