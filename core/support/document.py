"""The head of every JSON document."""

from __future__ import annotations

from typing import Any

from samapprox.version import __version__

__all__ = ["document_head"]


def document_head(kind: str, version: int = 1) -> dict[str, Any]:
    """Return the members that name the kind and the writer: see `schemas/KIND.schema.json`.

    Parameters
    ----------
    kind : str
        Without the leading ``samapprox-``.
    version : int
        Of the schema.

    Examples
    --------
    >>> sorted(document_head("frontier"))
    ['format', 'samapprox', 'version']
    """
    return {"format": f"samapprox-{kind}", "version": version, "samapprox": __version__}
