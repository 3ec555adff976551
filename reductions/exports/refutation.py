"""A refutation of clauses, with the reason for each clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axioms", "Refutation"]


@dataclass(frozen=True, slots=True, eq=False)
class Axioms:
    """Clauses that follow from the pattern for one reason.

    Attributes
    ----------
    reason : str
        A lemma of docs/theory/certificates.md, and what it says.
    clauses : ndarray of int, shape (count, length)
        DIMACS literals, no variable twice in a clause.
    origin : callable
        From the number of a clause to the part of the pattern that it follows from.
    is_stated : bool
        Whether the clauses follow from data of the certificate that the comments repeat, and from
        no part of the pattern alone: final polynomials and automorphisms.
    """

    reason: str
    clauses: NDArray[np.integer]
    origin: Callable[[int], str]
    is_stated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Refutation:
    """Clauses that some embedding satisfies if there is any, and lemmas that contradict them.

    Attributes
    ----------
    notes : sequence of str
        The meaning of the variables, in lines.
    variables : int
        The largest variable.
    name : callable
        From a variable to its meaning.
    axioms : sequence of Axioms
    lemmas : sequence of clauses
        Each follows by unit propagation; the empty clause at the end is understood.
    details : mapping
        The core and what else identifies the clauses, as JSON.

    Examples
    --------
    >>> axioms = Axioms("An example.", np.array([[1], [-1]]), "clause {}".format)
    >>> refutation = Refutation(["Nothing."], 1, "variable {}".format, [axioms], [], {})
    >>> refutation.axioms[0].origin(1)
    'clause 1'
    """

    notes: Sequence[str]
    variables: int
    name: Callable[[int], str]
    axioms: Sequence[Axioms]
    lemmas: Sequence[Sequence[int]]
    details: dict[str, Any]
