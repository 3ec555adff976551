"""Verdicts: the results of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from samapprox.errors import CertificateError, require_type
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Obstruction, Proof, proves_yes
from samapprox.results import DrawnAnswer, Status, name_matrix, require_proof
from samapprox.similarities import ATTENTION, Similarity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from samapprox.instance import Grading
    from samapprox.proofs.certificate import Certificate


@dataclass(frozen=True, slots=True)
class Attempt:
    """One strategy's part in a decision.

    Attributes
    ----------
    strategy : str
        Its name, as `only` and `without` take it.
    seconds : float
        Wall-clock time.
    outcome : str
        "YES", "NO", or why the strategy did not apply or gave up.
    """

    strategy: str
    seconds: float
    outcome: str

    def to_json(self) -> dict[str, Any]:
        """Return the attempt as a member of a document's trail."""
        from samapprox.results.documents import ATTEMPT
        from samapprox.support.documents import write

        return write(ATTEMPT, self)


@dataclass(frozen=True)
class Verdict(DrawnAnswer):
    """The answer to a problem, with its proof; a proof that fails the exact checker is refused.

    Attributes
    ----------
    problem : Problem
        The question that was decided.
    proof : Proof or None
        An embedding (YES), an obstruction (NO) or None (UNKNOWN).
    trail : tuple of Attempt
        Strategies in the order they were tried.
    below : Verdict or None
        The best NO that was found for the same pattern and a smaller d, unless `proof` is a NO of
        the free case, which is better.
    above : Verdict or None
        The best YES that was found for the same pattern and a larger d, unless `proof` is a YES.
    check_seconds : float
        Wall-clock time of the exact check.

    Raises
    ------
    CertificateError
        The proof does not hold, or `below` is no NO for this pattern and a smaller d, or `above` no
        YES for a larger one: a bug in the strategy.

    Examples
    --------
    >>> from samapprox import decide
    >>> verdict = decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1)
    >>> verdict.status.value, verdict.lower, verdict.upper
    ('NO', 2, 2)
    """

    NO_TRUTH_VALUE = (
        "a Verdict is neither true nor false, since it may be UNKNOWN; compare its status: "
        "verdict.status is Status.YES"
    )

    problem: Problem
    proof: Proof | None
    trail: tuple[Attempt, ...] = ()
    below: Verdict | None = None
    above: Verdict | None = None
    check_seconds: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        require_type("the problem", self.problem, Problem, "a Problem")
        self._require_bounds()
        if self.proof is not None:
            object.__setattr__(self, "check_seconds", require_proof(self.problem, self.proof))

    @property
    def seconds(self) -> float:
        """Wall-clock time of the strategies and the check together."""
        return self.check_seconds + sum(attempt.seconds for attempt in self.trail)

    @property
    def status(self) -> Status:
        """The answer that the proof gives: YES, NO or UNKNOWN."""
        if self.proof is None:
            return Status.UNKNOWN
        return Status.YES if proves_yes(self.proof) else Status.NO

    @property
    def lower(self) -> int:
        """A proven lower bound on the least d of the free case with the problem's similarity."""
        if self.status is Status.NO and not self.is_about_coupling_alone:
            return self.problem.d + 1
        return 1 if self.below is None else self.below.lower

    @property
    def upper(self) -> int:
        """A proven upper bound on the least d of the free case with the problem's similarity.

        For YES it is the dimension of the proof, else that of `above`; without either it is
        min(m, n - 1), which suffices for every pattern (see `samapprox.problem.trivial_dimension`).
        """
        if self.status is Status.YES:
            assert self.proof is not None
            return self.proof.dimension
        trivial = trivial_dimension(self.problem.pattern.shape, self.problem.similarity)
        return trivial if self.above is None else min(trivial, self.above.upper)

    @cached_property
    def certificate(self) -> Certificate | None:
        """The proof bound to the pattern's fingerprint, to save and verify; None for UNKNOWN."""
        if self.proof is None:
            return None
        from samapprox.proofs.certificate import Certificate  # most answers are only printed

        return Certificate.of(self.problem, self.proof)

    def amend(
        self,
        *,
        trail: tuple[Attempt, ...] | None = None,
        below: Verdict | None = None,
        above: Verdict | None = None,
    ) -> Verdict:
        """Return the same answer with another trail or other bounds; the proof is not rechecked.

        Raises
        ------
        CertificateError
            A bound is about another pattern, or on the wrong side.

        Examples
        --------
        >>> from samapprox import decide
        >>> decide([[1, 0], [0, 1]]).amend(trail=()).trail
        ()
        """
        amended = copy(self)
        for name, value in (("trail", trail), ("below", below), ("above", above)):
            if value is not None:
                object.__setattr__(amended, name, value)
        amended._require_bounds()
        return amended

    # ---------------------------------------------------------------- words

    @property
    def headline(self) -> str:
        """The answer in one sentence.

        Examples
        --------
        >>> from samapprox import decide
        >>> decide([[1, 0], [0, 1]]).headline
        'YES: attention with d = 1 can represent this 2 x 2 pattern.'
        """
        what = self.problem.similarity.dimension_name
        bounds = f"; its {what} is proven to lie in {self.lower}..{self.upper}"
        return f"{self._answer}{bounds if self.proof is None else ''}."

    def explain(self) -> list[str]:
        r"""Explain the answer: the proof, or why each strategy gave up.

        Returns
        -------
        list of str
            Lines that name the pattern's rows and columns.

        Examples
        --------
        >>> from samapprox import decide
        >>> print("\n".join(decide([[1, 0], [0, 1]]).explain()))
        In this order of the keys, each row has its ones at one end: 1 < 0
        """
        if self.proof is not None:
            return self.proof.explain(self.problem)
        lines = [f"{attempt.strategy}: {attempt.outcome}" for attempt in self.trail]
        for bound in (self.below, self.above):
            if bound is not None:
                lines += explain_under_title(bound)
        return lines

    @property
    def title(self) -> str:
        """The answer and the question, as titles of pictures have it."""
        return f"{self.status.value} for {self.problem}"

    def __str__(self) -> str:
        indent = "  " if self.proof is None else ""
        return "\n".join([self.headline, *(indent + line for line in self.explain())])

    def __repr__(self) -> str:
        bounds = bounds_in_words(self.lower, self.upper, self.problem.similarity)
        return f"<Verdict {self._answer}; {bounds}>"

    @property
    def _answer(self) -> str:
        this = name_matrix(self.problem.pattern.shape)
        sentence = {
            Status.YES: f"attention{self.problem.kind_of_attention} can represent {this}",
            Status.NO: f"no attention{self.problem.kind_of_attention} represents {this}",
            Status.UNKNOWN: f"{self.problem} is undecided for {this}",
        }[self.status]
        if self.proof is None and not self.problem.coupled and self.upper <= self.problem.d:
            sentence = f"{self.problem} suffices for {this}, but no embedding was found"
        return f"{self.status.value}: {sentence}"

    # ---------------------------------------------------------------- pictures

    def draw(
        self, path: str | PathLike[str] | None = None, *, rows: Sequence[int] | None = None
    ) -> Figure:
        """Draw the pattern with its proof: see `samapprox.pictures.draw`.

        Parameters
        ----------
        path : path, optional
            File to write: png, svg or pdf.
        rows : sequence of int, optional
            Queries whose half-lines, lines or planes are drawn.

        Returns
        -------
        matplotlib Figure

        Raises
        ------
        InputError
            Too many entries, a row that is not there, or a file that cannot be written.

        Examples
        --------
        >>> from samapprox import decide
        >>> decide([[1, 0], [0, 1]]).draw().get_suptitle()
        'YES for d = 1'
        """
        from samapprox.pictures import draw, save_picture

        figure = draw(self.problem.pattern, self.proof, title=self.title, rows=rows)
        return save_picture(figure, path)

    # ---------------------------------------------------------------- documents

    def to_json(
        self,
        *,
        source: str | None = None,
        causal: bool = False,
        grading: Grading | None = None,
        precision: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the document of `decide --json`, whose schema is `samapprox schema verdict`.

        Parameters
        ----------
        source : str, optional
            The origin of the pattern.
        causal : bool
            Whether the pattern is the causal view of that source.
        grading : Grading, optional
            The rule that made entries of retrieval judgements.
        precision : mapping, optional
            By default that of `samapprox.precision.measure_precision`.

        Returns
        -------
        dict

        Examples
        --------
        >>> from samapprox import decide
        >>> decide([[1, 0], [0, 1]]).to_json()["answer"]
        'YES'
        """
        from samapprox.precision import measure_precision
        from samapprox.results.documents import VERDICT, write_matrix

        problem, pattern, proof = self.problem, self.problem.pattern, self.proof
        stars = pattern.unspecified
        return VERDICT.write(
            self,
            pattern=write_matrix(
                pattern.shape,
                source,
                ones=pattern.count,
                unspecified=0 if stars is None else int(stars.row_counts.sum()),
                grading=grading,
            ),
            problem={**problem.terms, "causal": causal},
            answer=self.status.value,
            weak_dimension={"lower": self.lower, "upper": self.upper},
            below=None if self.below is None else self.below.certificate,
            above=None if self.above is None else self.above.certificate,
            explanation=[] if proof is None else self.explain(),
            precision=precision or measure_precision(pattern, proof),
        )

    def _require_bounds(self) -> None:
        """Refuse bounds of other patterns, or on the wrong side."""
        d = self.problem.d
        for side, bound, status in (
            ("below", self.below, Status.NO),
            ("above", self.above, Status.YES),
        ):
            if bound is None:
                continue
            require_type(side, bound, Verdict, "a Verdict")
            smaller = bound.problem.d < d if side == "below" else bound.problem.d > d
            same = bound.problem.pattern == self.problem.pattern
            same &= bound.problem.similarity is self.problem.similarity
            if bound.status is not status or not smaller or not same:
                raise CertificateError(f"{bound.problem} does not bound {self.problem} from {side}")

    @property
    def is_about_coupling_alone(self) -> bool:
        """Whether the answer is NO, but says nothing about independent queries and keys."""
        return isinstance(self.proof, Obstruction) and self.proof.COUPLED_ONLY


def explain_under_title(verdict: Verdict) -> list[str]:
    """Return `Verdict.explain`, indented below a line with the answer.

    >>> from samapprox import decide
    >>> explain_under_title(decide([[1, 0], [0, 1]]))[0]
    'YES for d = 1:'
    """
    return [f"{verdict.title}:", *(f"  {line}" for line in verdict.explain())]


def bounds_in_words(lower: int, upper: int, similarity: Similarity = ATTENTION) -> str:
    """Describe bounds on the least dimension in words.

    >>> bounds_in_words(2, 7)
    '2 <= weak dimension <= 7'
    """
    what = similarity.dimension_name
    if lower == upper:
        return f"{what} = {lower}"
    return f"{lower} <= {what} <= {upper}"
