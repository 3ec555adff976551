"""Families of vector sets, one a file: orthogonal vectors and Task 1 with known answers.

A new family is one module beside these, and one line in `FAMILIES`.
"""

from samapprox.reductions.vectors.known_families import FAMILIES, generate

__all__ = ["FAMILIES", "generate"]
