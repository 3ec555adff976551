"""Families of instances, one per file: functions from parameters and a seed to an Instance.

A new family is one module beside these, and one line in `FAMILIES`.
"""

from samapprox.reductions.families.known_families import FAMILIES, generate
from samapprox.support.lazy import lazy_modules

__all__ = ["FAMILIES", "generate"]

__getattr__, __dir__ = lazy_modules(__name__)
