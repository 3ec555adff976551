"""Descriptions of instances, without any decision."""

from __future__ import annotations

from typing import Any

from samapprox.instance import Instance
from samapprox.problem import Problem
from samapprox.proofs.simplify import simplify
from samapprox.sign_matrix import SignMatrix

__all__ = ["describe"]

MOST_MERGED = 50_000_000
"""Entries of the largest pattern whose equal rows and columns are merged."""


def describe(instance: Instance) -> dict[str, Any]:
    r"""Describe sizes, fingerprint, known facts and origin, as `show` prints them.

    Parameters
    ----------
    instance : Instance

    Returns
    -------
    dict
        All but the head and the parts of the document that `schemas/show.schema.json` describes.

    Notes
    -----
    O(m n) time. Patterns of more than `MOST_MERGED` entries are not simplified, and neither are
    sign matrices.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> facts = describe(Instance(Pattern.from_text("100\n011\n010")))
    >>> facts["ones a row"], facts["merged"]
    ('1..2', '2 x 3')
    """
    pattern = instance.pattern
    stars = pattern.unspecified
    rows, columns = pattern.shape
    is_small = rows * columns <= MOST_MERGED and not isinstance(pattern, SignMatrix)
    small = simplify(pattern).pattern if is_small else None
    return {
        "rows": rows,
        "columns": columns,
        "ones": pattern.count,
        "unspecified": 0 if stars is None else int(stars.row_counts.sum()),
        "density": round(pattern.density, 6),
        "ones a row": f"{pattern.row_ones.min()}..{pattern.row_ones.max()}",
        "merged": None if small is None else f"{small.shape[0]} x {small.shape[1]}",
        "sha256": pattern.sha256,
        "known": [
            f"{fact.answer} for {Problem(pattern, fact.d, fact.d_hid)}: {fact.reason}"
            for fact in instance.facts
        ],
        "origin": [f"{name} = {value}" for name, value in instance.origin.items()],
    }
