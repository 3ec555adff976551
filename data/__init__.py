"""Small real instance sets, shipped with the package and listed in one manifest.

Licences differ by set: see the manifest and `README.md` beside it.

>>> from samapprox import load_instance
>>> from samapprox import data
>>> load_instance(data.path("limit/limit.npz")).pattern
<Pattern 1000 x 46, 2000 ones>
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from samapprox.errors import InputError, require_type

__all__ = ["files", "manifest", "path"]

_MOST_LETTERS = 255  # of the name of a file
_HERE = Path(__file__).parent


def manifest() -> dict[str, Any]:
    """The sets with title, source, licence and files (shape, sha256, known facts).

    Returns
    -------
    dict
        The parsed JSON document.

    Examples
    --------
    >>> [entry["name"] for entry in manifest()["sets"]]
    ['minilm', 'attention', 'limit', 'oriented-matroids']
    """
    document: dict[str, Any] = json.loads((_HERE / "manifest.json").read_text(encoding="utf-8"))
    return document


def files(name: str) -> list[Path]:
    """The files of a set.

    Parameters
    ----------
    name : str
        As in the manifest.

    Returns
    -------
    list of Path
        Absolute paths, in the order of the manifest.

    Raises
    ------
    InputError
        No such set.

    Examples
    --------
    >>> len(files("minilm"))
    31
    """
    sets = {entry["name"]: entry for entry in manifest()["sets"]}
    require_type("the name of a data set", name, str, "a text")
    if name not in sets:
        raise InputError(f"no data set {name!r}; there are: {', '.join(sets)}")
    return [path(entry["file"]) for entry in sets[name]["files"]]


def path(file: str) -> Path:
    """Return the path of a file of the manifest.

    Parameters
    ----------
    file : str
        As in the manifest, such as ``"limit/limit.npz"``.

    Returns
    -------
    Path
        An absolute path.

    Raises
    ------
    InputError
        No such file.

    Examples
    --------
    >>> path("limit/limit.npz").name
    'limit.npz'
    """
    require_type("the file", file, str, "a text")
    found = _HERE / file
    if len(file) > _MOST_LETTERS or not found.is_file():
        raise InputError(f"no data file {file!r}; the manifest lists them")
    return found
