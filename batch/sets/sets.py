"""Sets of instances: folders, manifests, stacks, single files, families and programs' own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from samapprox.batch.sets.entry import (
    Entries,
    Entry,
    File,
    Generated,
    GeneratedVectors,
    Source,
    StackEntries,
    Unreadable,
    VectorFile,
    printable,
    stamp,
)
from samapprox.batch.sets.facts import Listed, distinct, is_manifest, read_manifest
from samapprox.errors import InputError, errors_within, require_flag, require_list, require_type
from samapprox.formats import FORMATS, save
from samapprox.formats.stacks import Stack, blocks, stacks_in
from samapprox.instance import Instance
from samapprox.reductions import vectors
from samapprox.reductions.families import FAMILIES, count_from, family, successor
from samapprox.support.parameters import parse_spec, read_parameters

_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of instances: the families and the endings of files that a set of them may have."""

    what: str  # as in a manifest, too
    families: Mapping[str, str]
    family: Callable[[str], Callable[..., object]]
    endings: frozenset[str]
    file: Callable[[str, str | None], Source]
    generated: Callable[[str, Mapping[str, Any]], Source]


_PLAIN = {ending for form in FORMATS for ending in form.extensions} | {".txt", ".tsv"}

_PATTERNS = _Kind(
    "pattern",
    FAMILIES,
    family,
    frozenset(_PLAIN | {f"{ending}.gz" for ending in _PLAIN}),
    File,
    Generated,
)
_VECTORS = _Kind(
    "vectors",
    vectors.FAMILIES,
    vectors.family,
    frozenset({".npz", ".npy", ".txt", ".csv"}),
    VectorFile,
    GeneratedVectors,
)


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """A set of instances; iteration lists its entries in groups, always in the same order.

    Attributes
    ----------
    count : int
        The number of entries; a file among them may turn out to hold a stack.

    Examples
    --------
    >>> instances = open_set(["line:rows=3,columns=4,count=600"])
    >>> instances.count, [len(some) for some in instances]
    (600, [512, 88])
    """

    count: int
    _list: Callable[[], Iterator[Entries]]

    def __iter__(self) -> Iterator[Entries]:
        return self._list()


def open_set(sources: Sequence[str], *, about_vectors: bool = False) -> InstanceSet:
    """Open the instances of folders, manifests, files with patterns or stacks, and families.

    Parameters
    ----------
    sources : sequence of str
        Paths, or families as ``line:rows=8,columns=8,count=100,seed=1``. With several, the names
        of a path's instances begin with the path.
    about_vectors : bool
        Whether the instances are sets of vectors, not patterns.

    Returns
    -------
    InstanceSet
        The set, whose entries are listed in groups.

    Raises
    ------
    InputError
        A source does not exist, a folder has no such files, a manifest is damaged, a family or
        parameter is unknown, or a family is of the other kind.

    Examples
    --------
    >>> instances = open_set(["line:rows=3,columns=4,count=2,seed=5"])
    >>> [entry.name for some in instances for entry in some]
    ['line:columns=4,rows=3,seed=5', 'line:columns=4,rows=3,seed=6']
    """
    require_list("sources", sources, "sets")
    sources = list(sources)
    for source in sources:
        require_type("a set", source, str, "a folder, a manifest, a file or a family")
    require_flag("about_vectors", about_vectors)
    if not sources:
        raise InputError("name a set: a folder, a manifest, a file or a family")
    kind = _VECTORS if about_vectors else _PATTERNS
    parts = [
        _open(source, prefix, kind)
        for source, prefix in zip(sources, _prefixes(sources), strict=True)
    ]

    def entries() -> Iterator[Entries]:
        for part in parts:
            yield from part

    return InstanceSet(sum(part.count for part in parts), entries)


