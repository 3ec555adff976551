"""Files that are named after instances: certificates, and given vectors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from samapprox.errors import InputError, file_errors
from samapprox.formats.vectors import load_vectors
from samapprox.vectors import VectorSet

__all__ = ["list_files", "load_vectors_of"]


def list_files(name: str, folder: Path, endings: Iterable[str]) -> list[Path]:
    """List the files in a folder that are named after an instance, with or without its ending."""
    stems = dict.fromkeys((name, str(Path(name).with_suffix(""))))
    files = [folder / (stem + ending) for stem in stems for ending in endings]
    inside = [file for file in files if file.resolve().is_relative_to(folder.resolve())]
    with file_errors(name):  # no file can have some names
        return [file for file in inside if file.is_file()]


def load_vectors_of(name: str, folder: str) -> VectorSet | None:
    """Load the queries and keys of an instance; None if the folder has none."""
    files = list_files(name, Path(folder), (".npz",))
    if not files:
        return None
    vectors = load_vectors(files[0])
    if vectors.second is None:
        raise InputError(f"{files[0].name}: one set of vectors; give queries and documents")
    return vectors
