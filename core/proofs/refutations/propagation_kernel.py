"""Reverse unit propagation, compiled: for refutations of many thousand steps."""

from __future__ import annotations

from numba.extending import register_jitable

from samapprox.proofs.refutations import propagation
from samapprox.support.jit import compiled

__all__ = ["follow_compiled"]

register_jitable(propagation.propagate)
register_jitable(propagation.watch_two)
follow_compiled = compiled(propagation.follow)
"""`samapprox.proofs.refutations.propagation.follow` on arrays, some hundred times faster."""