def _prefixes(sources: Sequence[str]) -> list[str]:
    """The prefixes of names if there are several sets; names of families need none."""
    if len(sources) == 1:
        return [""]
    families = [source.partition(":")[0] if _is_family(source) else "" for source in sources]
    labels = distinct(
        [
            family or printable(Path(source).as_posix())
            for family, source in zip(families, sources, strict=True)
        ]
    )
    return [
        "" if family == label else f"{label}/"
        for family, label in zip(families, labels, strict=True)
    ]


def _open(source: str, prefix: str, kind: _Kind) -> InstanceSet:
    if _is_family(source):
        count, entries = _family_entries(source, prefix, kind)
        return InstanceSet(count, lambda: _some_at_a_time(entries()))
    path = Path(source)
    try:
        if path.is_dir():
            return _folder(path, prefix, kind)
        if path.exists() and not path.is_file():
            raise InputError(f"{source}: a pipe or device is no set; name a file or a folder")
        if not path.is_file():
            families = ", ".join(kind.families)
            raise InputError(f"{source}: no such file, folder or family; families are: {families}")
    except InputError:
        raise
    except (OSError, ValueError) as error:  # no permission, a null byte
        raise InputError(f"{source!r}: {error}") from None
    if is_manifest(path):
        files = read_manifest(path, kind.what)
        listed = partial(_in_manifest, path, prefix, files, kind)
        return InstanceSet(len(files), lambda: _some_at_a_time(listed()))
    name = prefix.rstrip("/") or printable(path.name)
    stacks = stacks_in(path) if kind is _PATTERNS else []
    if not stacks:
        source_of_one = kind.file(str(path), None)
        return InstanceSet(1, lambda: iter([(Entry(name, stamp(path), source_of_one),)]))
    return InstanceSet(sum(map(len, stacks)), lambda: _in_stacks(name, stamp(path), stacks))


def _some_at_a_time(entries: Iterator[Entry]) -> Iterator[Entries]:
    some: list[Entry] = []
    for entry in entries:
        some.append(entry)
        if len(some) == _AT_ONCE:
            yield tuple(some)
            some = []
    if some:
        yield tuple(some)


# ---------------------------------------------------------------- folders and manifests


def _folder(folder: Path, prefix: str, kind: _Kind) -> InstanceSet:
    files = _files(folder, kind.endings)
    if not files:
        endings = ", ".join(sorted(one for one in kind.endings if not one.endswith(".gz")))
        what = "pattern file" if kind is _PATTERNS else "file of vectors"
        raise InputError(f"{folder}: the folder has no {what} ({endings})")
    listed = partial(_in_folder, folder, prefix, files, kind)
    return InstanceSet(len(files), lambda: _some_at_a_time(listed()))


