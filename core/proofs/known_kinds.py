"""The known kinds of proof: where the class of each is, imported on use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from samapprox.errors import InputError
from samapprox.proofs.members import Part

if TYPE_CHECKING:
    from samapprox.proofs.base import Proof


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

    >>> read_proof(Part({"kind": "radon", "rows": [0, 1], "columns": [0, 1, 2]}, "the proof"))
    Radon(rows=(0, 1), columns=(0, 1, 2))
    """
    name = part.get("kind", str)
    if name not in KNOWN_KINDS:
        raise InputError(f"unknown kind of proof {name[:40]!r}")
    return KNOWN_KINDS[name].load_class().from_json(part)
