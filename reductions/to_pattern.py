"""Attention weights, judgements and pseudolines as patterns, and embeddings of patterns back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.weights.binarization import binarize
from samapprox.attention.weights.rules import Rule
from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements
from samapprox.instance import Grading, Unjudged
from samapprox.pattern import Pattern
from samapprox.problem import Reduction
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, exact_matmul
from samapprox.reductions.stretchability import Arrangement, line_cell_pattern, stretch


@dataclass(frozen=True, slots=True)
class AttentionToPattern(Reduction[ArrayLike, Pattern, None]):
    """Binarized attention, by a rule; see `samapprox.attention.binarize`.

    Attributes
    ----------
    rule : Rule
        Which keys of a row are kept: `samapprox.attention.TopK`, for one.
    causal : bool
        Whether to ignore entries above the diagonal.
    logits : bool
        Whether the numbers are logits rather than probabilities.
    ties : str or None
        Which tied keys to keep: first, last, all or none.

    Examples
    --------
    >>> from samapprox.attention import TopK
    >>> reduction = AttentionToPattern(TopK(1))
    >>> target, back = reduction.apply([[0.9, 0.1], [0.2, 0.8]])
    >>> print(target.to_text())
    10
    01
    >>> import samapprox
    >>> reduction.lift(samapprox.decide(target).proof, back).argmax(axis=1).tolist()
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

    def apply(self, instance: ArrayLike) -> tuple[Pattern, None]:
        """Binarize; the way back needs nothing.

        Parameters
        ----------
        instance : array_like of float, shape (m, n)
            Attention weights.

        Raises
        ------
        InputError
            See `samapprox.attention.binarize`.
        """
        pattern = binarize(
            instance, self.rule, causal=self.causal, logits=self.logits, ties=self.ties
        )
        return pattern, None

    def lift(self, proof: Embedding, _back: None) -> ExactArray:
        """Return whole logits of dimension d that prefer the same keys."""
        return exact_matmul(proof.queries, proof.keys.T)


@dataclass(frozen=True, slots=True)
class JudgementsToPattern(Reduction[Judgements, Pattern, Pattern]):
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
    >>> reduction = JudgementsToPattern()
    >>> target, back = reduction.apply(judgements)
    >>> import samapprox
    >>> sorted(reduction.lift(samapprox.decide(target).proof, back)["documents"])
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

    def apply(self, instance: Judgements) -> tuple[Pattern, Pattern]:
        """Collect the judgements; the way back needs the names of the pattern.

        Parameters
        ----------
        instance : Judgements
            See `samapprox.formats.load_judgements`.

        Raises
        ------
        InputError
            No document is relevant to any query.
        """
        pattern = instance.instance(Grading(self.relevant, self.unjudged)).pattern
        return pattern, pattern

    def lift(self, proof: Embedding, back: Pattern) -> dict[str, dict[str, list[int]]]:
        """Name the vectors of an embedding: "queries" and "documents", by their names.

        Parameters
        ----------
        proof : Embedding
            Of the pattern.
        back : Pattern
            The pattern, with its names.
        """
        return {
            "queries": _named(back.row_names, proof.queries),
            "documents": _named(back.column_names, proof.keys),
        }


def _named(names: tuple[str, ...] | None, vectors: ExactArray) -> dict[str, list[int]]:
    assert names is not None
    return {name: np.asarray(row).tolist() for name, row in zip(names, vectors, strict=True)}


_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class ArrangementToPattern(Reduction[Arrangement, Pattern, Arrangement]):
    """Pseudolines as rows, cells as columns; see `samapprox.reductions.stretchability`.

    Examples
    --------
    >>> reduction = ArrangementToPattern()
    >>> target, back = reduction.apply(Arrangement.from_wiring(3, [1, 0, 1]))
    >>> import samapprox
    >>> lines = reduction.lift(samapprox.decide(target, 2).proof, back)
    >>> Arrangement.from_lines(lines).sequences
    ((2, 1), (2, 0), (1, 0))
    """

    name: ClassVar[str] = "arrangement-to-pattern"
    preserves: ClassVar[str] = (
        "dimension 2 represents the pattern if and only if straight lines can cross in this order"
    )

    def apply(self, instance: Arrangement) -> tuple[Pattern, Arrangement]:
        """Return the line-cell pattern, and the arrangement as the way back.

        Parameters
        ----------
        instance : Arrangement
            The pseudolines.
        """
        return line_cell_pattern(instance), instance

    def lift(self, proof: Embedding, back: Arrangement) -> ExactArray:
        """Return straight lines a x + b y = c that cross in the same order, one a row.

        Parameters
        ----------
        proof : Embedding
            Of the line-cell pattern, of dimension 2.
        back : Arrangement
            The pseudolines.
        """
        return stretch(back, proof)


def load_arrangement(path: str) -> Arrangement:
    """Read a JSON list: the others in meeting order, for each pseudoline."""
    try:
        if Path(path).stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: more than {_MOST_BYTES} bytes")
        sequences = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(sequences, list) or not all(isinstance(row, list) for row in sequences):
            raise InputError(f"{path}: local sequences are a list of lists")
        return Arrangement(sequences)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except InputError as error:
        raise error if str(error).startswith(path) else error.within(path) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not local sequences in JSON: {error}") from None
