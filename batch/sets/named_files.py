"""Files that are named after instances: certificates, given vectors, and runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from samapprox.batch.sets.entry import Entry
from samapprox.errors import InputError, file_errors
from samapprox.formats.judgements import Judgements
from samapprox.formats.runs import Run, load_run
from samapprox.formats.vectors import load_vectors
from samapprox.vectors import VectorSet

__all__ = ["JudgedRun", "list_files", "load_run_of", "load_vectors_of"]

_RUNS = (".run", ".trec", ".run.gz", ".trec.gz")


def list_files(name: str, folder: Path, endings: Iterable[str]) -> list[Path]:
    """List the files in a folder that are named after an instance, with or without its ending.

    The ending of a compressed file has two parts, such as .qrels.gz.
    """
    path = Path(name)
    shorter = path.with_suffix("")
    shortest = shorter.with_suffix("") if path.suffix == ".gz" else shorter
    stems = dict.fromkeys((name, str(shorter), str(shortest)))
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


class JudgedRun(NamedTuple):
    """A run, and the judgements of its queries."""

    judgements: Judgements
    run: Run


def load_run_of(entry: Entry, folder: str) -> JudgedRun | None:
    """Load a set of judgements and its run; None if the folder has none."""
    files = list_files(entry.name, Path(folder), _RUNS)
    if len(files) > 1:
        raise InputError(f"several runs: {', '.join(file.name for file in files)}; keep one")
    return JudgedRun(entry.load_judgements(), load_run(files[0])) if files else None
