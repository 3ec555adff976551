"""Files that commands read and write; - stands for a standard stream."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from itertools import combinations
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samapprox.cli.terminal import echo
from samapprox.cli.values import ParamType, complete_files
from samapprox.errors import InputError, errors_within, file_errors
from samapprox.support.packages import load_object

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from samapprox.proofs.certificate import Certificate


class FileToWrite(ParamType[str]):
    """A type of options that name a file to write.

    `kind` is the import string of a function that raises InputError if no format has the ending of
    the name; shells complete names with `endings`. Without `standard_output`, - is refused.
    """

    name = "file"

    def __init__(
        self,
        kind: str | None = None,
        endings: tuple[str, ...] = ("",),
        *,
        standard_output: bool = False,
    ) -> None:
        self._kind = kind
        self._complete = complete_files(endings)
        self._standard_output = standard_output

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the files that may be overwritten, and folders."""
        return self._complete(ctx, param, incomplete)

    def convert(
        self, value: str, _param: click.Parameter | None, _ctx: click.Context | None
    ) -> str:
        """Return the name after checks of its ending and its folder."""
        if self._kind is not None:
            load_object(self._kind)(value)
        if value == "-" and not self._standard_output:
            raise InputError("-: this cannot be written to standard output; name a file")
        if value != "-":
            from samapprox.support.atomic import require_place

            require_place(Path(value))
        return value


CERTIFICATE = FileToWrite(endings=(".json",), standard_output=True)
EMBEDDING = FileToWrite("samapprox.proofs.certificate:embedding_kind", (".npz", ".json"))
FILE = FileToWrite()
FILE_OR_STDOUT = FileToWrite(standard_output=True)
LAYER = FileToWrite(
    "samapprox.attention.approximation.pattern_layer:layer_kind", (".npz", ".safetensors")
)
PICTURE = FileToWrite("samapprox.pictures:picture_kind", (".png", ".svg", ".pdf"))


_MOST_BYTES = 1 << 29
"""The size limit of a document; larger proofs are beyond the checker, too."""


def read_bytes(source: str) -> bytes:
    """Read the bytes of a file, or of standard input for -."""
    if source == "-" and sys.stdin is None:
        raise InputError("standard input is closed")
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # the latter: a null byte in the name
        raise InputError(f"{source}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > _MOST_BYTES:
        raise InputError(f"{source}: has more than {_MOST_BYTES} bytes")
    return content


def read_text(source: str, *, mend: str = "give a text file in UTF-8") -> str:
    """Read the text of a file, or of standard input for -."""
    content = read_bytes(source)
    try:
        text = content.decode()
        place = text.find("\0")
    except UnicodeDecodeError as error:
        text, place = "", error.start
    if place >= 0:
        raise InputError(f"{source}: byte {place} is not text; {mend}")
    return text


def load_certificate(source: str, pattern: str = "-") -> Certificate:
    """Read a certificate from a file, or from standard input for -.

    `pattern`: the file that the command takes as pattern; if it is the certificate, the error says
    that the two files are swapped.
    """
    from samapprox.proofs.certificate import Certificate

    if source != "-":
        try:
            return Certificate.load(source)
        except InputError:
            if pattern == "-" or not _is_certificate(pattern):
                raise
        raise InputError(
            f"{pattern} is a certificate and {source} is none: the order is PATTERN CERTIFICATE, "
            f"here {source} {pattern}"
        )
    content = read_bytes(source)
    with errors_within("standard input"):
        return Certificate.from_bytes(content)


def _is_certificate(path: str) -> bool:
    """Return whether a file holds a certificate."""
    from samapprox.proofs.certificate import Certificate

    try:
        Certificate.load(path)
    except InputError:
        return False
    return True


def save_certificate(certificate: Certificate, target: str) -> None:
    """Write a certificate to a file and report it; for -, write it to standard output."""
    if target == "-":
        click.echo(certificate.to_bytes(), nl=False)
        return
    certificate.save(target)
    echo(f"samapprox: certificate saved to {target}", err=True)


def write_text(text: str, target: str | None, what: str) -> None:
    """Write a text to a file and report what it is; for - or None, print it."""
    if target is None or target == "-":
        click.echo(text, nl=False)
        return
    from samapprox.support.atomic import replacing

    with replacing(Path(target)) as stream:
        stream.write(text.encode())
    echo(f"samapprox: {what} written to {target}", err=True)


def words_to_stderr(*targets: str | None, as_json: bool = False) -> bool:
    """Return whether a certificate takes standard output; text then goes to standard error."""
    if "-" not in targets:
        return False
    if as_json:
        raise InputError(
            "--json and a certificate both go to standard output; name a file for the certificate"
        )
    return True


_STANDARD = "-"


def keep_apart(read: Iterable[str | None], written: Iterable[str | None]) -> None:
    """Refuse to read standard input twice, to overwrite an input, or to write a file twice."""
    sources = [source for source in read if source]
    targets = [target for target in written if target]
    if sources.count(_STANDARD) > 1:
        raise InputError("-: standard input can be read only once; name a file for the other input")
    if targets.count(_STANDARD) > 1:
        raise InputError("-: two outputs would go to standard output; name a file for one of them")
    files = [Path(target) for target in targets if target != _STANDARD]
    for target in files:
        if any(_is_same(target, Path(source)) for source in sources if source != _STANDARD):
            raise InputError(f"{target}: this input would be overwritten; name another file")
    for one, other in combinations(files, 2):
        if _is_same(one, other) and (
            one.is_file() or not one.exists()
        ):  # devices such as /dev/null may take several
            raise InputError(f"{other}: two outputs would go to this file; name another file")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return realpath(one) == realpath(other) or one.samefile(other)
    except (OSError, ValueError):  # one of them does not exist
        return False


def make_folder(folder: Path) -> Path:
    """Return the folder, which is created if it is missing."""
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def stem_of(source: str) -> str:
    """Return a name for a command's output: that of its source, without folder and ending.

    >>> stem_of("data/weights.npz"), stem_of("-")
    ('weights', 'stdin')
    """
    if source == "-":
        return "stdin"
    path = Path(source)
    return (path.resolve().name if path.is_dir() else path.stem) or "samapprox"
