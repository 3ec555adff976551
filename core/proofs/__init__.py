"""Proofs: their claims, their exact checks, and certificates that bind them to a pattern.

All kinds of proof can be imported from here; a module is loaded when its class is first used.

>>> from samapprox.proofs import Radon, check
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from samapprox.errors import InputError
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
    from samapprox.proofs.members import Part
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


@dataclass(frozen=True, slots=True)
class KnownKind:
    """A kind of proof: the module of its class, and the names that `samapprox.proofs` offers of it.

    The first name is that of the class. The others are classes of parts of its proofs.

    >>> KNOWN_KINDS["radon"].load_class()
    <class 'samapprox.proofs.refutations.radon.Radon'>
    """

    module: str
    name: str
    parts: tuple[str, ...] = ()

    def load_class(self) -> type[Proof]:
        """Load the class; refuse one that does not say itself which questions it answers."""
        found: type[Proof] = self.load_name(self.name)
        for attribute in ("TASK", "SIMILARITIES"):
            if not vars(found).get(attribute):
                raise TypeError(f"the kind of proof {self.name} must name its {attribute}")
        return found

    def load_name(self, name: str) -> Any:
        """Load one of the names that its module defines."""
        return getattr(import_module(self.module), name)


_PROOFS = "samapprox.proofs"

KNOWN_KINDS = {
    "embedding": KnownKind(f"{_PROOFS}.embeddings.embedding", "Embedding"),
    "self-attention": KnownKind(f"{_PROOFS}.embeddings.embedding", "SelfAttention"),
    "moment-curve": KnownKind(f"{_PROOFS}.embeddings.moment_curve", "MomentCurve"),
    "merged": KnownKind(f"{_PROOFS}.parts.merged", "Merged"),
    "components": KnownKind(f"{_PROOFS}.parts.components", "Components", ("Copies",)),
    "radon": KnownKind(f"{_PROOFS}.refutations.radon", "Radon"),
    "shattering": KnownKind(f"{_PROOFS}.refutations.shattering", "Shattering"),
    "counting": KnownKind(f"{_PROOFS}.refutations.counting", "Counting"),
    "k-sets": KnownKind(f"{_PROOFS}.fits.k_sets", "KSets", ("SplitColumns",)),
    "padded": KnownKind(f"{_PROOFS}.refutations.padded", "Padded"),
    "forster": KnownKind(f"{_PROOFS}.refutations.forster", "Forster"),
    "topological": KnownKind(f"{_PROOFS}.refutations.topological", "Topological"),
    "chirotope": KnownKind(f"{_PROOFS}.refutations.chirotope", "Chirotope"),
    "shared-chirotope": KnownKind(f"{_PROOFS}.refutations.shared_chirotope", "SharedChirotope"),
    "sign-clash": KnownKind(f"{_PROOFS}.refutations.sign_clash", "SignClash", ("SharedSplit",)),
    "caps": KnownKind(f"{_PROOFS}.similarities.caps", "Caps"),
    "balls": KnownKind(f"{_PROOFS}.similarities.balls", "Balls"),
    "extended": KnownKind(f"{_PROOFS}.similarities.extended", "Extended"),
    "factors": KnownKind(f"{_PROOFS}.ranks.factors", "Factors"),
    "rank-refutation": KnownKind(f"{_PROOFS}.ranks.refutation", "RankRefutation", ("ReducedCase",)),
    "partial-embedding": KnownKind(f"{_PROOFS}.fits.partial_embedding", "PartialEmbedding"),
    "recall-embedding": KnownKind(f"{_PROOFS}.fits.recall_embedding", "RecallEmbedding"),
    "recall-sets": KnownKind(f"{_PROOFS}.fits.recall_sets", "RecallSets"),
    "hitting-set": KnownKind(f"{_PROOFS}.fits.hitting_set", "HittingSet", ("Core", "Packing")),
    "unit-embedding": KnownKind(f"{_PROOFS}.margins.unit_embedding", "UnitEmbedding"),
    "margin-dual": KnownKind(f"{_PROOFS}.margins.margin_dual", "MarginDual"),
    "key-form": KnownKind(f"{_PROOFS}.margins.key_form", "KeyForm"),
    "spherical-code": KnownKind(f"{_PROOFS}.margins.spherical_code", "SphericalCode"),
    "sphere-packing": KnownKind(f"{_PROOFS}.margins.sphere_packing", "SpherePacking"),
    "value-embedding": KnownKind(f"{_PROOFS}.values.embedding", "ValueEmbedding"),
    "few-values": KnownKind(f"{_PROOFS}.values.few_values", "FewValues"),
    "distinct-lines": KnownKind(f"{_PROOFS}.values.distinct_lines", "DistinctLines"),
    "real-vectors": KnownKind(f"{_PROOFS}.values.real_vectors", "RealVectors"),
    "key-order": KnownKind(f"{_PROOFS}.similarities.key_order", "KeyOrder"),
    "odd-cycle": KnownKind(f"{_PROOFS}.similarities.odd_cycle", "OddCycle"),
    "opposite-keys": KnownKind(f"{_PROOFS}.similarities.opposite_keys", "OppositeKeys"),
    "inscription": KnownKind(f"{_PROOFS}.similarities.inscription", "Inscription"),
}
"""The "kind" of a document -> its class. A new kind of proof is a line here."""


def load_kinds() -> list[type[Proof]]:
    """Load the classes of all kinds, in the order of the table."""
    return [kind.load_class() for kind in KNOWN_KINDS.values()]


def read_proof(part: Part) -> Proof:
    """Read a proof; raise an InputError if the kind is unknown, or one that names the member.

    >>> from samapprox.proofs.members import Part
    >>> read_proof(Part({"kind": "radon", "rows": [0, 1], "columns": [0, 1, 2]}, "the proof"))
    Radon(rows=(0, 1), columns=(0, 1, 2))
    """
    name = part.get("kind", str)
    if name not in KNOWN_KINDS:
        raise InputError(f"unknown kind of proof {name[:40]!r}")
    return KNOWN_KINDS[name].load_class().from_json(part)


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
