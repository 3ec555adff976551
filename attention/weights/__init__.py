"""Attention weights in files and models, and patterns made of them; see `samapprox.attention`."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
