"""Proofs told in words: which rows and columns, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.checker import Proof
from samapprox.proofs.embedding import Embedding, SelfAttention
from samapprox.proofs.obstruction import (
    Chirotope,
    Counting,
    Forster,
    Radon,
    SharedChirotope,
    Shattering,
    SignClash,
)

__all__ = ["explain"]

_MOST_POINTS = 40
_MOST_TIED = 8


def explain(problem: Problem, proof: Proof) -> list[str]:
    r"""A proof as lines of text that name the pattern's rows and columns.

    Parameters
    ----------
    problem : Problem
    proof : Proof
        One that holds for the problem.

    Returns
    -------
    list of str

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n010\n001", row_names=["ann", "bob", "cy"])
    >>> for line in explain(Problem(pattern, 1), Radon([0, 1, 2], [0, 1, 2])):
    ...     print(line)
    On a line one key lies between two others; yet a row cuts off each of these:
                     column 0  column 1  column 2
      row 0 ('ann')         1         0         0
      row 1 ('bob')         0         1         0
      row 2 ('cy')          0         0         1
    """
    pattern = problem.pattern
    match proof:
        case Embedding() | SelfAttention():
            return _embedding(pattern, proof)
        case Radon():
            if proof.dimension == 1:
                why = "On a line one key lies between two others; yet a row cuts off each of these:"
            else:
                why = (
                    f"Any {len(proof.columns)} keys of dimension {proof.dimension} fall into two "
                    "parts with meeting convex hulls, which no query can tell apart; yet the rows "
                    "split these keys in every way:"
                )
            return [why, *_core(pattern, proof.rows, proof.columns)]
        case Shattering():
            pieces = 2 ** len(proof.rows)
            why = (
                f"{len(proof.rows)} queries of dimension {proof.dimension} cut the space into "
                f"fewer than {pieces} pieces; yet these keys must lie in {pieces} different ones:"
            )
            return [why, *_core(pattern, proof.rows, proof.columns)]
        case Counting():
            return [
                f"These rows split the {len(proof.columns)} keys in more ways than dimension "
                f"{proof.d} has room for:",
                *_core(pattern, proof.rows, proof.columns),
            ]
        case Forster():
            return [
                f"Query and key vectors of dimension {proof.d} can be moved so that the logits on "
                "these rows and columns",
                "are large on average; a matrix with the signs of the entries has so small a norm "
                "that they cannot be (Forster's theorem):",
                *_core(pattern, proof.rows, proof.columns),
            ]
        case Chirotope():
            return _chirotope(pattern, proof)
        case SharedChirotope():
            relations = " with the Grassmann-Pluecker relations" if proof.relations else ""
            return [
                f"Queries and keys are images of one X of {proof.d_hid} columns, so their "
                f"orientations{_in_dimension(proof)} agree around the origin;",
                f"the entries forbid all ways to choose them{relations} (a refutation in "
                f"{len(proof.lemmas)} steps, each by unit propagation):",
                *_core(pattern, proof.rows, proof.columns),
            ]
        case SignClash():
            return _sign_clash(pattern, proof)


def _in_dimension(proof: SharedChirotope) -> str:
    """Where d is not d_hid."""
    return "" if proof.d == proof.d_hid else f" in dimension {proof.d}"


def _embedding(pattern: Pattern, proof: Embedding | SelfAttention) -> list[str]:
    embedding = proof.embedding() if isinstance(proof, SelfAttention) else proof
    lines = []
    if isinstance(proof, SelfAttention):
        lines.append(
            f"X is {len(proof.X)} x {proof.hidden_dimension}; W_Q and W_K are "
            f"{proof.hidden_dimension} x {proof.dimension}."
        )
    if proof.dimension == 1:
        lines.append(
            f"Every row is one end of this order of the keys: {_order(pattern, embedding)}"
        )
    else:
        lines.append(f"Integer queries, keys and thresholds of dimension {proof.dimension}.")
    return lines


def _order(pattern: Pattern, embedding: Embedding) -> str:
    """Columns by key, least first; those at one point are joined by "="."""
    keys = embedding.keys[:, 0]
    order = np.argsort(keys, kind="stable").tolist()
    points = [list(group) for _, group in groupby(order, key=keys.tolist().__getitem__)]
    shown = [_point(pattern, columns) for columns in points[:_MOST_POINTS]]
    rest = sum(map(len, points[_MOST_POINTS:]))
    return " < ".join(shown) + (f" < .. and {rest} more" if rest else "")


def _point(pattern: Pattern, columns: Sequence[int]) -> str:
    names = pattern.column_names
    labels = [
        str(column) if names is None else f"{column} {names[column]!r}"
        for column in columns[:_MOST_TIED]
    ]
    if len(columns) > _MOST_TIED:
        labels[-1] = f".. ({len(columns)} keys at one point)"
    return " = ".join(labels)


def _chirotope(pattern: Pattern, proof: Chirotope) -> list[str]:
    elements = "keys" if proof.elements == "columns" else "queries"
    simplices = {1: "pair", 2: "triangle", 3: "tetrahedron"}.get(proof.d, "simplex")
    relations = " with the Grassmann-Pluecker relations" if proof.relations else ""
    if proof.polynomials:
        count = len(proof.polynomials)
        relations += f" and {count} final polynomial{'s' * (count != 1)}"
    return [
        f"Every {simplices} of these {elements} has an orientation; the entries forbid all ways "
        f"to choose them{relations}",
        f"(a refutation in {len(proof.lemmas)} steps, each by unit propagation):",
        *_core(pattern, proof.rows, proof.columns),
    ]


_MOST_CORE = 24


def _core(pattern: Pattern, rows: Sequence[int], columns: Sequence[int]) -> list[str]:
    """The named submatrix as a table."""
    if len(rows) > _MOST_CORE or len(columns) > _MOST_CORE:
        return [f"  rows {list(rows)}", f"  columns {list(columns)}"]
    entries = pattern.submatrix(rows, columns).tolist()
    heads = [pattern.column_label(column) for column in columns]
    labels = [pattern.row_label(row) for row in rows]
    margin = max(map(len, labels))
    table = [" " * margin + "".join(f"  {head}" for head in heads)]
    for label, values in zip(labels, entries, strict=True):
        marks = ("*" if value == UNSPECIFIED else value for value in values)
        cells = (f"  {value:>{len(head)}}" for value, head in zip(marks, heads, strict=True))
        table.append(label.ljust(margin) + "".join(cells))
    return [f"  {line}" for line in table]


def _sign_clash(pattern: Pattern, clash: SignClash) -> list[str]:
    lines = ["With d = d_hid = 1 the logits are c x_i x_j, and the rows settle these signs:"]
    for split in clash.splits:
        (first, _), (second, _) = pattern.submatrix(split.rows, split.columns).tolist()
        p, q = split.rows
        lines.append(
            f"  x_{p} and x_{q} have {'the same sign' if first == second else 'opposite signs'}: "
            f"{pattern.row_label(p)} and {pattern.row_label(q)} "
            f"{'agree' if first == second else 'disagree'} about columns "
            f"{split.columns[0]} and {split.columns[1]}."
        )
    for (row, alike, unlike), relation in ((clash.positive, ">"), (clash.negative, "<")):
        wins, loses = (alike, unlike) if relation == ">" else (unlike, alike)
        lines.append(
            f"  {pattern.row_label(row)} prefers {pattern.column_label(wins)} to "
            f"{pattern.column_label(loses)}, though "
            + (
                f"x_{alike} x_{row} > 0 > x_{unlike} x_{row}"
                if alike != row
                else f"x_{unlike} x_{row} < 0"
            )
            + f": c {relation} 0."
        )
    lines.append("  Both cannot be.")
    lines.extend(_core(pattern, clash.rows, clash.columns))
    return lines
