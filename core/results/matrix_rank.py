"""Results of a search for a rank of a sign matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args

from samapprox.problem import require_dimension
from samapprox.proofs.base import Proof, proves_yes
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.questions import Rank, RankKind
from samapprox.proofs.ranks.refutation import Form
from samapprox.results import (
    ProvenInterval,
    Status,
    name_interval,
    name_matrix,
    require_proof,
)
from samapprox.results.documents import (
    ANSWER,
    ATTEMPT,
    SECONDS,
    SIDES,
    describe_matrix,
    write_matrix,
)
from samapprox.results.verdict import Attempt
from samapprox.sign_matrix import SignMatrix
from samapprox.support.documents import Document, choice, flag, listed, record, whole


@dataclass(frozen=True)
class RankBound:
    r"""A proven bound on a rank; a proof that fails the exact checker is refused.

    Attributes
    ----------
    question : Rank
        The question whether this rank suffices.
    proof : Proof
        The proof of the answer.
    check_seconds : float
        Wall-clock time of the exact check.

    Raises
    ------
    CertificateError
        The proof does not hold: a bug in the search.

    Examples
    --------
    >>> from samapprox.proofs import Factors
    >>> matrix = SignMatrix.from_text("10\n01")
    >>> RankBound(Rank(matrix, 1), Factors([[1], [-1]], [[1], [-1]], [0, 0])).title
    'YES for sign-rank at most 1'
    """

    question: Rank
    proof: Proof
    check_seconds: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "check_seconds", require_proof(self.question, self.proof))

    @property
    def status(self) -> Status:
        """The answer that the proof gives: YES or NO."""
        return Status.YES if proves_yes(self.proof) else Status.NO

    @property
    def title(self) -> str:
        """The answer and the question."""
        return f"{self.status.value} for {self.question}"

    @cached_property
    def certificate(self) -> Certificate:
        """The proof bound to the matrix's fingerprint, to save and verify."""
        return Certificate.of(self.question, self.proof)

    def explain(self) -> list[str]:
        """Explain the proof in lines of text, below a line with the answer."""
        return [f"{self.title}:", *(f"  {line}" for line in self.proof.explain(self.question))]


