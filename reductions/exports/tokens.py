"""The refutation in a proof of kind shared-chirotope."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.refutations.orientation_clauses import unrank_subsets
from samapprox.proofs.refutations.shared_chirotope import SharedChirotope
from samapprox.proofs.refutations.token_clauses import (
    NO_LINE,
    TokenClauses,
    token_clauses,
    token_variables,
)
from samapprox.reductions.exports.orientations import MIRROR
from samapprox.reductions.exports.refutation import Axioms, Refutation

_NOTES = (
    "X is x = (p, u, v): queries (p, u), keys (p, v), logits (p_i, u_i) C (p_j, v_j), thresholds "
    "t_i (docs/theory/coupled.md).",
    "chi T is true if the determinant of the keys T is positive: o is (0, 0, 1), e1, e2, .. the "
    "unit vectors of v, columns (p, v, 1).",
    "psi T is the same for queries: o is (0, 0, 1), f1, f2, .. the unit vectors of u, rows (p, u, "
    "-t).",
)
_REASON = (
    "Lemma 9 (tokens), by Lemma 3 (circuits) or Lemma 4 (Grassmann-Pluecker relations) for queries "
    "or keys."
)


def refutation_of(proof: SharedChirotope, pattern: Pattern) -> Refutation:
    r"""Build the clauses of the check, each with its reason."""
    blocks = token_clauses(
        pattern.submatrix(proof.rows, proof.columns),
        proof.rows,
        proof.columns,
        proof.d,
        proof.d_hid,
        relations=proof.relations,
    )
    axioms = [Axioms(MIRROR, np.array([[1]]), lambda _: "the first orientation")]
    axioms += [Axioms(_REASON, block.clauses, _origin(proof, block)) for block in blocks]
    details = {
        "excludes": {"d": proof.d, "d_hid": proof.d_hid},
        "core": {"rows": list(proof.rows), "columns": list(proof.columns)},
    }
    last = token_variables(proof.rows, proof.columns, proof.d, proof.d_hid)
    return Refutation(_NOTES, last, _names(proof), axioms, proof.lemmas, details)


def _origin(proof: SharedChirotope, block: TokenClauses) -> Callable[[int], str]:
    """Return the rows and columns that each clause of a block is about."""
    rows = len(proof.rows)

    def origin(clause: int) -> str:
        lines = sorted({line for line in block.lines[clause].tolist() if line != NO_LINE})
        about = {
            "rows": [str(proof.rows[line]) for line in lines if line < rows],
            "columns": [str(proof.columns[line - rows]) for line in lines if line >= rows],
        }
        parts = [f"{name} {' '.join(numbers)}" for name, numbers in about.items() if numbers]
        return ", ".join(parts) or "all queries or all keys"

    return origin


def _names(proof: SharedChirotope) -> Callable[[int], str]:
    """Return the meanings of the variables, in the order of docs/theory/checks.md."""
    rank, extra = proof.d + 1, proof.d_hid - proof.d
    unit_keys = [f"e{k + 1}" for k in range(extra)]
    unit_queries = [f"f{k + 1}" for k in range(extra)]
    keys = ["o", *unit_keys, *map(str, proof.columns)]
    queries = ["o", *unit_queries, *map(str, proof.rows)]
    chi, psi = comb(len(keys), rank), comb(len(queries), rank)
    signs = [f"s {row}" for row in proof.rows]
    signs += [f"y {row} {unit}" for row in proof.rows for unit in unit_keys]
    signs += [f"z {column} {unit}" for column in proof.columns for unit in unit_queries]
    signs += [f"w {first} {second}" for first in unit_queries for second in unit_keys]

    def name(variable: int) -> str:
        place = variable - 1
        if place >= chi + psi:
            return signs[place - chi - psi]
        letter, elements = ("chi", keys) if place < chi else ("psi", queries)
        subset = unrank_subsets(np.array([place if place < chi else place - chi]), rank)[0]
        return f"{letter} {' '.join(elements[element] for element in subset)}"

    return name
