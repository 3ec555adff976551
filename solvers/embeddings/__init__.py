"""Strategies that find embeddings (YES), and the numeric searches they use."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
