"""The known families."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from samapprox.instance import Instance
from samapprox.reductions.families.causal import causal_view
from samapprox.support.lookup import look_up

__all__ = ["FAMILIES", "family", "generate"]

_HERE = "samapprox.reductions.families"

FAMILIES = {
    "line": f"{_HERE}.line:line",
    "line-broken": f"{_HERE}.line_broken:line_broken",
    "line-coupled": f"{_HERE}.line_coupled:line_coupled",
    "coupled": f"{_HERE}.coupled:coupled",
    "random": f"{_HERE}.random:random",
    "sparse-rows": f"{_HERE}.sparse_rows:sparse_rows",
    "permutations": f"{_HERE}.permutations:permutations",
    "halfspaces": f"{_HERE}.halfspaces:halfspaces",
    "halfspaces-flipped": f"{_HERE}.halfspaces:halfspaces_flipped",
    "shattered": f"{_HERE}.shattered:shattered",
    "hadamard": f"{_HERE}.hadamard:hadamard",
    "projective-plane": f"{_HERE}.projective_plane:projective_plane",
    "shattered-causal": f"{_HERE}.shattered:shattered_causal",
    "stretch": f"{_HERE}.stretch:stretch",
    "topes": f"{_HERE}.topes:topes",
    "arcs": f"{_HERE}.arcs:arcs",
    "all-subsets": f"{_HERE}.all_subsets:all_subsets",
    "identity": f"{_HERE}.communication:identity",
    "equality": f"{_HERE}.communication:equality",
    "greater-than": f"{_HERE}.communication:greater_than",
    "disjointness": f"{_HERE}.communication:disjointness",
    "sign-vectors": f"{_HERE}.communication:sign_vectors",
    "mask": f"{_HERE}.mask:mask",
}
"""Family name -> module and function, imported when used."""


def family(name: str) -> Callable[..., Instance]:
    """Return the function of a family.

    Raises
    ------
    InputError
        No such family.

    Examples
    --------
    >>> family("all-subsets").__name__
    'all_subsets'
    """
    return cast(Callable[..., Instance], look_up(name, FAMILIES, "family"))


def generate(
    name: str, *, causal: bool = False, **parameters: int | float | str | bool
) -> Instance:
    """Generate an instance of a family by name.

    Parameters
    ----------
    name : str
        One of `FAMILIES`.
    causal : bool
        Make every entry above the diagonal *, see `causal_view`.
    **parameters
        Those of the family's function.

    Raises
    ------
    InputError
        No such family, parameters out of range, or a causal pattern that is not square.

    Examples
    --------
    >>> instance = generate("line", rows=3, columns=5, seed=1)
    >>> instance.pattern.shape, [fact.answer for fact in instance.facts]
    ((3, 5), ['YES'])
    """
    instance = family(name)(**parameters)
    return causal_view(instance) if causal else instance
