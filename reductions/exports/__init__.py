"""Refutations for other people's checkers: clauses in DIMACS, and their proof in DRAT or LRAT.

A new kind of proof is one module beside these, and one line in `EXPORTS`.
"""

from samapprox.reductions.exports.known_exports import EXPORTS, PROOF_FORMATS, Export, export
from samapprox.support.lazy import lazy_modules

__all__ = ["EXPORTS", "PROOF_FORMATS", "Export", "export"]

__getattr__, __dir__ = lazy_modules(__name__)
