"""Sets of instances: where they come from and what is known about them."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
