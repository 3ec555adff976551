"""Families of instances, one per file: functions from parameters and a seed to an Instance.

A new family is one module beside these, and one line in `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Instance
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.support.packages import lazy_modules, load_object, look_up
from samapprox.support.parameters import match_parameters

__all__ = ["FAMILIES", "generate"]

_HERE = __name__

FAMILIES = {
    "line": f"{_HERE}.line:line",
    "line-broken": f"{_HERE}.line:line_broken",
    "line-coupled": f"{_HERE}.line:line_coupled",
    "coupled": f"{_HERE}.halfspaces:coupled",
    "random": f"{_HERE}.random:random",
    "sparse-rows": f"{_HERE}.random:sparse_rows",
    "permutations": f"{_HERE}.random:permutations",
    "halfspaces": f"{_HERE}.halfspaces:halfspaces",
    "halfspaces-flipped": f"{_HERE}.halfspaces:halfspaces_flipped",
    "shattered": f"{_HERE}.subsets:shattered",
    "hadamard": f"{_HERE}.designs:hadamard",
    "projective-plane": f"{_HERE}.designs:projective_plane",
    "shattered-causal": f"{_HERE}.subsets:shattered_causal",
    "stretch": f"{_HERE}.arrangements:stretch",
    "topes": f"{_HERE}.arrangements:topes",
    "arcs": f"{_HERE}.line:arcs",
    "all-subsets": f"{_HERE}.subsets:all_subsets",
    "identity": f"{_HERE}.communication:identity",
    "equality": f"{_HERE}.communication:equality",
    "greater-than": f"{_HERE}.communication:greater_than",
    "disjointness": f"{_HERE}.communication:disjointness",
    "sign-vectors": f"{_HERE}.communication:sign_vectors",
    "hamming": f"{_HERE}.communication:hamming",
    "gap-hamming": f"{_HERE}.communication:gap_hamming",
    "mask": f"{_HERE}.mask:mask",
    "all": f"{_HERE}.all_patterns:all_patterns",
}
"""Family name -> module and function, imported when used."""

COUNTED = {"all": f"{_HERE}.all_patterns:count_patterns"}
"""Families whose instances have a ``number`` -> the function that counts them."""


def family(name: str) -> Callable[..., Instance]:
    """Return the function of a family."""
    return cast(Callable[..., Instance], look_up(name, FAMILIES, "family"))


def successor(name: str) -> str | None:
    """Return the parameter of a family that successive instances count up; None without one.

    >>> successor("line"), successor("all"), successor("identity")
    ('seed', 'number', None)
    """
    if name in COUNTED:
        return "number"
    return "seed" if "seed" in signature(family(name)).parameters else None


def count_from(name: str, parameters: Mapping[str, Any]) -> int:
    """Return the number of successive instances, by default: 1, or all from ``number`` on.

    >>> count_from("line", {"rows": 3}), count_from("all", {"rows": 2, "columns": 2, "number": 1})
    (1, 3)
    """
    if name not in COUNTED:
        return 1
    shared = dict(parameters)
    number = int(shared.pop("number", 0))
    return max(1, int(load_object(COUNTED[name])(**shared)) - number)


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

    Returns
    -------
    Instance
        The pattern, with the facts that its construction proves.

    Raises
    ------
    InputError
        No such family or parameter, a parameter of another type or out of range, or a causal
        pattern that is not square.

    Examples
    --------
    >>> instance = generate("line", rows=3, columns=5, seed=1)
    >>> instance.pattern.shape, [fact.answer for fact in instance.facts]
    ((3, 5), ['YES'])
    """
    make = family(name)
    instance = make(**match_parameters(name, make, parameters))
    return causal_view(instance) if causal else instance


def causal_view(instance: Instance) -> Instance:
    r"""Return the instance with every entry above the diagonal *, for any rows.

    A row that sees no 1 becomes a row of ones as far as it sees, which asks for nothing: so what
    was known to be possible remains so (`Instance.causal` refuses such rows instead).
    """
    blind = _first_ones(instance.pattern) > np.arange(instance.pattern.shape[0])
    if not blind.any():
        return instance.causal()
    entries = instance.pattern.to_array()
    entries[blind[:, None] & np.tri(*instance.pattern.shape, dtype=np.bool_)] = 1
    pattern = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
    return replace(instance, pattern=pattern).causal()


def _first_ones(pattern: Pattern) -> NDArray[np.int64]:
    """Return the column of each row's first 1, block by block."""
    starts = np.cumsum(pattern.row_ones) - pattern.row_ones
    first = np.empty(len(starts), dtype=np.int64)
    passed = 0
    for columns in pattern.ones.indices():
        here = slice(*np.searchsorted(starts, (passed, passed + len(columns))))
        first[here] = columns[starts[here] - passed]
        passed += len(columns)
    return first


__getattr__, __dir__ = lazy_modules(__name__)
