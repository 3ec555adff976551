"""Reading of the question whether dimension d can represent a pattern."""

from __future__ import annotations

from typing import Any

from samapprox.proofs.documents import Part

__all__ = ["read_terms"]


def read_terms(part: Part) -> dict[str, Any]:
    """Read d, d_hid, and the similarity, which documents may leave out.

    Raises
    ------
    InputError

    Examples
    --------
    >>> read_terms(Part({"d": 2, "d_hid": None}, "the problem"))
    {'d': 2, 'd_hid': None}
    """
    part.refuse_others(("task", "d", "d_hid", "similarity"))
    terms = {"d": part.get("d", int), "d_hid": part.get("d_hid", (int, type(None)))}
    if part.has("similarity"):
        terms["similarity"] = part.get("similarity", str)
    return terms
