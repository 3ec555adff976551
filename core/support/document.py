"""The head of every JSON document."""

from __future__ import annotations

from typing import Any

from samapprox.version import __version__

__all__ = ["document_head"]


def document_head(kind: str) -> dict[str, Any]:
    """Return the members that name the kind and the writer: see `schemas/KIND.schema.json`.

    Parameters
    ----------
    kind : str
        Without the leading ``samapprox-``.

    Examples
    --------
    >>> sorted(document_head("frontier"))
    ['format', 'samapprox', 'version']
    """
    return {"format": f"samapprox-{kind}", "version": 1, "samapprox": __version__}
