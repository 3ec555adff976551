"""The known reasoning tasks."""

from __future__ import annotations

__all__ = ["TASKS"]

TASKS: dict[str, str] = {}
"""Task name -> module and class, imported when used."""
