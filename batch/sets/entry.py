"""Instances and sets of vectors that the answering process loads, and files named after them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, overload

from numpy.typing import NDArray

from samapprox.errors import InputError, file_errors
from samapprox.formats import load_instance, load_judgements
from samapprox.formats.judgements import Judgements
from samapprox.formats.runs import Run, load_run
from samapprox.formats.signs import from_entries, load_signs
from samapprox.formats.stacks import Stack, stacks_in
from samapprox.formats.vectors import load_vectors
from samapprox.instance import Fact, Grading, Instance
from samapprox.pattern import Pattern
from samapprox.vectors import VectorSet

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


class HoldsStacks(Exception):
    """Signals that a file holds many patterns, not one: each matrix is an entry of its own."""


class Source(Protocol):
    """A source from which any process can load an instance."""

    def load(self, *, signs: bool = False) -> Instance | VectorSet:
        """Load the instance; with `signs` a sign matrix, whose entries may be + and -."""


class Entry(NamedTuple):
    """One instance of a set, not yet loaded; a tuple, because thousands pass through pipes.

    >>> known = Fact(2, None, "YES", "said by the set")
    >>> entry = Entry("a", "", Generated("line", {"rows": 3, "columns": 4}), facts=(known,))
    >>> [(fact.answer, fact.d) for fact in entry.load().facts]
    [('YES', 1), ('YES', 2)]
    """

    name: str  # unique within the set
    stamp: str  # a text that changes when the source does
    source: Source
    family: str | None = None  # the origin that the set states
    # what the set states, in addition to the source: about a pattern, or about vectors
    facts: tuple[Fact, ...] = ()
    known: Mapping[str, Any] | None = None

    def graded(self, grading: Grading) -> Entry:
        """Return the entry with its judgements read by a rule, and the facts that hold under it."""
        if grading.is_default:
            return self
        source = self.source
        if isinstance(source, File):
            source = source._replace(grading=grading)
        else:
            grading.require_default("families and stacks")
        return self._replace(source=source, facts=grading.known(self.facts))

    def load(self, *, signs: bool = False) -> Instance:
        """Load the instance with all facts."""
        instance = self.source.load(signs=True) if signs else self.source.load()
        if not isinstance(instance, Instance):
            raise InputError(f"{self.name}: a set of vectors, but the task asks about patterns")
        if not self.facts:
            return instance
        facts = (*instance.facts, *self.facts)
        return Instance(instance.pattern, tuple(dict.fromkeys(facts)), instance.origin)

    def load_judgements(self) -> Judgements:
        """Load a set of judgements with its grades."""
        if not isinstance(self.source, File):
            raise InputError(f"{self.name}: runs need a file of judgements")
        with file_errors(self.source.path):
            _require_checksum(self.source.path, self.source.sha256)
            return load_judgements(self.source.path)

    def load_vectors(self) -> VectorSet:
        """Load a set of vectors with all that is known about it."""
        vectors = self.source.load()
        if not isinstance(vectors, VectorSet):
            raise InputError(f"{self.name}: a pattern, but the task asks about vectors")
        if self.known is None:
            return vectors
        return replace(vectors, known={**vectors.known, **self.known})


def printable(name: str) -> str:
    r"""Return a file's name as text: bytes that are not UTF-8 become escapes.

    >>> printable("a\udcff.txt")
    'a\\udcff.txt'
    """
    return name.encode("utf-8", "backslashreplace").decode()


Entries = Sequence[Entry]
"""Some entries in order; slices are `Entries`, too."""


class File(NamedTuple):
    """A file with one pattern."""

    path: str  # a text, which is much faster to create and send than a `Path`
    sha256: str | None = None  # the checksum of its bytes, if a manifest states it
    grading: Grading = Grading()  # the rule for reading judgements

    def load(self, *, signs: bool = False) -> Instance:
        """Read the file."""
        try:
            _require_checksum(self.path, self.sha256)
            if signs:
                return load_signs(self.path, grading=self.grading)
            relevant, unjudged = self.grading.relevant, self.grading.unjudged
            return load_instance(self.path, relevant=relevant, unjudged=unjudged)
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror or error}") from None
        except InputError:
            if stacks_in(Path(self.path)):
                raise HoldsStacks from None
            raise


def _require_checksum(path: str, sha256: str | None) -> None:
    """Refuse a file whose bytes are not those that a manifest describes."""
    if sha256 is None:
        return
    with Path(path).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != sha256:
        raise InputError(f"{path}: its SHA-256 differs from the one in the manifest")


@dataclass(frozen=True, slots=True)
class Generated:
    """An instance of a generated family."""

    family: str
    parameters: Mapping[str, int | float | str | bool]

    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        """Generate the instance, a pattern."""
        from samapprox.reductions.families import generate

        parameters: dict[str, Any] = dict(self.parameters)
        return generate(self.family, **parameters)


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """One matrix of a stack."""

    entries: NDArray[Any]
    care: NDArray[Any] | None
    facts: tuple[Fact, ...]
    origin: Mapping[str, int | float | str]

    def load(self, *, signs: bool = False) -> Instance:
        """Check the entries and return the instance."""
        convert = from_entries if signs else Pattern.from_array
        return Instance(convert(self.entries, self.care), self.facts, self.origin)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A part of a set that cannot be read; its message becomes the result of one instance."""

    message: str

    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        """Raise the error."""
        raise InputError(self.message)


