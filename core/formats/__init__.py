"""Files of patterns, judgements and vectors, one module per format.

A new format is one module beside this one, with a function `read(stream, key) -> Instance` (and
`write(instance, stream)` where it can be written), and one line in `FORMATS`. A format of retrieval
judgements has `collect(stream, key) -> Judgements` instead of `read`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from samapprox.storage.entries import SIGNS
from samapprox.support.packages import lazy_names, unknown_name

if TYPE_CHECKING:
    from samapprox.formats.files import PatternLike as PatternLike
    from samapprox.formats.files import as_pattern as as_pattern
    from samapprox.formats.files import load as load
    from samapprox.formats.files import load_instance as load_instance
    from samapprox.formats.files import load_judgements as load_judgements
    from samapprox.formats.files import save as save
    from samapprox.formats.vectors import load_vectors as load_vectors
    from samapprox.formats.vectors import save_vectors as save_vectors

_HOMES = {
    "files": ("PatternLike", "as_pattern", "load", "load_instance", "load_judgements", "save"),
    "vectors": ("load_vectors", "save_vectors"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(["FORMATS", "Format", *(name for names in _HOMES.values() for name in names)])


@dataclass(frozen=True, slots=True)
class Format:
    """One way to store a pattern.

    Attributes
    ----------
    name : str
        What ``--format`` calls it.
    module : str
        Import string of the module that has `read` (or `collect`) and perhaps `write`.
    extensions : tuple of str
        File names that settle the format, unless the content says otherwise.
    magic : bytes
        The first bytes of a file of the format; empty for plain text.
    summary : str
        A description in one line.
    judgements : bool
        Whether it holds retrieval judgements, of which `collect` reads the graded pairs.
    """

    name: str
    module: str
    extensions: tuple[str, ...]
    magic: bytes
    summary: str
    judgements: bool = False


FORMATS = (
    Format(
        "npz",
        "samapprox.formats.npz",
        (".npz",),
        b"PK\x03\x04",
        "numpy archive with key S (optional care, names), or scipy.sparse.save_npz",
    ),
    Format("npy", "samapprox.formats.npy", (".npy",), b"\x93NUMPY", "one numpy array"),
    Format(
        "mtx", "samapprox.formats.mtx", (".mtx",), b"%%MatrixMarket", "Matrix Market, 0/1 entries"
    ),
    Format("text", "samapprox.formats.text", (".csv",), b"", "rows of 0, 1 and *"),
    Format(
        "jsonl",
        "samapprox.formats.jsonl",
        (".jsonl", ".ndjson"),
        b"",
        "retrieval judgements, one JSON object a line",
        judgements=True,
    ),
    Format(
        "qrels",
        "samapprox.formats.qrels",
        (".qrels",),
        b"",
        "retrieval judgements of TREC: query, iteration, document, grade",
        judgements=True,
    ),
    Format(
        "tsv",
        "samapprox.formats.tsv",
        (),
        b"",
        "retrieval judgements of BEIR: query-id, corpus-id, score, between tabs",
        judgements=True,
    ),
)
"""The known formats, in the order in which they are tried."""

_ENTRIES = frozenset("01*") | SIGNS


def format_named(name: str) -> Format:
    """Return the format that ``--format`` asks for.

    >>> format_named("qrels").module
    'samapprox.formats.qrels'
    """
    for candidate in FORMATS:
        if candidate.name == name:
            return candidate
    raise unknown_name("format", name, (candidate.name for candidate in FORMATS))


def format_of(name: str, head: bytes) -> Format:
    """Detect a file's format: by its first bytes, else its name, else its first line of text.

    `name`: file name; its extension counts, or what stands before a final .gz. `head`: the first
    kilobytes, unpacked.

    >>> format_of("pattern.dat", b"1 0 *").name
    'text'
    >>> format_of("qrels.txt", b"q1 0 doc7 1").name
    'qrels'
    """
    extension = PurePath(name.lower().removesuffix(".gz")).suffix
    for candidate in FORMATS:
        if candidate.magic and head.startswith(candidate.magic):
            return candidate
    for candidate in FORMATS:
        if extension in candidate.extensions:
            return candidate
    return format_named(_text_format(head.decode("utf-8", errors="replace"), extension))


def _text_format(head: str, extension: str) -> str:
    """Choose a plain text format by the first line that has content."""
    otherwise = "tsv" if extension == ".tsv" else "text"
    for line in head.lstrip("\ufeff").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("{"):
            return "jsonl"
        fields = line.split()
        # Single characters are entries of a matrix, right or wrong: the text reader says which.
        is_matrix = all(len(field) == 1 or field in SIGNS for field in fields)
        if is_matrix and (otherwise == "text" or _ENTRIES.issuperset(fields)):
            return "text"
        if line.startswith("query-id\t") or len(line.split("\t")) == 3:
            return "tsv"
        if len(fields) == 4 and "," not in line:
            return "qrels"
        return otherwise
    return otherwise


_TORCH_ENDINGS = (".pt", ".pth", ".bin")
"""Names of files that torch.save writes."""

TENSOR_ENDINGS = (".npy", ".npz", ".safetensors", *_TORCH_ENDINGS)
"""Names of files that hold tensors."""

_PICKLE = b"\x80"
_LONGEST_HEADER = 100_000_000  # bytes of the longest header of a safetensors file


def tensor_format(name: str, head: bytes) -> str | None:
    """Recognise the format of a file of tensors.

    `name`: file name; its ending counts where the first bytes leave a choice. `head`: the first
    bytes of the file, at least 64 of a longer file.

    >>> tensor_format("a.npy", bytes([0x93]) + b"NUMPY")
    'npy'
    >>> tensor_format("pattern.txt", b"1 0 *") is None
    True
    """
    ending = PurePath(name).suffix.lower()
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PK"):
        first_member = head[30 : 30 + int.from_bytes(head[26:28], "little")]
        return "torch" if first_member.endswith(b"/data.pkl") else "npz"
    if ending == ".safetensors" or (
        head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= _LONGEST_HEADER
    ):
        return "safetensors"
    if ending in _TORCH_ENDINGS and head.startswith(_PICKLE):
        return "torch"
    return None


if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
