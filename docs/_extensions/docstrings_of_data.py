"""Docstrings of data: the text below the assignment, in the module that holds it.

Sphinx looks for that text in the package that offers the name, and else shows the docstring of the
value's type.
"""

from __future__ import annotations

import sys
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

__all__ = ["find_docstring", "setup"]


def find_docstring(full_name: str, value: object) -> list[str]:
    """Return the lines of the docstring of a constant; none if it has no docstring.

    Examples
    --------
    >>> import samapprox.batch
    >>> find_docstring("samapprox.batch.KINDS", samapprox.batch.KINDS)[0]
    'The kinds of failures in a batch.'
    """
    own = full_name.rpartition(".")[2]
    for name, module in sorted(sys.modules.items()):
        if name.startswith("samapprox.") and vars(module).get(own) is value:
            found = ModuleAnalyzer.for_module(name).find_attr_docs().get(("", own))
            if found is not None:
                return list(found)
    return []


def _replace(
    _app: Sphinx, what: str, name: str, thing: Any, _options: Any, lines: list[str]
) -> None:
    if what == "data":
        lines[:] = find_docstring(name, thing)


def setup(app: Sphinx) -> dict[str, bool]:
    """Find docstrings before anything else changes them."""
    app.connect("autodoc-process-docstring", _replace, priority=50)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
