"""Commands about many instances: heads of a model, families, batches and reports."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
