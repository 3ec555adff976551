"""Questions that certificates answer, one per module; that of the dimension is `samapprox.Problem`.

Each module has a function ``read_terms(part)`` that reads the member "problem" of a certificate and
returns the arguments of the question's class besides the pattern.
"""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
