"""The exact check of proofs.

It uses whole numbers only and imports no solver. What it imports must be trusted: the kinds of
proof, exact arithmetic, and the pattern with its storage. For stacks of small patterns at d = 1,
array operations check the same statements.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import require_type
from samapprox.problem import Problem, Question
from samapprox.proofs import KNOWN_KINDS
from samapprox.proofs.base import Obstruction, Proof, Witness

_MOST_ENTRIES = 1 << 22
"""The most entries that a checked proof may read, mostly its core; honest ones read far fewer."""


def check(question: Question, proof: Proof) -> str | None:
    r"""Check a proof of YES or NO for a question in exact arithmetic.

    Parameters
    ----------
    question : Question
        A `Problem`, or another question of `samapprox.proofs.questions`.
    proof : Proof
        A proof of any kind; a kind for another question or another similarity proves nothing here.

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
    require_type("the proof", proof, Proof, "a proof")
    require_type("the question", question, Question, "a question, such as a Problem")
    kind = KNOWN_KINDS.get(proof.KIND)
    if kind is None or type(proof) is not kind.load_class():
        return f"there is no check for a proof of kind {proof.KIND}"
    if fault := _find_fault_of_question(question, proof):
        return fault
    if isinstance(proof, Obstruction) and (fault := _find_fault_of_core(question, proof)):
        return fault
    if isinstance(question, Problem) and (fault := _find_fault_of_dimension(question, proof)):
        return fault
    return proof.find_fault(question)


def _find_fault_of_question(question: Question, proof: Proof) -> str | None:
    """Check that proofs of the kind answer this question, with its similarity.

    No other place decides this: a kind is right for the similarities that it names, and no other.
    """
    if question.TASK != proof.TASK:
        return f"a proof of kind {proof.KIND} answers the task {proof.TASK}, not {question.TASK}"
    similarity = question.similarity.name
    if similarity not in proof.SIMILARITIES:
        known = ", ".join(proof.SIMILARITIES)
        return f"a proof of kind {proof.KIND} is about the similarity {known}, not {similarity}"
    return None


def _find_fault_of_dimension(problem: Problem, proof: Proof) -> str | None:
    """Check that an obstruction excludes this d, or that a witness needs no larger one.

    Where queries and keys share X, a witness must say of what X they are images.
    """
    if not isinstance(proof, Witness):
        if proof.dimension < problem.d:
            return f"it excludes dimension {proof.dimension}, not d = {problem.d}"
    elif problem.coupled and not proof.SHARES_X:
        return f"with {problem}, queries and keys share X: X, W_Q and W_K are needed"
    elif proof.dimension > problem.d:
        return f"it has dimension {proof.dimension}, more than d = {problem.d}"
    return None


def _find_fault_of_core(question: Question, obstruction: Obstruction) -> str | None:
    """Check that an obstruction names existing lines and is not too large."""
    rows, columns = question.pattern.shape
    if max(obstruction.rows, default=0) >= rows or max(obstruction.columns, default=0) >= columns:
        return f"it names a row or column outside the {rows} x {columns} pattern"
    if obstruction.size > _MOST_ENTRIES:
        return f"it reads {obstruction.size} entries, more than {_MOST_ENTRIES}: too large to check"
    return None


def check_embeddings(
    stack: NDArray[np.uint8],
    keys: NDArray[np.integer],
    queries: NDArray[np.integer],
    thresholds: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Return whether q_i k_j > t_i exactly where S_ij = 1, for every pattern of a stack.

    `keys` (shape (N, n)): products of keys and queries must fit the integer type.
    """
    above = queries[:, :, None] * keys[:, None, :] > thresholds[:, :, None]
    return np.asarray((above == stack.view(np.bool_)).all(axis=(1, 2)))


def check_cores(
    stack: NDArray[np.uint8], rows: NDArray[np.integer], columns: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Return whether the named rows and columns forbid d = 1, for every pattern of a stack.

    `rows` (shape (N, 3)): three rows for a Radon core; two and -1 for a shattering. `columns`
    (shape (N, 4)): three columns and -1, or four.
    """
    holds = np.zeros(len(stack), dtype=np.bool_)
    radon = rows[:, 2] >= 0
    holds[radon] = _split_in_every_way(_cores(stack, rows, columns, radon, 3, 3))
    holds[~radon] = _shattered(_cores(stack, rows, columns, ~radon, 2, 4))
    return holds


def _cores(
    stack: NDArray[np.uint8],
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    chosen: NDArray[np.bool_],
    height: int,
    width: int,
) -> NDArray[np.uint8]:
    """Return the named submatrices of the chosen patterns, shape (chosen, height, width).

    A core that does not exist (a negative index) comes out as zeros, which prove nothing.
    """
    chosen_rows, chosen_columns = rows[chosen, :height], columns[chosen, :width]
    cores: NDArray[np.uint8] = stack[
        np.flatnonzero(chosen)[:, None, None], chosen_rows[:, :, None], chosen_columns[:, None, :]
    ]
    cores[(chosen_rows < 0).any(axis=1) | (chosen_columns < 0).any(axis=1)] = 0
    return cores


def _split_in_every_way(cores: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether three rows split three columns in all 3 ways."""
    normal = cores ^ cores[:, :, :1]  # a row and its complement split alike
    shown = np.bitwise_or.reduce(1 << (2 * normal[:, :, 1] + normal[:, :, 2]), axis=1)
    return np.asarray(shown & 0b1110 == 0b1110)


def _shattered(cores: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether four columns show all four 0/1 pairs on two rows."""
    shown = np.bitwise_or.reduce(1 << (2 * cores[:, 0, :] + cores[:, 1, :]), axis=1)
    return np.asarray(shown == 0b1111)
