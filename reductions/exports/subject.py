"""The subject of an export: a pattern and a refutation of its dimension."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A pattern, and a certificate of NO for a dimension of it."""

    pattern: Pattern
    certificate: Certificate
    about: tuple[str, ...] = ()  # what it means for the question that was asked, in lines
