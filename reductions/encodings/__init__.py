"""The problem in other solvers' languages, one encoding per file, and their answers as proofs.

A new encoding is one module beside these, and one line in `ENCODINGS`.
"""

from samapprox.reductions.encodings.known_encodings import (
    ENCODINGS,
    decode,
    encode,
    require_choices,
)
from samapprox.support.lazy import lazy_modules

__all__ = ["ENCODINGS", "decode", "encode", "require_choices"]

__getattr__, __dir__ = lazy_modules(__name__)
