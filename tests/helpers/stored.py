"""The stored certificates of every kind, with their patterns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from helpers.paths import STORED_CERTIFICATES
from samapprox import Pattern

__all__ = ["STORED", "Stored"]


@dataclass(frozen=True)
class Stored:
    """A stored certificate as text, and the rows of its pattern."""

    text: str
    rows: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The document, a new one each time."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    @property
    def pattern(self) -> Pattern:
        """The pattern that it is about."""
        return Pattern.from_text("\n".join(self.rows))


STORED: dict[str, Stored] = {
    name: Stored(entry["document"], tuple(entry["pattern"]))
    for path in sorted(STORED_CERTIFICATES.glob("certificates_of_*.json"))
    for name, entry in json.loads(path.read_text(encoding="utf-8")).items()
}
"""All of them by name."""
