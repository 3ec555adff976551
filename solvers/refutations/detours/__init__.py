"""Nearly shattered columns: the splits that no row makes are replaced by paths of elements."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
