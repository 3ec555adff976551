"""Opening, reading and writing pattern files of every format."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, cast

from samapprox.errors import InputError, abridge, require_flag, require_path, require_type
from samapprox.formats import FORMATS, Format, format_named, format_of, tensor_format
from samapprox.instance import Grading, Instance, Unjudged
from samapprox.pattern import Matrix, Pattern
from samapprox.storage.entries import WEIGHTS_RULE

if TYPE_CHECKING:
    from samapprox.formats.judgements import Judgements


Source = str | os.PathLike[str] | BinaryIO

PatternLike: TypeAlias = "Source | Matrix"
"""The input of `samapprox.decide` and similar functions: a file, or entries."""

_ONLY_WEIGHTS = {"safetensors": "tensors (safetensors)", "torch": "tensors of torch.save"}
"""Formats of tensors, whose files contain weights and no patterns."""

_ENTRIES = re.compile(r"[01*,;\s]+")

_HEAD = 1 << 16  # enough for the first line of any text file that is not hostile


def load(
    source: PatternLike,
    *,
    format: str | None = None,
    key: str | None = None,
    relevant: int = 1,
    unjudged: Unjudged = "zero",
) -> Pattern:
    r"""Read a pattern from a file, or make one of an array.

    Parameters
    ----------
    source : path, "-" for standard input, a binary file, or what `Pattern` takes
        The origin of the pattern; its content tells the format.
    format : str, optional
        Name of one of `samapprox.formats.FORMATS`; by default detected.
    key : str, optional
        The array of an npz file to take; ``"S[3]"`` or ``"A[0,8]"`` picks a matrix from a stack.
    relevant : int
        For retrieval judgements: the least grade that makes a 1.
    unjudged : {"zero", "unspecified"}
        For retrieval judgements: the entries of unjudged pairs, 0 or *.

    Returns
    -------
    Pattern
        With names of rows and columns where the source has them.

    Raises
    ------
    InputError
        The file cannot be read or is not a pattern; one line that names the file and the place.

    Notes
    -----
    Arrays are read in blocks: memory m n / 8 bytes for an m x n matrix, O(ones) for sparse ones.
    Sizes are checked before anything is allocated, and nothing is ever unpickled.

    Examples
    --------
    >>> import io
    >>> load(io.BytesIO(b"10*\n011\n")).shape
    (2, 3)
    >>> load([[1, 0], [0, 1]])
    <Pattern 2 x 2, 2 ones>
    """
    instance = load_instance(source, format=format, key=key, relevant=relevant, unjudged=unjudged)
    return instance.pattern


def load_instance(
    source: PatternLike,
    *,
    format: str | None = None,
    key: str | None = None,
    relevant: int = 1,
    unjudged: Unjudged = "zero",
) -> Instance:
    """Read a pattern with the facts and the origin that the file states.

    Facts come from the file's maker and are not checked.

    Parameters
    ----------
    source, format, key, relevant, unjudged
        As for `load`.

    Returns
    -------
    Instance
        The pattern with its names, facts and origin, as far as the source has them.

    Raises
    ------
    InputError
        As from `load`.

    Examples
    --------
    >>> load_instance([[1, 0], [0, 1]]).facts
    ()
    """
    grading = Grading(relevant, unjudged)
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "read"):
        grading.require_default("entries in memory")
        if format is not None or key is not None:
            raise InputError(f"format and key are for files, not for a {type(source).__name__}")
        if isinstance(source, Instance):
            return source
        return Instance(source if isinstance(source, Pattern) else Pattern(source))
    with recognize(cast(Source, source), format) as (chosen, stream):
        return read_recognized(cast(Source, source), chosen, stream, key, grading)


def read_recognized(
    source: Source, chosen: Format, stream: BinaryIO, key: str | None, grading: Grading
) -> Instance:
    """Read a pattern from the stream of a source whose format `recognize` has detected.

    `source`: its name stands in warnings. `grading`: the rule for retrieval judgements.
    """
    module = import_module(chosen.module)
    if hasattr(module, "collect"):
        judgements: Judgements = module.collect(stream, key)
        return replace(judgements, source=source_name(source)).instance(grading)
    grading.require_default(f"{chosen.name} files")
    instance: Instance = module.read(stream, key)
    return instance


def as_pattern(entries: PatternLike, *, causal: bool = False) -> Pattern:
    r"""Convert any accepted input to a pattern.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        What `load` takes.
    causal : bool
        Make every entry above the diagonal a don't-care.

    Returns
    -------
    Pattern
        The same object if a Pattern was given and `causal` is False.

    Raises
    ------
    InputError
        The file cannot be read, or the entries are no pattern.

    Examples
    --------
    >>> as_pattern([[1, 0], [1, 1]], causal=True).to_text()
    '1*\n11'
    """
    require_flag("causal", causal)
    pattern = entries if isinstance(entries, Pattern) else load(entries)
    return pattern.causal() if causal else pattern


def load_judgements(source: Source, *, format: str | None = None) -> Judgements:
    r"""Read retrieval judgements; `load` converts them to a pattern at once.

    Parameters
    ----------
    source : path, "-" for standard input, or a binary file
        The file of judgements.
    format : str, optional
        "qrels", "tsv" or "jsonl"; by default detected.

    Returns
    -------
    Judgements
        The graded pairs of queries and documents, with their names.

    Raises
    ------
    InputError
        The file cannot be read or holds no judgements; one line that names the file and the place.

    Examples
    --------
    >>> import io
    >>> load_judgements(io.BytesIO(b"q1 0 doc7 1\n")).instance().pattern.column_names
    ('doc7',)
    """
    with recognize(source, format) as (chosen, stream):
        collect = getattr(import_module(chosen.module), "collect", None)
        if collect is None:
            raise InputError(f"{chosen.name} files hold patterns, not judgements")
        judgements: Judgements = collect(stream, None)
        return replace(judgements, source=source_name(source))


@contextmanager
def recognize(
    source: Source,
    format: str | None,
) -> Iterator[tuple[Format, BinaryIO]]:
    """Detect a source's format and open it; any error becomes one line.

    `format`: the name of a format; None to detect it. Raises InputError: prefixed with the name of
    the source; also those of the context's body.
    """
    name = source_name(source)
    with open_source(source) as raw, errors_of_file(name):
        stream = unpack(raw, name)
        head = stream.read(_HEAD)
        if not isinstance(head, bytes):
            raise InputError("opened as text; open it in binary mode, as by open(path, 'rb')")
        stream.seek(0)
        if not head:
            raise InputError("the file is empty")
        if format is None and (kind := tensor_format(name, head)) in _ONLY_WEIGHTS:
            raise InputError(f"holds {_ONLY_WEIGHTS[kind]}, not a pattern; {WEIGHTS_RULE}")
        chosen = format_of(name, head) if format is None else format_named(format)
        yield chosen, stream


@contextmanager
def errors_of_file(name: str) -> Iterator[None]:
    """Turn errors while a file is read into one line that begins with its name."""
    try:
        yield
    except InputError as error:
        raise error.within(name) from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    except MemoryError:
        raise InputError(f"{name}: too large for this machine's memory") from None


def save(instance: Instance | Pattern, path: str | os.PathLike[str]) -> None:
    """Write a pattern to a file whose name ends in .npz, .npy, .csv or .txt.

    Only npz keeps names, facts and origin; equal instances give equal bytes on every machine. The
    file appears whole or not at all.

    Parameters
    ----------
    instance : Instance or Pattern
        What to write, with its names and known facts.
    path : path
        The file to write; its extension tells the format.

    Raises
    ------
    InputError
        Another ending, entries that the format cannot hold, or a place that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Pattern.from_array([[1, 0]]), folder + "/row.npz")
    ...     load(folder + "/row.npz")
    <Pattern 1 x 2, 1 one>
    """
    require_path("path", path)
    require_type("instance", instance, Instance | Pattern, "a Pattern or an Instance")
    path = Path(path)
    extension = path.suffix.lower()
    modules = [f.module for f in FORMATS if extension in f.extensions]
    if extension == ".txt":
        modules = [format_named("text").module]
    write = getattr(import_module(modules[0]), "write", None) if modules else None
    if write is None:
        raise InputError(f"{path}: patterns are written as .npz, .npy, .csv or .txt")
    from samapprox.support.atomic import replacing

    if isinstance(instance, Pattern):
        instance = Instance(instance)
    with replacing(path) as stream, errors_of_file(str(path)):
        write(instance, stream)


@contextmanager
def open_source(source: Source) -> Iterator[BinaryIO]:
    """Open a source as a seekable binary stream.

    Raises InputError: it cannot be opened.
    """
    if isinstance(source, os.PathLike):
        source = os.fsdecode(source)  # some are bytes
    if isinstance(source, str) and source != "-":
        with _open_file(source) as stream:
            yield stream if stream.seekable() else io.BytesIO(stream.read())
        return
    if isinstance(source, str):
        if sys.stdin is None:
            raise InputError("standard input is closed")
        raw: BinaryIO = sys.stdin.buffer
    elif hasattr(source, "read"):
        raw = source
    else:
        raise InputError(f"the source must be a path or a binary stream, not {abridge(source)}")
    yield raw if raw.seekable() else io.BytesIO(raw.read())


def _open_file(path: str) -> BinaryIO:
    if not path:
        raise InputError("the name of the file is empty")
    try:
        return Path(path).open("rb")
    except IsADirectoryError:
        raise InputError(
            f"{path} is a folder; name one file, or run `samapprox batch {path}` for all in it"
        ) from None
    except OSError as error:
        if _ENTRIES.fullmatch(path):
            raise InputError(
                f"no file is named {abridge(path)}; Pattern.from_text reads entries from a string"
            ) from None
        raise InputError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # a null byte in the name
        raise InputError(f"{path!r}: {error}") from None


def source_name(source: Source) -> str:
    """Return the name of a source for messages."""
    if isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        return "standard input" if name == "-" else name
    return str(getattr(source, "name", "the stream"))


_MAGIC = b"\x1f\x8b"
_MOST_UNPACKED = 1 << 31  # bytes, which are kept in memory
_AT_ONCE = 1 << 20


def unpack(stream: BinaryIO, name: str) -> BinaryIO:
    r"""Return the stream of a gzip file's content; of any other file, the stream itself.

    `name`: the name of the file: one that ends in .gz must be compressed. Raises InputError:
    falsely named, damaged, truncated, or of more than 2 GiB when it is unpacked.

    >>> import gzip
    >>> unpack(io.BytesIO(gzip.compress(b"10\n01\n")), "eye.csv.gz").read()
    b'10\n01\n'
    """
    start = stream.read(len(_MAGIC))
    stream.seek(0)
    if start == _MAGIC:
        return io.BytesIO(_unpack(stream))
    if start and name.lower().endswith(".gz"):
        raise InputError("named .gz, but not compressed by gzip; leave .gz out of its name")
    return stream


def _unpack(stream: BinaryIO) -> bytes:
    import gzip
    import zlib

    content = bytearray()
    try:
        with gzip.GzipFile(fileobj=stream, mode="rb") as file:
            while part := file.read1(_AT_ONCE):
                content += part
                if len(content) > _MOST_UNPACKED:
                    raise InputError(
                        f"it unpacks to more than {_MOST_UNPACKED >> 20} MB; give a sparse "
                        "matrix (scipy.sparse.save_npz), or less of it"
                    )
    except EOFError:
        raise InputError(f"the gzip file ends early, {_place(content)}; {_MEND}") from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(f"the gzip file is damaged, {_place(content)}; {_MEND}") from None
    return bytes(content)


_MEND = "download or compress it again"


def _place(content: bytearray) -> str:
    """Return the place where the content ends: its last line."""
    lines = content.count(b"\n")
    return f"in line {lines + 1} of what it holds"
