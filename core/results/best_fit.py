"""The least number of wrong rows or entries in a dimension, as a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit, Unit
from samapprox.results import Answer, name_interval
from samapprox.similarities import Similarity
from samapprox.support.text import percent, percent_up, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from samapprox.proofs.base import Obstruction, Proof
    from samapprox.proofs.certificate import Certificate
    from samapprox.results.best_recall import BestRecall


@dataclass(frozen=True)
class BestFit(Answer):
    """Proven bounds on the least number of wrong rows or entries in dimension d.

    With `at`, a row is right if its ones are among the first K = `at` keys.

    Attributes
    ----------
    pattern : Pattern
        The pattern that was asked about.
    d : int
        The dimension.
    unit : {"rows", "entries"}
        The items that are counted.
    similarity : Similarity
        How queries and keys are compared.
    yes : PartialEmbedding or None
        An embedding with `upper` wrong items; None where all rows are wrong at K.
    no : Obstruction or None
        A proof that more than `lower` - 1 items are wrong; None for `lower` = 0.
    lower, upper : int
        Proven bounds on the least number of wrong items.
    seconds : float
        Wall-clock time of the search.
    at : int or None
        K, if rows are to be right at K.
    recall : BestRecall or None
        Bounds on the mean recall at K, if there is a K; their embedding may be another one.

    Examples
    --------
    >>> from samapprox import fit
    >>> found = fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1)
    >>> found.lower, found.upper, found.exact
    (1, 1, True)
    """

    NO_TRUTH_VALUE = "a BestFit is neither true nor false; look at its exact, lower or upper"

    pattern: Pattern
    d: int
    unit: Unit
    similarity: Similarity
    yes: PartialEmbedding | None
    no: Obstruction | None
    lower: int
    upper: int
    seconds: float = 0.0
    at: int | None = None
    recall: BestRecall | None = None

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def total(self) -> int:
        """The number of rows, or of specified entries."""
        if self.unit == "rows":
            return self.pattern.shape[0]
        return int(self.pattern.row_ones.sum() + self.pattern.row_zeros.sum())

    @property
    def share_right(self) -> float:
        """The share of rows or entries that the embedding gets right."""
        return 1 - self.upper / self.total

    @property
    def most_right(self) -> float:
        """A proven upper bound on the share that any embedding gets right."""
        return 1 - self.lower / self.total

    @property
    def most_right_in_words(self) -> str:
        """The bound `most_right` in percent, rounded up unless an embedding reaches it.

        Examples
        --------
        >>> from samapprox import fit
        >>> fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1).most_right_in_words
        '66.7 %'
        """
        if self.exact:
            return percent(self.share_right)
        return percent_up(Fraction(self.total - self.lower, self.total))

    @property
    def wrong(self) -> NDArray[np.int64]:
        """The wrong items of the embedding, ascending: rows, or numbers i n + j of entries."""
        return np.arange(self.total) if self.yes is None else self.yes.wrong

    @property
    def embedding(self) -> Embedding:
        """The queries, keys and thresholds, with queries of 0 for wrong rows."""
        if self.yes is None:
            raise InputError(f"no row is right at K = {self.at}, so there is no embedding of any")
        return self.yes.embedding(self.pattern)

    @property
    def yes_certificate(self) -> Certificate | None:
        """The certificate of the upper bound; None where all rows are wrong at K."""
        return None if self.yes is None else self._certify(self.upper, self.yes)

    @property
    def no_certificate(self) -> Certificate | None:
        """The certificate of the lower bound; None if it is 0."""
        return None if self.no is None else self._certify(self.lower - 1, self.no)

    def _certify(self, wrong: int, proof: Proof) -> Certificate:
        from samapprox.proofs.certificate import Certificate  # most answers are only printed

        return Certificate.of(self._question(wrong), proof)

    def _question(self, wrong: int) -> Fit:
        return Fit(self.pattern, self.d, wrong, self.unit, self.similarity, self.at)

    @property
    def least_recall(self) -> float | None:
        """The mean recall at K that an embedding reaches, rounded down; None without K.

        Examples
        --------
        >>> from samapprox import fit
        >>> fit([[1, 1, 0, 0], [0, 1, 0, 0]], 3, at=1).least_recall
        0.75
        """
        return None if self.recall is None else _nearest(self.recall.least, -inf)

    @property
    def most_recall(self) -> float | None:
        """A proven upper bound on the mean recall at K of any embedding; None without K.

        Examples
        --------
        >>> from samapprox import fit
        >>> fit([[1, 1, 0, 0], [0, 1, 0, 0]], 3, at=1).most_recall
        0.75
        """
        return None if self.recall is None else _nearest(self.recall.most, inf)

    # ---------------------------------------------------------------- words

    @property
    def headline(self) -> str:
        """One sentence: how much embeddings of this dimension get right.

        Examples
        --------
        >>> from samapprox import fit
        >>> fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1).headline
        '2 of 3 rows right (66.7 %) with d = 1: no embedding gets more of them right.'
        """
        least, most = self.total - self.upper, self.total - self.lower
        share, items = percent(self.share_right), plural(self.total, self._one)
        right = "right" if self.at is None else f"right at K = {self.at}"
        if not self.exact:
            return (
                f"{least}..{most} of {items} {right} ({share}..{self.most_right_in_words})"
                f"{self._dimension}: an embedding gets {least} right, and none gets more than "
                f"{most}."
            )
        why = "no embedding gets more of them right" if self.upper else "an embedding has no fault"
        return f"{least} of {items} {right} ({share}){self._dimension}: {why}."

    def explain(self) -> list[str]:
        """Explain both bounds in words."""
        lines = self._explain_depth()
        if self.no is not None:
            question = self._question(self.lower - 1)
            lines += [f"NO for {question}:", *_indent(self.no.explain(question))]
        if self.yes is not None:
            question = self._question(self.upper)
            lines += [f"YES for {question}:", *_indent(self.yes.explain(question))]
        if self.recall is not None:
            lines += self.recall.explain()
        return lines

    def _explain_depth(self) -> list[str]:
        """Say what the dimension excludes, and what no dimension allows, if there is a K."""
        if self.at is None:
            return []
        many = int((self.pattern.row_ones > self.at).sum())
        lines = []
        if many:
            ones = plural(self.at, "one")
            lines = [f"{plural(many, 'row')} with more than {ones} cannot be right at all."]
        if self.at >= self.pattern.shape[1]:
            lines += [f"K = {self.at} is the number of keys or more, so every row is right."]
        elif self.lower == many < self.total:
            lines += [f"No limit on {'the other' if many else 'the'} rows is proven for this d."]
        if self.recall is not None:
            lines += [self.recall.headline]
        return lines

    def __repr__(self) -> str:
        bounds = name_interval(self.lower, self.upper)
        depth = "" if self.at is None else f" at {self.at}"
        return (
            f"<BestFit: {bounds} of {plural(self.total, self._one)} wrong{depth} in d = {self.d}>"
        )

    @property
    def _dimension(self) -> str:
        """The words after "embedding": the dimension and the similarity."""
        return Problem(self.pattern, self.d, similarity=self.similarity).kind_of_attention

    def is_refuted_as(self, larger: BestFit) -> bool:
        """Return whether the refutation of a larger dimension holds here: at K, it need not."""
        if self.at is None or larger.no is None:
            return True
        return check(self._question(larger.lower - 1), larger.no) is None

    @property
    def _one(self) -> str:
        return {"rows": "row", "entries": "entry"}[self.unit]

    # ---------------------------------------------------------------- documents

    def to_json(self, *, source: str | None = None, causal: bool = False) -> dict[str, Any]:
        """Return the document of `fit --json`, whose schema is `samapprox schema fit`.

        Parameters
        ----------
        source : str, optional
            The origin of the pattern.
        causal : bool
            Whether the pattern is the causal view of that source.
        """
        from samapprox.results.documents import FIT, write_matrix

        return FIT.write(
            self,
            pattern=write_matrix(self.pattern.shape, source, causal=causal),
            **self.summary(),
            wrong=sorted(self.wrong.tolist()),
            yes=self.yes_certificate,
            no=self.no_certificate,
            recall_yes=None if self.recall is None else self.recall.yes_certificate,
            recall_no=None if self.recall is None else self.recall.no_certificate,
        )

    def summary(self) -> dict[str, Any]:
        """Return the question and the bounds as a JSON object."""
        from samapprox.results.documents import FIT_SUMMARY
        from samapprox.support.documents import write

        return write(FIT_SUMMARY, self, similarity=self.similarity.name)


def _nearest(share: Fraction, side: float) -> float:
    """Return the float that is nearest to a share on one side, an infinity."""
    nearest = float(share)
    is_beyond = nearest >= share if side > 0 else nearest <= share
    return nearest if is_beyond else nextafter(nearest, side)


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
