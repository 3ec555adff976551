"""Files of patterns, judgements and vectors, one module per format."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
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

__getattr__, __dir__ = lazy_names(
    __name__,
    files=("PatternLike", "as_pattern", "load", "load_instance", "load_judgements", "save"),
    known_formats=("FORMATS", "Format"),
    vectors=("load_vectors", "save_vectors"),
)
