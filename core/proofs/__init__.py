"""Proofs: their claims, their exact checks, and certificates that bind them to a pattern.

All kinds of proof can be imported from here; a module is loaded when its class is first used.

>>> from samapprox.proofs import Radon, check
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samapprox.proofs.known_kinds import KNOWN_KINDS
from samapprox.support.packages import lazy_names

if TYPE_CHECKING:  # for tools that read types; at run time the table of kinds is asked
    from samapprox.proofs.base import Obstruction as Obstruction
    from samapprox.proofs.base import Proof as Proof
    from samapprox.proofs.base import Witness as Witness
    from samapprox.proofs.base import proves_yes as proves_yes
    from samapprox.proofs.certificate import Certificate as Certificate
    from samapprox.proofs.certificate import Check as Check
    from samapprox.proofs.checker import check as check
    from samapprox.proofs.embeddings.embedding import Embedding as Embedding
    from samapprox.proofs.embeddings.embedding import SelfAttention as SelfAttention
    from samapprox.proofs.embeddings.moment_curve import MomentCurve as MomentCurve
    from samapprox.proofs.fits.hitting_set import Core as Core
    from samapprox.proofs.fits.hitting_set import HittingSet as HittingSet
    from samapprox.proofs.fits.hitting_set import Packing as Packing
    from samapprox.proofs.fits.k_sets import KSets as KSets
    from samapprox.proofs.fits.k_sets import SplitColumns as SplitColumns
    from samapprox.proofs.fits.partial_embedding import PartialEmbedding as PartialEmbedding
    from samapprox.proofs.margins.key_form import KeyForm as KeyForm
    from samapprox.proofs.margins.margin_dual import MarginDual as MarginDual
    from samapprox.proofs.margins.sphere_packing import SpherePacking as SpherePacking
    from samapprox.proofs.margins.spherical_code import SphericalCode as SphericalCode
    from samapprox.proofs.margins.unit_embedding import UnitEmbedding as UnitEmbedding
    from samapprox.proofs.parts.components import Components as Components
    from samapprox.proofs.parts.components import Copies as Copies
    from samapprox.proofs.parts.merged import Merged as Merged
    from samapprox.proofs.ranks.factors import Factors as Factors
    from samapprox.proofs.ranks.refutation import RankRefutation as RankRefutation
    from samapprox.proofs.ranks.refutation import ReducedCase as ReducedCase
    from samapprox.proofs.refutations.chirotope import Chirotope as Chirotope
    from samapprox.proofs.refutations.counting import Counting as Counting
    from samapprox.proofs.refutations.final_polynomial import FinalPolynomial as FinalPolynomial
    from samapprox.proofs.refutations.final_polynomial import Step as Step
    from samapprox.proofs.refutations.forster import Forster as Forster
    from samapprox.proofs.refutations.padded import Padded as Padded
    from samapprox.proofs.refutations.radon import Radon as Radon
    from samapprox.proofs.refutations.shared_chirotope import SharedChirotope as SharedChirotope
    from samapprox.proofs.refutations.shattering import Shattering as Shattering
    from samapprox.proofs.refutations.sign_clash import SharedSplit as SharedSplit
    from samapprox.proofs.refutations.sign_clash import SignClash as SignClash
    from samapprox.proofs.refutations.symmetry import Automorphism as Automorphism
    from samapprox.proofs.refutations.symmetry import Symmetry as Symmetry
    from samapprox.proofs.refutations.topological import Topological as Topological
    from samapprox.proofs.similarities.balls import Balls as Balls
    from samapprox.proofs.similarities.caps import Caps as Caps
    from samapprox.proofs.similarities.extended import Extended as Extended
    from samapprox.proofs.similarities.inscription import Inscription as Inscription
    from samapprox.proofs.similarities.key_order import KeyOrder as KeyOrder
    from samapprox.proofs.similarities.odd_cycle import OddCycle as OddCycle
    from samapprox.proofs.similarities.opposite_keys import OppositeKeys as OppositeKeys
    from samapprox.proofs.values.distinct_lines import DistinctLines as DistinctLines
    from samapprox.proofs.values.embedding import ValueEmbedding as ValueEmbedding
    from samapprox.proofs.values.few_values import FewValues as FewValues
    from samapprox.proofs.values.real_vectors import RealVectors as RealVectors

_OTHERS = {
    "base": ("Obstruction", "Proof", "Witness", "proves_yes"),
    "certificate": ("Certificate", "Check"),
    "checker": ("check",),
    "refutations.final_polynomial": ("FinalPolynomial", "Step"),
    "refutations.symmetry": ("Automorphism", "Symmetry"),
}
"""Module below this package -> its public names that are not of one kind of proof."""

__all__ = sorted(
    name
    for names in (*_OTHERS.values(), *((k.name, *k.parts) for k in KNOWN_KINDS.values()))
    for name in names
)

_get, _list_names = lazy_names(__name__, **_OTHERS)


def __getattr__(name: str) -> Any:
    for kind in KNOWN_KINDS.values():
        if name in (kind.name, *kind.parts):
            return kind.load_name(name)
    return _get(name)


def __dir__() -> list[str]:
    kinds = KNOWN_KINDS.values()
    return sorted({*_list_names(), *(name for kind in kinds for name in (kind.name, *kind.parts))})
