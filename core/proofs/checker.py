"""The exact checker: does this proof prove the answer for this pattern?

This is the part that users must trust, so it is short, uses whole numbers only and imports no
solver. Each check returns None when the proof holds, else one line that says where it fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from math import comb

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.embedding import Embedding, SelfAttention
from samapprox.proofs.exact import ExactArray, exact_matmul, largest
from samapprox.proofs.obstruction import (
    Chirotope,
    Counting,
    Forster,
    Obstruction,
    Radon,
    SharedChirotope,
    Shattering,
    SignClash,
)
from samapprox.proofs.orientation_clauses import (
    CLAUSES_A_RELATION,
    MOST_RANK,
    circuit_clauses,
    count_relations,
    kinds_fit,
    most_clauses,
    relation_clauses,
    sign_matrix,
)
from samapprox.proofs.rup import first_unfounded
from samapprox.proofs.token_clauses import most_token_clauses, token_clauses, token_variables
from samapprox.storage.packed import block_height

__all__ = ["MOST_CLAUSES", "Proof", "check", "first_mismatch", "proves_yes"]

Proof = Embedding | SelfAttention | Obstruction


def proves_yes(proof: Proof) -> bool:
    """Whether the proof is one of YES (an embedding) rather than of NO (an obstruction)."""
    return isinstance(proof, Embedding | SelfAttention)


def check(problem: Problem, proof: Proof) -> str | None:
    r"""Check a proof of YES or NO for a problem in exact arithmetic.

    Parameters
    ----------
    problem : Problem
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
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> check(problem, Radon(rows=[0, 1, 2], columns=[0, 1, 2])) is None
    True
    >>> check(problem, Radon(rows=[0, 1], columns=[0, 1, 2]))
    'the rows show 2 of the 3 ways to split the columns'
    """
    match proof:
        case Embedding():
            return _check_embedding(problem, proof)
        case SelfAttention():
            return _check_self_attention(problem, proof)
        case _:
            return _check_obstruction(problem, proof)


# ---------------------------------------------------------------- YES


def _check_embedding(problem: Problem, embedding: Embedding) -> str | None:
    if problem.coupled:
        return f"with {problem}, queries and keys share X: X, W_Q and W_K are needed"
    if embedding.dimension > problem.d:
        return f"the embedding has dimension {embedding.dimension}, more than d = {problem.d}"
    return _check_logits(problem.pattern, embedding)


def _check_self_attention(problem: Problem, attention: SelfAttention) -> str | None:
    if attention.dimension > problem.d:
        return f"W_Q and W_K have dimension {attention.dimension}, more than d = {problem.d}"
    if problem.d_hid is not None and attention.hidden_dimension > problem.d_hid:
        return f"X has d_hid = {attention.hidden_dimension}, more than {problem.d_hid}"
    return _check_logits(problem.pattern, attention.embedding())


def _check_logits(pattern: Pattern, embedding: Embedding) -> str | None:
    shape = len(embedding.queries), len(embedding.keys)
    if shape != pattern.shape:
        return f"the embedding is for {shape[0]} x {shape[1]}, the pattern is " + " x ".join(
            map(str, pattern.shape)
        )
    mismatch = first_mismatch(pattern, embedding)
    if mismatch is None:
        return None
    row, column = mismatch
    wanted = int(pattern.submatrix([row], [column])[0, 0])
    return (
        f"{pattern.row_label(row)} and {pattern.column_label(column)}: the entry is {wanted}, but "
        f"the logit is {'not ' if wanted else ''}above the row's threshold"
    )


def first_mismatch(pattern: Pattern, embedding: Embedding) -> tuple[int, int] | None:
    """The first specified entry (i, j) where S_ij = 1 and q_i . k_j > t_i do not agree, if any.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    embedding : Embedding
        With m queries and n keys.
    """
    if embedding.dimension == 1:
        return _first_mismatch_on_line(pattern, embedding)
    keys, thresholds = embedding.keys.T, embedding.thresholds
    step = block_height(8 * pattern.shape[1])
    for start in range(0, pattern.shape[0], step):
        logits = exact_matmul(embedding.queries[start : start + step], keys)
        above = logits > thresholds[start : start + step, None]
        block = pattern.block(start, start + step)
        wrong = (block != UNSPECIFIED) & (above != (block == 1))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            return start + int(row), int(column)
    return None


def _first_mismatch_on_line(pattern: Pattern, embedding: Embedding) -> tuple[int, int] | None:
    """`first_mismatch` for d = 1, by counting.

    q k > t holds on an end of the sorted keys: the first `length` of them when q < 0, all but the
    first `length` when q > 0. The row agrees iff that end holds all its ones and nothing but ones
    and unspecified entries.
    """
    order, lengths, upper = _ends(embedding)
    size = np.where(upper, pattern.shape[1] - lengths, lengths)
    inside = []
    for matrix in (pattern.ones, pattern.unspecified):
        if matrix is not None:
            first = matrix.prefix_counts(order, lengths)
            inside.append(np.where(upper, matrix.row_counts - first, first))
    wrong = np.flatnonzero((inside[0] != pattern.row_ones) | (sum(inside) != size))
    if not wrong.size:
        return None
    row = int(wrong[0])
    expected = np.zeros(pattern.shape[1], dtype=np.bool_)
    expected[order[lengths[row] :] if upper[row] else order[: lengths[row]]] = True
    entries = pattern.block(row, row + 1)[0]
    return row, int(np.flatnonzero((entries != UNSPECIFIED) & (expected != (entries == 1)))[0])


def _ends(embedding: Embedding) -> tuple[ExactArray, ExactArray, ExactArray]:
    """Column order by key; per row how many first keys it splits off, and on which side it lies."""
    keys, queries = embedding.keys[:, 0], embedding.queries[:, 0]
    thresholds = embedding.thresholds
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    positive, negative = queries > 0, queries < 0
    lengths = np.zeros(len(queries), dtype=np.int64)
    # q k > t  <=>  k > floor(t / q) for q > 0, and k < -floor(t / -q) for q < 0 (k is whole).
    lengths[positive] = np.searchsorted(
        ascending, thresholds[positive] // queries[positive], side="right"
    )
    lengths[negative] = np.searchsorted(
        ascending, -(thresholds[negative] // -queries[negative]), side="left"
    )
    upper = positive | (~negative & (thresholds < 0))  # a zero query: all keys or none
    return order, lengths, upper


# ---------------------------------------------------------------- NO


def _check_obstruction(problem: Problem, obstruction: Obstruction) -> str | None:
    rows, columns = problem.pattern.shape
    if max(obstruction.rows, default=0) >= rows or max(obstruction.columns, default=0) >= columns:
        return f"it names a row or column outside the {rows} x {columns} pattern"
    if obstruction.dimension < problem.d:
        return f"it excludes dimension {obstruction.dimension}, not d = {problem.d}"
    if len(obstruction.rows) * len(obstruction.columns) > _MOST_CORE_ENTRIES:
        return f"its core of {len(obstruction.rows)} x {len(obstruction.columns)} is too large"
    match obstruction:
        case Radon():
            return _check_radon(problem.pattern, obstruction)
        case Shattering():
            return _check_shattering(problem.pattern, obstruction)
        case Counting():
            return _check_counting(problem.pattern, obstruction)
        case Forster():
            return _check_forster(problem.pattern, obstruction)
        case Chirotope():
            return _check_chirotope(problem.pattern, obstruction)
        case SharedChirotope():
            return _check_shared_chirotope(problem, obstruction)
        case SignClash():
            return _check_sign_clash(problem, obstruction)


_MOST_CORE_ENTRIES = 1 << 22
"""Entries of the largest core that is read: honest ones have far fewer."""


def _check_radon(pattern: Pattern, radon: Radon) -> str | None:
    if len(radon.columns) - 1 > len(radon.rows).bit_length():  # too few, however they split
        return f"{len(radon.rows)} rows cannot split {len(radon.columns)} columns in every way"
    entries = pattern.submatrix(radon.rows, radon.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    normal = entries ^ entries[:, :1]  # a row and its complement split alike
    splits = {tuple(row) for row in normal.tolist() if any(row)}
    wanted = 2 ** (radon.dimension + 1) - 1
    if len(splits) < wanted:
        return f"the rows show {len(splits)} of the {wanted} ways to split the columns"
    return None


def _check_shattering(pattern: Pattern, shattering: Shattering) -> str | None:
    if len(shattering.rows) >= len(shattering.columns).bit_length():  # too few, whatever they show
        rows, columns = len(shattering.rows), len(shattering.columns)
        return f"{columns} columns cannot show every pattern on {rows} rows"
    entries = pattern.submatrix(shattering.rows, shattering.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    shown = {tuple(column) for column in entries.T.tolist()}
    wanted = 2 ** len(shattering.rows)
    if len(shown) < wanted:
        return f"the columns show {len(shown)} of the {wanted} patterns on the rows"
    return None


def _check_counting(pattern: Pattern, counting: Counting) -> str | None:
    entries = pattern.submatrix(counting.rows, counting.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    if not counting.columns:
        return "it names no columns"
    normal = entries ^ entries[:, :1]  # a row and its complement split alike
    shown = len({tuple(row) for row in normal.tolist() if any(row)}) + 1  # and not at all
    others, room = len(counting.columns) - 1, 0
    for i in range(min(counting.d, others) + 1):
        room += comb(others, i)
        if shown <= room:  # to add the rest may take for ever
            return f"it shows {shown} ways to split the columns; d = {counting.d} has room for them"
    return None


_MOST_PRODUCTS = 1 << 28
"""Products of the largest Gram matrix that is computed: a second's worth."""


