"""Results of a search for the least dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from samapprox.pattern import Pattern
from samapprox.problem import Problem, trivial_dimension
from samapprox.results import DrawnAnswer, ProvenInterval, name_interval, name_matrix
from samapprox.results.verdict import Attempt, Verdict, bounds_in_words, explain_under_title
from samapprox.similarities import ATTENTION, Similarity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from samapprox.instance import Grading


@dataclass(frozen=True)
class WeakDimension(ProvenInterval[Verdict], DrawnAnswer):
    """Proven bounds on the least d for which attention represents a pattern (the free case).

    With another similarity than "dot", d is the least dimension of keys on a sphere ("cosine"), or
    of queries and keys that are compared by their distance ("l2").

    Attributes
    ----------
    pattern : Pattern
        The pattern that was asked about.
    yes : Verdict or None
        YES in dimension `upper`; None where nothing better than the trivial bound was found.
    no : Verdict or None
        NO in dimension `lower` - 1; None for `lower` = 1.
    trail : tuple of (int, Attempt)
        Dimension, and a strategy's part in deciding it.
    similarity : Similarity
        How queries and keys are compared.

    Notes
    -----
    The property ``exact`` says whether the bounds meet; ``yes_certificate`` and ``no_certificate``
    are the certificates of the bounds, or None where a bound is trivial.

    Examples
    --------
    >>> from samapprox import weak_dimension
    >>> found = weak_dimension([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> found.lower, found.upper, found.exact
    (2, 2, True)
    """

    NO_TRUTH_VALUE = "a WeakDimension is neither true nor false; look at its exact, lower or upper"

    pattern: Pattern
    yes: Verdict | None
    no: Verdict | None
    trail: tuple[tuple[int, Attempt], ...] = ()
    similarity: Similarity = ATTENTION

    @property
    def lower(self) -> int:
        """A proven lower bound: no smaller dimension represents the pattern."""
        return 1 if self.no is None else self.no.lower

    @property
    def upper(self) -> int:
        """A dimension that represents the pattern: proven, or the trivial min(m, n - 1)."""
        if self.yes is not None:
            return self.yes.upper
        return trivial_dimension(self.pattern.shape, self.similarity)

    @property
    def seconds(self) -> float:
        """Wall-clock time of all strategies and checks."""
        checks = sum(side.check_seconds for side in self._sides)
        return checks + sum(attempt.seconds for _, attempt in self.trail)

    # ---------------------------------------------------------------- words

    @property
    def headline(self) -> str:
        """The proven bounds, in one sentence.

        Examples
        --------
        >>> from samapprox import weak_dimension
        >>> weak_dimension([[1, 0], [0, 1]]).headline
        '1: attention with d = 1 can represent this 2 x 2 pattern.'
        """
        least = Problem(self.pattern, self.lower, similarity=self.similarity)
        if self.exact:
            smaller = ", and no smaller d can" if self.lower > 1 else ""
            attention = f"attention{least.kind_of_attention}"
            return f"{self.lower}: {attention} can represent {self._this}{smaller}."
        return (
            f"{self.lower}..{self.upper}: the least d for which attention"
            f"{self.similarity.manner} can represent {self._this} lies in this range."
        )

    def explain(self) -> list[str]:
        """Explain both bounds in words.

        Returns
        -------
        list of str

        Examples
        --------
        >>> from samapprox import weak_dimension
        >>> weak_dimension([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).explain()[0]
        'NO for d = 1:'
        """
        lines = [line for side in self._sides for line in explain_under_title(side)]
        if self.yes is None and not self.exact:
            rows, columns = self.pattern.shape
            trivial = Problem(self.pattern, self.upper, similarity=self.similarity)
            lines.append(f"YES for {trivial}: it suffices for every {rows} x {columns} pattern.")
        return lines

    def __repr__(self) -> str:
        bounds = bounds_in_words(self.lower, self.upper, self.similarity)
        return f"<WeakDimension: {bounds} for {self._this}>"

    @property
    def _this(self) -> str:
        return name_matrix(self.pattern.shape)

    # ---------------------------------------------------------------- pictures

    def draw(
        self, path: str | PathLike[str] | None = None, *, rows: Sequence[int] | None = None
    ) -> Figure:
        r"""Draw both sides: the refutation of d = lower - 1, and the embedding.

        Parameters
        ----------
        path : path, optional
            File to write: png, svg or pdf.
        rows : sequence of int, optional
            Queries whose half-lines, lines or planes are drawn.

        Returns
        -------
        matplotlib Figure
            Two pictures side by side; one if the other has no picture.

        Raises
        ------
        InputError
            Too many entries, a row that is not there, or a file that cannot be written.

        Examples
        --------
        >>> from samapprox import weak_dimension
        >>> figure = weak_dimension([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]]).draw()
        >>> [part.get_suptitle() for part in figure.subfigs]
        ['NO for d = 1\nthe marked rows split the marked keys in\nevery way', 'YES for d = 2']
        """
        from samapprox.pictures import draw_sides, has_picture, save_picture

        bounds = name_interval(self.lower, self.upper)
        sides = [(side.proof, side.title) for side in self._sides if has_picture(side.proof)]
        figure = draw_sides(self.pattern, sides or [(None, f"weak dimension {bounds}")], rows=rows)
        return save_picture(figure, path)

    # ---------------------------------------------------------------- documents

    def to_json(
        self,
        *,
        source: str | None = None,
        causal: bool = False,
        grading: Grading | None = None,
        hidden_dimensions: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Return the document of `dim --json`, whose schema is `samapprox schema dimension`.

        Parameters
        ----------
        source : str, optional
            The origin of the pattern.
        causal : bool
            Whether the pattern is the causal view of that source.
        grading : Grading, optional
            The rule that made entries of retrieval judgements.
        hidden_dimensions : sequence of mappings, optional
            What `to_json` of each result of `samapprox.hidden_dimensions` gives.

        Returns
        -------
        dict

        Examples
        --------
        >>> from samapprox import weak_dimension
        >>> weak_dimension([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).to_json()["no"]["answer"]
        'NO'
        """
        from samapprox.results.documents import DIMENSION, write_matrix

        return DIMENSION.write(
            self,
            pattern=write_matrix(self.pattern.shape, source, causal=causal, grading=grading),
            **self.similarity.term,
            yes=self.yes_certificate,
            no=self.no_certificate,
            hidden_dimensions=None if hidden_dimensions is None else list(hidden_dimensions),
            trail=[{"d": d, **step.to_json()} for d, step in self.trail],
        )
