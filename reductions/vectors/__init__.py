"""Families of vector sets, one per file: orthogonal vectors and Task 1 with known answers.

A new family is one module beside these, and one line in `FAMILIES`.
"""

from samapprox.reductions.vectors.known_families import FAMILIES, generate
from samapprox.support.lazy import lazy_modules

__all__ = ["FAMILIES", "generate"]

__getattr__, __dir__ = lazy_modules(__name__)
