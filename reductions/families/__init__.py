"""Families of instances, one a file: plain functions from parameters and a seed to an Instance.

A new family is one module beside these, and one line in `FAMILIES`.
"""

from samapprox.reductions.families.known_families import FAMILIES, generate

__all__ = ["FAMILIES", "generate"]
