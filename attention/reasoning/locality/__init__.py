"""Dependencies of chains of thought: locality, live width, orders, what a mask lets through."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