def _check_forster(pattern: Pattern, proof: Forster) -> str | None:
    signs = sign_matrix(pattern.submatrix(proof.rows, proof.columns), "columns")
    rank, matrix, x, y = proof.d + 1, proof.matrix, proof.row_weights, proof.column_weights
    high = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    stacked = np.vstack([high, proof.padding])
    if stacked.size * stacked.shape[1] > _MOST_PRODUCTS:
        return f"its matrix of {len(stacked)} x {stacked.shape[1]} is too large to check"
    biggest = max(largest(stacked), largest(x), largest(y))
    if biggest**2 * len(stacked) >= 1 << 62:  # then no entry of the Gram matrix overflows
        return f"its numbers, of up to {biggest.bit_length()} bits, are too large to check"
    wrong = np.where(signs == 0, matrix != 0, signs * matrix < np.outer(x, y))
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        label = pattern.row_label(proof.rows[row - 1]) if row else "the row of +1"
        return (
            f"{label} and {pattern.column_label(proof.columns[column])}: the matrix is not of "
            + ("the entry's sign and at least the weights' product" if signs[row, column] else "0")
        )
    gram = np.abs(stacked.T @ stacked).astype(object)
    norm_squared = max(gram.sum(axis=1).tolist(), default=0)
    squares = [value**2 for value in x.tolist()]
    total = sum(squares) * sum(value**2 for value in y.tolist())
    free = (signs == 0).astype(np.int64) @ (y * y)
    left = total - rank * sum(a * b for a, b in zip(squares, free.tolist(), strict=True))
    if left <= 0 or left**2 <= rank**2 * total * norm_squared:
        return f"the norm is not shown to be too small for d = {proof.d}"
    return None


