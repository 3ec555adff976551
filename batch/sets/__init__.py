"""Sets of instances: their sources, and the known facts about them."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
