"""Patterns of queries and keys that share X."""

from __future__ import annotations

from samapprox import Pattern

SHARED_NO = Pattern.from_text("010011\n101001\n001010\n101011\n100111\n111100")
"""A YES for d = 2 and for (2, 3), a NO for d = d_hid = 2."""
