"""Instances under causal attention."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from samapprox.instance import Instance
from samapprox.pattern import UNSPECIFIED, Pattern

__all__ = ["causal_view"]


def causal_view(instance: Instance) -> Instance:
    r"""The instance with every entry above the diagonal *, whatever its rows.

    A row that sees no 1 becomes a row of ones as far as it sees, which asks for nothing: so what
    was known to be possible remains so (`Instance.causal` refuses such rows instead).

    Parameters
    ----------
    instance : Instance
        With as many queries as keys.

    Raises
    ------
    InputError
        Not square.

    Examples
    --------
    >>> print(causal_view(Instance(Pattern.from_text("010\n001\n010"))).pattern.to_text())
    1**
    11*
    010
    """
    entries = instance.pattern.to_array()
    seen = np.tri(*instance.pattern.shape, dtype=np.bool_)
    blind = ~((entries == 1) & seen).any(axis=1)
    entries[blind[:, None] & seen] = 1
    pattern = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
    return replace(instance, pattern=pattern).causal()
