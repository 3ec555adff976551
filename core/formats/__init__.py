"""Files of patterns, judgements and vectors, one module per format."""

from samapprox.formats.files import (
    PatternLike,
    as_pattern,
    load,
    load_instance,
    load_judgements,
    save,
)
from samapprox.formats.known_formats import FORMATS, Format
from samapprox.formats.vectors import load_vectors, save_vectors
from samapprox.support.lazy import lazy_modules

__all__ = [
    "FORMATS",
    "Format",
    "PatternLike",
    "as_pattern",
    "load",
    "load_instance",
    "load_judgements",
    "load_vectors",
    "save",
    "save_vectors",
]

__getattr__, __dir__ = lazy_modules(__name__)