@dataclass(frozen=True)
class MatrixRank(ProvenInterval[RankBound]):
    """Proven bounds on a rank of a sign matrix.

    Attributes
    ----------
    matrix : SignMatrix
        The matrix that was asked about.
    kind : {"sign", "global", "row"}
        See `samapprox.rank`.
    yes : RankBound or None
        YES for `upper`; None where nothing better than the trivial bound is written out.
    no : RankBound or None
        NO for `lower` - 1; None for `lower` = 1.
    trail : tuple of (str, int, Attempt)
        The form of the reduced pattern, the dimension, and a strategy's part in deciding it.

    Notes
    -----
    The property ``exact`` says whether the bounds meet; ``yes_certificate`` and ``no_certificate``
    are the certificates of the bounds, or None where a bound is trivial.

    Examples
    --------
    >>> from samapprox import rank
    >>> found = rank([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> found.lower, found.upper, found.exact
    (2, 2, True)
    """

    NO_TRUTH_VALUE = "a MatrixRank is neither true nor false; look at its exact or at_most"

    matrix: SignMatrix
    kind: RankKind
    yes: RankBound | None
    no: RankBound | None
    trail: tuple[tuple[Form, int, Attempt], ...] = ()

    @property
    def lower(self) -> int:
        """A proven lower bound."""
        return 1 if self.no is None else self.no.question.rank + 1

    @property
    def upper(self) -> int:
        """A proven upper bound."""
        if self.yes is not None:
            return self.yes.question.rank
        return trivial_rank(self.matrix.shape, self.kind)

    @property
    def seconds(self) -> float:
        """Wall-clock time of all strategies and of both checks."""
        checks = sum(side.check_seconds for side in self._sides)
        return checks + sum(attempt.seconds for _, _, attempt in self.trail)

    def at_most(self, rank: int) -> Status:
        """Answer the question whether the rank is at most a number.

        Parameters
        ----------
        rank : int
            The rank that is asked about.

        Examples
        --------
        >>> from samapprox import rank
        >>> rank([[1, 1], [1, 0]]).at_most(1)
        <Status.NO: 'NO'>
        """
        require_dimension("rank", rank)
        if self.upper <= rank:
            return Status.YES
        return Status.NO if self.lower > rank else Status.UNKNOWN

    # ---------------------------------------------------------------- words

    @property
    def headline(self) -> str:
        """The proven bounds, in one sentence.

        Examples
        --------
        >>> from samapprox import rank
        >>> rank([[1, 1], [1, 0]], kind="global").headline
        'The rank with one threshold of this 2 x 2 matrix is 1.'
        """
        name = _NAMES[self.kind]
        if self.exact:
            return f"The {name} of {self._this} is {self.lower}."
        return f"The {name} of {self._this} lies in {self.lower}..{self.upper}."

    def answer(self, rank: int) -> str:
        """Return the answer to the question whether the rank is at most a number, in one sentence.

        Parameters
        ----------
        rank : int
            The rank that is asked about.

        Examples
        --------
        >>> from samapprox import rank
        >>> rank([[1, 1], [1, 0]]).answer(1)
        'NO: the sign-rank of this 2 x 2 matrix is more than 1.'
        """
        status, name = self.at_most(rank), _NAMES[self.kind]
        if status is Status.UNKNOWN:
            bounds = f"it is proven to lie in {self.lower}..{self.upper}"
            return f"UNKNOWN: whether the {name} of {self._this} is at most {rank}; {bounds}."
        relation = "at most" if status is Status.YES else "more than"
        return f"{status.value}: the {name} of {self._this} is {relation} {rank}."

    def explain(self) -> list[str]:
        """Explain both bounds in words.

        Returns
        -------
        list of str

        Examples
        --------
        >>> from samapprox import rank
        >>> rank([[1, 1], [1, 0]]).explain()[0]
        'NO for sign-rank at most 1:'
        """
        return [line for side in self._sides for line in side.explain()]

    def __repr__(self) -> str:
        bounds = name_interval(self.lower, self.upper)
        return f"<MatrixRank: {_NAMES[self.kind]} {bounds} of {self._this}>"

    @property
    def _this(self) -> str:
        return name_matrix(self.matrix.shape, "matrix")

    # ---------------------------------------------------------------- documents

    def to_json(self, *, source: str | None = None, at_most: int | None = None) -> dict[str, Any]:
        """Return the document of `rank --json`, whose schema is `samapprox schema rank`.

        Parameters
        ----------
        source : str, optional
            The origin of the matrix.
        at_most : int, optional
            The rank that the user asks about.

        Returns
        -------
        dict

        Examples
        --------
        >>> from samapprox import rank
        >>> rank([[1, 1], [1, 0]]).to_json(at_most=1)["answer"]
        'NO'
        """
        return DOCUMENT.write(
            self,
            matrix=write_matrix(self.matrix.shape, source),
            at_most=at_most,
            answer=None if at_most is None else self.at_most(at_most).value,
            yes=self.yes_certificate,
            no=self.no_certificate,
            trail=[{"form": form, "d": d, **step.to_json()} for form, d, step in self.trail],
        )


def trivial_rank(shape: tuple[int, int], kind: RankKind) -> int:
    """Return a rank that suffices for every matrix of a shape: docs/theory/ranks.md.

    >>> trivial_rank((4, 4), "sign"), trivial_rank((4, 4), "row")
    (4, 3)
    """
    rows, columns = shape
    return max(1, min(rows, columns - 1)) if kind == "row" else min(rows, columns)


_NAMES: dict[RankKind, str] = {
    "sign": "sign-rank",
    "global": "rank with one threshold",
    "row": "rank with a threshold for each row",
}

DOCUMENT = Document(
    "rank",
    "What `samapprox rank --json` prints. Times in seconds.",
    {
        "matrix": describe_matrix(what="matrix"),
        "kind": choice(
            *_NAMES,
            about="The rank of B with the signs of B (sign), of B minus one threshold (global), "
            "or of B minus a threshold for each row (row).",
        ),
        "at_most": whole(1, "The rank of the question, if one was asked."),
        "answer": ANSWER | {"description": "Whether the rank is at most that."},
        "lower": whole(1, "No smaller rank suffices."),
        "upper": whole(1, "This rank does."),
        "exact": flag(),
        **SIDES,
        "trail": listed(
            record(
                form=choice(*get_args(Form), about="The form of the reduced pattern."),
                d=whole(1),
                **ATTEMPT,
            )
        ),
        "seconds": SECONDS,
    },
    optional=("at_most", "answer"),
)