def _files(folder: Path, endings: Collection[str]) -> list[str]:
    """The files with these endings below a folder, without hidden ones: relative paths, sorted."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = Path(place).relative_to(folder).as_posix()
        inside = "" if below == "." else f"{below}/"
        found += [
            inside + name for name in names if not name.startswith(".") and _ending(name) in endings
        ]
    return sorted(found)


def _ending(name: str) -> str:
    """The ending that names the format, with .gz if it follows."""
    return name.lower()[name.lower().removesuffix(".gz").rfind(".") :]


def _in_folder(folder: Path, prefix: str, files: Sequence[str], kind: _Kind) -> Iterator[Entry]:
    own = printable(folder.absolute().name)
    begin = os.path.join("" if folder == Path() else folder, "")  # noqa: PTH118  # for a million
    for file in files:
        path = begin + file
        below = printable(file.rpartition("/")[0])
        yield Entry(prefix + printable(file), stamp(path), kind.file(path, None), below or own)


def _in_manifest(
    manifest: Path, prefix: str, files: Sequence[Listed], kind: _Kind
) -> Iterator[Entry]:
    names = distinct([printable(listed.file) for listed in files])
    for name, listed in zip(names, files, strict=True):
        path = str(manifest.parent / listed.file)
        source = kind.file(path, listed.sha256)
        when = stamp(path, listed.facts, listed.known)
        label = printable(listed.label)
        yield Entry(prefix + name, when, source, label, listed.facts, listed.known)


# ---------------------------------------------------------------- stacks


def entries_of_file(entry: Entry) -> Iterator[Entries]:
    """Yield the matrices of a file that turned out to hold stacks."""
    assert isinstance(entry.source, File)
    try:
        stacks = stacks_in(Path(entry.source.path))
    except InputError as error:  # it has changed since it was opened
        yield (entry._replace(source=Unreadable(str(error))),)
        return
    yield from _in_stacks(entry.name, entry.stamp, stacks, entry)


def _in_stacks(
    name: str, when: str, stacks: Sequence[Stack], entry: Entry | None = None
) -> Iterator[Entries]:
    """All matrices; a damaged stack ends with an entry that carries the error."""
    stated: tuple[Any, ...] = () if entry is None else (entry.family, entry.facts, entry.known)
    for stack in stacks:
        try:
            for block in blocks(stack):
                numbers = range(block.first, block.first + len(block.entries))
                yield StackEntries(name, when, stack, numbers, block.entries, block.care, *stated)
        except InputError as error:
            named = f"{name}:{stack.name}" if stack.name else name
            yield (Entry(named, when, Unreadable(str(error))),)


_MOST = 10**9


def _is_family(source: str) -> bool:
    """Return whether a source names a family, and no file of that name exists.

    >>> _is_family("line:rows=8"), _is_family("no-such-family:rows=8")
    (True, False)
    """
    name = source.partition(":")[0]
    return (name in FAMILIES or name in vectors.FAMILIES) and not Path(source).exists()


def _family_entries(
    source: str, prefix: str, kind: _Kind
) -> tuple[int, Callable[[], Iterator[Entry]]]:
    """Return the number of instances in a family specification, and their entries.

    Besides the family's parameters there is ``count``, the number of successive seeds, or of
    successive instances of a family that numbers them: all of them by default. Values out of range
    are found later, when an instance is generated.

    >>> count, entries = _family_entries("random:rows=4,count=2", "", _PATTERNS)
    >>> count, [entry.name for entry in entries()]
    (2, ['random:rows=4,seed=0', 'random:rows=4,seed=1'])
    """
    name, _ = parse_spec(source)
    if name not in kind.families:
        held, asked = ("vectors", "patterns") if kind is _PATTERNS else ("patterns", "vectors")
        raise InputError(f"{name} is a family of {held}, but the task asks about {asked}")
    make = kind.family(name)
    given = read_parameters(source, make, {"count": int})
    count = given.pop("count", None)
    with errors_within(source):
        count = count_from(name, given) if count is None else count
    counted = successor(name) if kind is _PATTERNS else "seed"
    if not 1 <= count <= _MOST or (count > 1 and counted is None):
        raise InputError(
            f"{source}: count must be in 1..{_MOST}, and 1 for a family without a seed"
        )

    def entries() -> Iterator[Entry]:
        for step in range(count):
            parameters = _numbered(given, counted, step)
            listed = ",".join(f"{key}={parameters[key]}" for key in sorted(parameters))
            own = f"{prefix}{name}{':' * bool(listed)}{listed}"
            yield Entry(own, "generated", kind.generated(name, parameters), name)

    return count, entries


def _numbered(given: dict[str, Any], counted: str | None, step: int) -> dict[str, Any]:
    """The parameters of a later instance.

    >>> _numbered({"n": 5}, "seed", 2)
    {'n': 5, 'seed': 2}
    """
    return given if counted is None else {**given, counted: given.get(counted, 0) + step}


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
            _save_entry(name, instance, Path(folder, f"{number}.npz"))
            for number, (name, instance) in enumerate(instances)
        ]
        names: set[str] = set()
        for entry in entries:
            if entry.name in names:
                raise InputError(f"two instances have the name {entry.name!r}; name them apart")
            names.add(entry.name)
        yield InstanceSet(len(entries), lambda: iter([tuple(entries)] if entries else []))


def _save_entry(name: str, instance: Instance, path: Path) -> Entry:
    save(instance, path)
    return Entry(name, instance.pattern.sha256, File(str(path)))
