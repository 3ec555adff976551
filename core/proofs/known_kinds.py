"""The known kinds of proof: the class and the check of each, imported on use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from samapprox.errors import InputError
from samapprox.proofs.documents import Part

if TYPE_CHECKING:
    from samapprox.proofs.base import Proof

__all__ = ["KNOWN_KINDS", "KnownKind", "load_kinds", "read_proof"]


@dataclass(frozen=True, slots=True)
class KnownKind:
    """A kind of proof.

    Attributes
    ----------
    name : str
        The name of the class.
    module : str
        The module of the class.
    check : str
        The module whose ``find_fault(question, proof)`` is the exact check.
    task : str
        The question that its proofs answer: a name of `samapprox.proofs.known_questions`.
    similarities : tuple of str
        The similarities of queries and keys for which its check is right.

    Examples
    --------
    >>> KNOWN_KINDS["radon"].load_class()
    <class 'samapprox.proofs.kinds.radon.Radon'>
    """

    name: str
    module: str
    check: str
    task: str = "dimension"
    similarities: tuple[str, ...] = ("dot",)

    def load_class(self) -> type[Proof]:
        """Load the class of the proofs."""
        found: type[Proof] = getattr(import_module(self.module), self.name)
        return found

    def load_check(self) -> Callable[[Any, Any], str | None]:
        """Load the exact check: it returns None if a proof holds, else the reason in one line."""
        found: Callable[[Any, Any], str | None] = import_module(self.check).find_fault
        return found


_KINDS, _CHECKS = "samapprox.proofs.kinds", "samapprox.proofs.checks"

KNOWN_KINDS = {
    "embedding": KnownKind("Embedding", f"{_KINDS}.embedding", f"{_CHECKS}.embedding"),
    "self-attention": KnownKind(
        "SelfAttention", f"{_KINDS}.embedding", f"{_CHECKS}.self_attention"
    ),
    "moment-curve": KnownKind("MomentCurve", f"{_KINDS}.moment_curve", f"{_CHECKS}.moment_curve"),
    "merged": KnownKind("Merged", f"{_KINDS}.merged", f"{_CHECKS}.merged"),
    "components": KnownKind("Components", f"{_KINDS}.components", f"{_CHECKS}.components"),
    "radon": KnownKind("Radon", f"{_KINDS}.radon", f"{_CHECKS}.radon"),
    "shattering": KnownKind("Shattering", f"{_KINDS}.shattering", f"{_CHECKS}.shattering"),
    "counting": KnownKind("Counting", f"{_KINDS}.counting", f"{_CHECKS}.counting"),
    "k-sets": KnownKind(
        "KSets",
        f"{_KINDS}.fits.k_sets",
        f"{_CHECKS}.fits.k_sets",
        task="fit",
        similarities=("dot", "cosine", "l2"),
    ),
    "forster": KnownKind("Forster", f"{_KINDS}.forster", f"{_CHECKS}.forster"),
    "topological": KnownKind("Topological", f"{_KINDS}.topological", f"{_CHECKS}.topological"),
    "chirotope": KnownKind("Chirotope", f"{_KINDS}.chirotope", f"{_CHECKS}.chirotope"),
    "shared-chirotope": KnownKind(
        "SharedChirotope", f"{_KINDS}.shared_chirotope", f"{_CHECKS}.shared_chirotope"
    ),
    "sign-clash": KnownKind("SignClash", f"{_KINDS}.sign_clash", f"{_CHECKS}.sign_clash"),
    "caps": KnownKind(
        "Caps",
        f"{_KINDS}.similarities.caps",
        f"{_CHECKS}.similarities.caps",
        similarities=("cosine",),
    ),
    "balls": KnownKind(
        "Balls",
        f"{_KINDS}.similarities.balls",
        f"{_CHECKS}.similarities.balls",
        similarities=("l2",),
    ),
    "extended": KnownKind(
        "Extended",
        f"{_KINDS}.similarities.extended",
        f"{_CHECKS}.similarities.extended",
        similarities=("cosine", "l2"),
    ),
    "factors": KnownKind(
        "Factors", f"{_KINDS}.ranks.factors", f"{_CHECKS}.ranks.factors", task="rank"
    ),
    "rank-refutation": KnownKind(
        "RankRefutation", f"{_KINDS}.ranks.refutation", f"{_CHECKS}.ranks.refutation", task="rank"
    ),
    "partial-embedding": KnownKind(
        "PartialEmbedding",
        f"{_KINDS}.fits.partial_embedding",
        f"{_CHECKS}.fits.partial_embedding",
        task="fit",
        similarities=("dot", "cosine", "l2"),
    ),
    "hitting-set": KnownKind(
        "HittingSet",
        f"{_KINDS}.fits.hitting_set",
        f"{_CHECKS}.fits.hitting_set",
        task="fit",
        similarities=("dot", "cosine", "l2"),
    ),
    "unit-embedding": KnownKind(
        "UnitEmbedding",
        f"{_KINDS}.margins.unit_embedding",
        f"{_CHECKS}.margins.unit_embedding",
        task="margin",
    ),
    "margin-dual": KnownKind(
        "MarginDual",
        f"{_KINDS}.margins.margin_dual",
        f"{_CHECKS}.margins.margin_dual",
        task="margin",
    ),
    "key-order": KnownKind(
        "KeyOrder",
        f"{_KINDS}.similarities.key_order",
        f"{_CHECKS}.similarities.key_order",
        similarities=("cosine", "l2"),
    ),
    "odd-cycle": KnownKind(
        "OddCycle",
        f"{_KINDS}.similarities.odd_cycle",
        f"{_CHECKS}.similarities.odd_cycle",
        similarities=("cosine", "l2"),
    ),
    "inscription": KnownKind(
        "Inscription",
        f"{_KINDS}.similarities.inscription",
        f"{_CHECKS}.similarities.inscription",
        similarities=("cosine", "l2"),
    ),
}
"""The "kind" of a document -> its class and its check. A new kind of proof is a line here."""


def load_kinds() -> list[type[Proof]]:
    """Load the classes of all kinds, in the order of the table."""
    return [kind.load_class() for kind in KNOWN_KINDS.values()]


def read_proof(part: Part) -> Proof:
    """Read a proof.

    Raises
    ------
    InputError
        An unknown kind, or a member that is missing, unknown or of a wrong type (named).

    Examples
    --------
    >>> read_proof(Part({"kind": "radon", "rows": [0, 1], "columns": [0, 1, 2]}, "the proof"))
    Radon(rows=(0, 1), columns=(0, 1, 2))
    """
    name = part.get("kind", str)
    if name not in KNOWN_KINDS:
        raise InputError(f"unknown kind of proof {name[:40]!r}")
    return KNOWN_KINDS[name].load_class().from_json(part)
