"""Points with given orientations, and what refutes orientations that have none."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
