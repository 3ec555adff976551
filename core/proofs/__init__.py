"""Proofs: their claims, their exact checks, and certificates that bind them to a pattern.

All kinds of proof can be imported from here; a module is loaded when its class is first used.

>>> from samapprox.proofs import Radon, check
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from samapprox.proofs.known_kinds import KNOWN_KINDS
from samapprox.support.lazy import lazy_modules

if TYPE_CHECKING:  # for tools that read types; at run time the table of kinds is asked
    from samapprox.proofs.base import Obstruction, Proof, Witness, proves_yes
    from samapprox.proofs.certificate import Certificate, Check
    from samapprox.proofs.checks import check
    from samapprox.proofs.kinds.chirotope import Chirotope
    from samapprox.proofs.kinds.components import Components, Copies
    from samapprox.proofs.kinds.counting import Counting
    from samapprox.proofs.kinds.embedding import Embedding, SelfAttention
    from samapprox.proofs.kinds.final_polynomial import FinalPolynomial, Step
    from samapprox.proofs.kinds.fits.hitting_set import Core, HittingSet, Packing
    from samapprox.proofs.kinds.fits.k_sets import KSets, SplitColumns
    from samapprox.proofs.kinds.fits.partial_embedding import PartialEmbedding
    from samapprox.proofs.kinds.forster import Forster
    from samapprox.proofs.kinds.margins.margin_dual import MarginDual
    from samapprox.proofs.kinds.margins.unit_embedding import UnitEmbedding
    from samapprox.proofs.kinds.merged import Merged
    from samapprox.proofs.kinds.moment_curve import MomentCurve
    from samapprox.proofs.kinds.radon import Radon
    from samapprox.proofs.kinds.ranks.factors import Factors
    from samapprox.proofs.kinds.ranks.refutation import RankRefutation, ReducedCase
    from samapprox.proofs.kinds.shared_chirotope import SharedChirotope
    from samapprox.proofs.kinds.shattering import Shattering
    from samapprox.proofs.kinds.sign_clash import SharedSplit, SignClash
    from samapprox.proofs.kinds.similarities.balls import Balls
    from samapprox.proofs.kinds.similarities.caps import Caps
    from samapprox.proofs.kinds.similarities.extended import Extended
    from samapprox.proofs.kinds.similarities.inscription import Inscription
    from samapprox.proofs.kinds.similarities.key_order import KeyOrder
    from samapprox.proofs.kinds.similarities.odd_cycle import OddCycle
    from samapprox.proofs.kinds.symmetry import Automorphism, Symmetry
    from samapprox.proofs.kinds.topological import Topological

__all__ = [
    "Automorphism",
    "Balls",
    "Caps",
    "Certificate",
    "Check",
    "Chirotope",
    "Components",
    "Copies",
    "Core",
    "Counting",
    "Embedding",
    "Extended",
    "Factors",
    "FinalPolynomial",
    "Forster",
    "HittingSet",
    "Inscription",
    "KSets",
    "KeyOrder",
    "MarginDual",
    "Merged",
    "MomentCurve",
    "Obstruction",
    "OddCycle",
    "Packing",
    "PartialEmbedding",
    "Proof",
    "Radon",
    "RankRefutation",
    "ReducedCase",
    "SelfAttention",
    "SharedChirotope",
    "SharedSplit",
    "Shattering",
    "SignClash",
    "SplitColumns",
    "Step",
    "Symmetry",
    "Topological",
    "UnitEmbedding",
    "Witness",
    "check",
    "proves_yes",
]

_HOMES = {
    "Automorphism": "kinds.symmetry",
    "Certificate": "certificate",
    "Check": "certificate",
    "Copies": "kinds.components",
    "Core": "kinds.fits.hitting_set",
    "FinalPolynomial": "kinds.final_polynomial",
    "Obstruction": "base",
    "Packing": "kinds.fits.hitting_set",
    "Proof": "base",
    "ReducedCase": "kinds.ranks.refutation",
    "SharedSplit": "kinds.sign_clash",
    "SplitColumns": "kinds.fits.k_sets",
    "Step": "kinds.final_polynomial",
    "Symmetry": "kinds.symmetry",
    "Witness": "base",
    "check": "checks",
    "proves_yes": "base",
}
"""Names that are no kind of proof -> the module below this package."""

_get_module, _list_names = lazy_modules(__name__)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    for kind in KNOWN_KINDS.values():
        if kind.name == name:
            return kind.load_class()
    return _get_module(name)


def __dir__() -> list[str]:
    return sorted({*_list_names(), *_HOMES, *(kind.name for kind in KNOWN_KINDS.values())})