MOST_CLAUSES = 1_000_000
"""Clauses of the largest chirotope that is checked."""


def _check_chirotope(pattern: Pattern, proof: Chirotope) -> str | None:
    rank = proof.d + 1
    signs = sign_matrix(pattern.submatrix(proof.rows, proof.columns), proof.elements)
    elements = signs.shape[1]
    if elements <= rank:
        return f"{elements} elements of rank {rank} satisfy everything"
    if not kinds_fit(elements, rank):
        return f"its core of {elements} elements of rank {rank} is too large to check"
    chosen = None if isinstance(proof.relations, bool) else proof.relations
    most = most_clauses(elements, len(signs), rank, relations=proof.relations is True)
    most += CLAUSES_A_RELATION * len(chosen or ())
    if most > MOST_CLAUSES:
        return f"its core is too large to check: {most} clauses"
    if chosen and (fault := _no_such_relation(chosen[-1], elements, rank)) is not None:
        return fault
    fault = _beyond(proof.lemmas, comb(elements, rank))
    if fault is not None:
        return fault
    for number, polynomial in enumerate(proof.polynomials):
        fault = polynomial.fault(elements, rank)
        if fault is not None:
            return f"final polynomial {number}: {fault}"
    clauses = [circuit_clauses(signs, rank).tolist()]
    clauses.append([polynomial.clause for polynomial in proof.polynomials])
    if proof.relations and elements >= rank + 2:
        clauses.append(relation_clauses(elements, rank, chosen).tolist())
    # Mirroring space turns every orientation round, so the first may be taken as positive.
    return _refutation_fault(chain([[1]], *clauses), proof.lemmas)


