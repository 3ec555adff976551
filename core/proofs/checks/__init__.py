"""The exact checks of proofs.

This folder must be trusted, with what it imports: the classes of the proofs, exact arithmetic, and
the pattern with its storage. It uses whole numbers only and imports no solver. Each kind of proof
has its check in a module of its own, a function ``find_fault(question, proof)`` that returns None
when the proof holds, else one line that says where it fails.
"""

from __future__ import annotations

from samapprox.problem import Problem, Question
from samapprox.proofs.base import Obstruction, Proof
from samapprox.proofs.known_kinds import KNOWN_KINDS, KnownKind
from samapprox.similarities import ATTENTION
from samapprox.support.lazy import lazy_modules

__all__ = ["check"]

__getattr__, __dir__ = lazy_modules(__name__)

_MOST_ENTRIES = 1 << 22
"""Entries that the largest proof reads, mostly all of its core: honest ones have far fewer."""


def check(question: Question, proof: Proof) -> str | None:
    r"""Check a proof of YES or NO for a question in exact arithmetic.

    Parameters
    ----------
    question : Question
        A `Problem`, or another question of `samapprox.proofs.known_questions`.
    proof : Proof

    Returns
    -------
    str or None
        None when the proof holds; else why it does not, in one line.

    Notes
    -----
    Obstructions cost what they name; chirotopes unit propagation over their clauses.
    Embeddings cost O(m n / 64) word operations for d = 1 (O(ones)
    for sparse patterns), O(m n d) otherwise.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import Radon
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> check(problem, Radon(rows=[0, 1, 2], columns=[0, 1, 2])) is None
    True
    >>> check(problem, Radon(rows=[0, 1], columns=[0, 1, 2]))
    'the rows make 2 of the 3 splits of the columns'
    """
    kind = KNOWN_KINDS.get(proof.KIND)
    if kind is None or type(proof) is not kind.load_class():
        return f"there is no check for a proof of kind {proof.KIND}"
    if fault := _find_fault_of_question(question, kind, proof):
        return fault
    if isinstance(proof, Obstruction) and (fault := _find_fault_of_scope(question, proof)):
        return fault
    return kind.load_check()(question, proof)


def _find_fault_of_question(question: Question, kind: KnownKind, proof: Proof) -> str | None:
    """Check that proofs of the kind answer this question, with its similarity."""
    if kind.task != question.TASK:
        return f"a proof of kind {proof.KIND} answers the task {kind.task}, not {question.TASK}"
    similarity = getattr(question, "similarity", ATTENTION).name
    if similarity not in kind.similarities:
        known = ", ".join(kind.similarities)
        return f"a proof of kind {proof.KIND} is about the similarity {known}, not {similarity}"
    return None


def _find_fault_of_scope(question: Question, obstruction: Obstruction) -> str | None:
    """Check that an obstruction names existing lines, excludes this d and is not too large."""
    rows, columns = question.pattern.shape
    if max(obstruction.rows, default=0) >= rows or max(obstruction.columns, default=0) >= columns:
        return f"it names a row or column outside the {rows} x {columns} pattern"
    if isinstance(question, Problem) and obstruction.dimension < question.d:
        return f"it excludes dimension {obstruction.dimension}, not d = {question.d}"
    if obstruction.size > _MOST_ENTRIES:
        return f"it reads {obstruction.size} entries, more than {_MOST_ENTRIES}: too large to check"
    return None
