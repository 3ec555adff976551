"""The heads of a model: their least dimensions from attention weights, as tables and documents."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