def _no_such_relation(last: int, elements: int, rank: int) -> str | None:
    """Why there is no relation of that number, or too many of them to count; None if there is."""
    count = count_relations(elements, rank)
    if count > MOST_CLAUSES:
        return f"its core is too large to check: {count} relations"
    return f"there is no relation {last}: there are {count}" if last >= count else None


Lemmas = tuple[tuple[int, ...], ...]


def _beyond(lemmas: Lemmas, variables: int) -> str | None:
    for number, lemma in enumerate(lemmas):
        if any(abs(literal) > variables for literal in lemma):
            return f"lemma {number} names a variable beyond the {variables} orientations"
    return None


def _refutation_fault(clauses: Iterable[Sequence[int]], lemmas: Lemmas) -> str | None:
    unfounded = first_unfounded(clauses, lemmas)
    if unfounded is None:
        return None
    if unfounded == len(lemmas):
        return "the lemmas lead to no contradiction"
    return f"lemma {unfounded} does not follow by reverse unit propagation"


def _check_shared_chirotope(problem: Problem, proof: SharedChirotope) -> str | None:
    if not problem.coupled or problem.d_hid is None:
        return f"a shared chirotope is about queries and keys of one X, not {problem}"
    if problem.d_hid > proof.d_hid:
        return f"it excludes d_hid = {proof.d_hid}, not {problem.d_hid}"
    if proof.d_hid >= MOST_RANK:  # the clauses of the smallest cores are too many even to count
        return f"d_hid = {proof.d_hid} is too large to check"
    dimensions, sizes = (proof.d, proof.d_hid), (len(proof.rows), len(proof.columns))
    if max(sizes) + proof.d_hid - proof.d <= proof.d:
        return f"a core of {sizes[0]} x {sizes[1]} satisfies everything of rank {proof.d + 1}"
    most = most_token_clauses(*sizes, *dimensions, relations=proof.relations)
    if most > MOST_CLAUSES:
        return f"its core is too large to check: {most} clauses"
    fault = _beyond(proof.lemmas, token_variables(proof.rows, proof.columns, *dimensions))
    if fault is not None:
        return fault
    entries = problem.pattern.submatrix(proof.rows, proof.columns)
    blocks = token_clauses(
        entries, proof.rows, proof.columns, *dimensions, relations=proof.relations
    )
    # Reflecting X turns every orientation round, so the first may be taken as positive.
    clauses = chain([[1]], *(block.clauses.tolist() for block in blocks))
    return _refutation_fault(clauses, proof.lemmas)


def _check_sign_clash(problem: Problem, clash: SignClash) -> str | None:
    if problem.d_hid != 1:
        return f"a sign clash is about d = d_hid = 1, not {problem}"
    pattern = problem.pattern
    same_sign: dict[frozenset[int], bool] = {}
    for split in clash.splits:
        (p_first, p_second), (q_first, q_second) = pattern.submatrix(
            split.rows, split.columns
        ).tolist()
        if {p_first, p_second} != {0, 1} or {q_first, q_second} != {0, 1}:
            return f"rows {split.rows} do not both tell columns {split.columns} apart"
        same_sign[frozenset(split.rows)] = p_first == q_first
    for sign, (row, alike, unlike), wanted in (
        ("c > 0", clash.positive, [1, 0]),
        ("c < 0", clash.negative, [0, 1]),
    ):
        if alike != row and same_sign.get(frozenset((row, alike))) is not True:
            return f"for {sign}: nothing shows that tokens {row} and {alike} have the same sign"
        if same_sign.get(frozenset((row, unlike))) is not False:
            return f"for {sign}: nothing shows that tokens {row} and {unlike} have opposite signs"
        if pattern.submatrix([row], [alike, unlike])[0].tolist() != wanted:
            return f"for {sign}: row {row} is not {wanted} at columns {alike} and {unlike}"
    return None
