"""Pattern files: one module a format, one table of them, and `load` and `save`."""

from samapprox.formats.files import load, load_instance, save
from samapprox.formats.table import FORMATS, Format

__all__ = ["FORMATS", "Format", "load", "load_instance", "save"]
