"""Instances that a program makes, kept in a folder of their own while a run is at them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from samapprox.batch.sets.entry import Entry, File
from samapprox.batch.sets.sets import InstanceSet
from samapprox.errors import InputError
from samapprox.formats import save
from samapprox.instance import Instance

__all__ = ["spool"]


@contextmanager
def spool(instances: Iterable[tuple[str, Instance]]) -> Iterator[InstanceSet]:
    """Turn named instances into a set, with one of them in memory at a time.

    Parameters
    ----------
    instances : iterable of (str, Instance)
        Names are unique. All are taken before the set is there, so that whatever is wrong with one
        of them shows before the first is answered.

    Yields
    ------
    InstanceSet
        Valid within the context: its files are in a temporary folder. The stamp of an entry is the
        pattern's fingerprint, so that a result counts for as long as the pattern is the same.

    Raises
    ------
    InputError
        A name occurs twice, or the temporary folder cannot be written.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> with spool([("L0_H0", Instance(Pattern([[1, 0]])))]) as instances:
    ...     [(entry.name, entry.load().pattern) for some in instances for entry in some]
    [('L0_H0', <Pattern 1 x 2, 1 one>)]
    """
    with tempfile.TemporaryDirectory(prefix="samapprox-") as folder:
        entries = [
            _store(name, instance, Path(folder, f"{number}.npz"))
            for number, (name, instance) in enumerate(instances)
        ]
        names: set[str] = set()
        for entry in entries:
            if entry.name in names:
                raise InputError(f"two instances have the name {entry.name!r}; name them apart")
            names.add(entry.name)
        yield InstanceSet(len(entries), lambda: iter([tuple(entries)] if entries else []))


def _store(name: str, instance: Instance, path: Path) -> Entry:
    save(instance, path)
    return Entry(name, instance.pattern.sha256, File(str(path)))
