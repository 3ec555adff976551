"""Manifests: instance sets as a JSON list of files, with the known facts about each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from samapprox.batch.sets.implied import find_contradiction
from samapprox.errors import InputError
from samapprox.instance import Fact
from samapprox.proofs.documents import Part

__all__ = ["Listed", "distinct", "is_manifest", "read_manifest"]

_FORMAT = "samapprox-manifest"


@dataclass(frozen=True, slots=True)
class Listed:
    """One file of a manifest.

    Attributes
    ----------
    label : str
        The name of the set.
    file : str
        The path, relative to the manifest.
    sha256 : str or None
        The checksum of its bytes, if the manifest states it.
    facts : tuple of Fact
    """

    label: str
    file: str
    sha256: str | None
    facts: tuple[Fact, ...]


def is_manifest(path: Path) -> bool:
    """Return whether a file's name is that of a manifest, without reading the file.

    Examples
    --------
    >>> is_manifest(Path("set/manifest.json")), is_manifest(Path("set/p.npz"))
    (True, False)
    """
    return path.suffix.lower() == ".json"


def read_manifest(path: Path) -> list[Listed]:
    """Read the pattern files that a manifest lists; sets of other kinds are ignored.

    Raises
    ------
    InputError
        The file cannot be read or is not a manifest; it lists no pattern, a pattern outside its
        folder or a path with a backslash; or it states facts that contradict each other.

    Examples
    --------
    >>> from samapprox import data
    >>> listed = read_manifest(Path(data.path("manifest.json")))
    >>> listed[0].label, listed[0].file, listed[0].facts[0].answer
    ('minilm', 'minilm/s00_L0_H08_top1_n8.npz', 'NO')
    """
    try:
        root = Part(json.loads(path.read_text(encoding="utf-8")), "the manifest")
        if root.get("format", str) != _FORMAT or root.get("version", int) != 1:
            raise InputError(f"not a {_FORMAT} of version 1")
        found = list(_listed(root, path.parent))
    except InputError as error:
        raise error.within(str(path)) from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not a JSON manifest: {error}") from None
    if not found:
        raise InputError(f"{path}: the manifest lists no pattern")
    return found


def _listed(root: Part, folder: Path) -> Iterator[Listed]:
    for value in root.get("sets", list):
        part = Part(value, "a set")
        if part.get("kind", str) != "pattern":
            continue
        for file in part.get("files", list):
            yield _file(Part(file, "a file"), part.get("name", str), folder)


def _file(part: Part, label: str, folder: Path) -> Listed:
    file = part.get("file", str)
    if "\\" in file:  # a separator on Windows, part of a name elsewhere
        raise InputError(f"{file!r} has a backslash; write / between folders, on every system")
    if not (folder / file).resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{file!r} lies outside the manifest's folder")
    sha256 = part.get("sha256", str) if part.has("sha256") else None
    try:
        stated = part.get("facts", list) if part.has("facts") else []
        facts = tuple(map(Fact.from_json, stated))
        _require_consistent(facts)
    except InputError as error:
        raise error.within(file) from None
    return Listed(label, file, sha256, facts)


def _require_consistent(facts: Sequence[Fact]) -> None:
    contradiction = find_contradiction(facts)
    if contradiction is not None:
        no, yes = (_text(fact) for fact in contradiction)
        raise InputError(f"the facts contradict each other: {no} and {yes}; correct one of them")


def _text(fact: Fact) -> str:
    hidden = "" if fact.d_hid is None else f", d_hid = {fact.d_hid}"
    return f"{fact.answer} for d = {fact.d}{hidden}"


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number added to repeated ones.

    Examples
    --------
    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a#2']
    """
    seen: Counter[str] = Counter()
    taken = set(names)
    found = []
    for name in names:
        seen[name] += 1
        unique = name
        while seen[name] > 1 and unique in taken:
            unique = f"{name}#{seen[name]}"
            seen[name] += unique in taken
        taken.add(unique)
        found.append(unique)
    return found