def stamp(
    path: str | Path, facts: Sequence[Fact] = (), known: Mapping[str, Any] | None = None
) -> str:
    """Return a text that changes when a file or its facts do: size, date, checksum of the facts."""
    try:
        status = os.stat(path)  # noqa: PTH116  # a `Path` takes longer than the call
    except OSError:
        return "gone"
    text = f"{status.st_size}-{status.st_mtime_ns}"
    if known:
        text += f"-{zlib.crc32(json.dumps(known, sort_keys=True).encode()):08x}"
    if facts:
        text += f"-{zlib.crc32(json.dumps([asdict(fact) for fact in facts]).encode()):08x}"
    return text


def place(name: str, origin: Mapping[str, int | float | str]) -> tuple[int | None, int | None]:
    """Return layer and head of an attention pattern, from its origin or its name.

    >>> place("minilm/s02_L4_H10_unif_n11.npz", {})
    (4, 10)
    >>> place("att_4_10.npz", {"position": "4,10"})
    (4, 10)
    >>> place("layer4/text0_H10.npz", {"layer": 4, "head": 10})
    (4, 10)
    >>> place("noise.npz", {})
    (None, None)
    """
    layer, head = (origin.get(name) for name in ("layer", "head"))
    if isinstance(layer, int) and isinstance(head, int):
        return layer, head
    position = re.fullmatch(r"(\d{1,9}),(\d{1,9})", str(origin.get("position", "")))
    found = position or re.search(r"(?:^|[^A-Za-z])L(\d{1,9})[_.-]?H(\d{1,9})(?!\d)", name)
    return (None, None) if found is None else (int(found[1]), int(found[2]))


@dataclass(frozen=True, slots=True, eq=False)
class StackEntries(Sequence[Entry]):
    """A part of a stack that passes through a pipe as one array.

    >>> import numpy as np
    >>> from pathlib import Path
    >>> stack = Stack(Path("A.npz"), "A", (2, 1, 2))
    >>> entries = StackEntries("A.npz", "", stack, range(2), np.array([[[1, 0]], [[1, 1]]]), None)
    >>> [entry.name for entry in entries], entries[1].load().pattern.to_text()
    (['A.npz:A[0]', 'A.npz:A[1]'], '11')
    """

    name: str  # name and stamp of the file within its set
    stamp: str
    stack: Stack
    numbers: Sequence[int]  # the indices of the matrices in the stack
    entries: NDArray[Any]
    care: NDArray[Any] | None
    family: str | None = None
    # what the set states about the file
    facts: tuple[Fact, ...] = ()
    known: Mapping[str, Any] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> StackEntries: ...
    def __getitem__(self, index: int | slice) -> Entry | StackEntries:
        care = None if self.care is None else self.care[index]
        if isinstance(index, slice):
            part = self.entries[index]
            return replace(self, numbers=self.numbers[index], entries=part, care=care)
        number = self.numbers[index]
        name = f"{self.name}:{self.stack.key(number)}"
        origin = dict(self.stack.origin)
        if len(self.stack.shape) > 3:
            origin["position"] = ",".join(map(str, self.stack.position(number)))
        matrix = Matrix(self.entries[index], care, self.stack.facts, origin)
        return Entry(name, self.stamp, matrix, self.family, self.facts, self.known)

    @property
    def names(self) -> list[str]:
        """The names of all matrices."""
        if len(self.stack.shape) == 3:  # the same, for a million in a moment
            begin = f"{self.name}:{self.stack.name}["
            return [f"{begin}{number}]" for number in self.numbers]
        return [f"{self.name}:{self.stack.key(number)}" for number in self.numbers]

    def without(self, done: Sequence[bool]) -> StackEntries:
        """Return the matrices that are not done."""
        left = [at for at, over in enumerate(done) if not over]
        care = None if self.care is None else self.care[left]
        numbers = [self.numbers[at] for at in left]
        return replace(self, numbers=numbers, entries=self.entries[left], care=care)


class VectorFile(NamedTuple):
    """A file with one or two sets of vectors."""

    path: str
    sha256: str | None = None  # the checksum of its bytes, if a manifest states it

    def load(self, *, signs: bool = False) -> VectorSet:  # noqa: ARG002
        """Read the file."""
        from samapprox.formats import load_vectors

        with file_errors(self.path):
            _require_checksum(self.path, self.sha256)
            return load_vectors(self.path)


@dataclass(frozen=True, slots=True)
class GeneratedVectors:
    """Vectors of a generated family."""

    family: str
    parameters: Mapping[str, int | float | str | bool]

    def load(self, *, signs: bool = False) -> VectorSet:  # noqa: ARG002
        """Generate the vectors."""
        from samapprox.reductions.vectors import generate

        return generate(self.family, **self.parameters)


def known_pairs(known: Mapping[str, Any]) -> int | None:
    """Return the number of orthogonal pairs that is known; None if none is.

    >>> known_pairs({"pairs": 1, "pair": [3, 17]}), known_pairs({"gap": 0.1})
    (1, None)
    """
    pairs = known.get("pairs")
    if pairs is not None and (type(pairs) is not int or pairs < 0):
        raise InputError(f"the known number of pairs must be a whole number, not {pairs!r}")
    return pairs
