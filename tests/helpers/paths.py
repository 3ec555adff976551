"""Paths of folders and files in the checkout."""

from pathlib import Path

__all__ = ["ROOT", "STORED_CERTIFICATES"]

ROOT = Path(__file__).resolve().parents[2]

STORED_CERTIFICATES = ROOT / "tests" / "core" / "proofs" / "stored"
"""The folder of certificates of every kind, each with its pattern."""
