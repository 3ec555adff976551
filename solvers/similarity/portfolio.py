"""The strategies for cosine similarity and Euclidean distance, in the order of a decision."""

from __future__ import annotations

from samapprox.solvers.portfolio import StrategyRecord
from samapprox.verdict import Status

__all__ = ["STRATEGIES"]

_YES = (Status.YES,)
_NO = (Status.NO,)
_EITHER = (Status.YES, Status.NO)
_HERE = "samapprox.solvers.similarity"
_CIRCULAR = "samapprox.solvers.circular"

STRATEGIES: tuple[StrategyRecord, ...] = (
    StrategyRecord("circular", f"{_CIRCULAR}.circular", _EITHER, complete=True, simplified=False),
    StrategyRecord("inscription", f"{_CIRCULAR}.inscription", _NO),
    StrategyRecord("halfspaces", f"{_HERE}.halfspaces", _EITHER, in_turns=True),
    StrategyRecord("sphere", f"{_HERE}.sphere", _YES, in_turns=True),
    StrategyRecord("exposed-keys", f"{_HERE}.exposed_keys", _NO, in_turns=True),
)
"""Records with `simplified` see equal rows and equal columns merged, but no complements."""
