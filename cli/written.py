"""Files that commands write; a file that cannot be written is refused before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samapprox.cli.completion import complete_files
from samapprox.cli.param_type import ParamType
from samapprox.errors import InputError
from samapprox.support.atomic import require_place

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["CERTIFICATE", "EMBEDDING", "FILE", "FILE_OR_STDOUT", "LAYER", "PICTURE", "FileToWrite"]


class FileToWrite(ParamType[str]):
    """A type of options that name a file to write.

    Parameters
    ----------
    kind : callable, optional
        Raises InputError if no format has the ending of the name.
    endings : tuple of str
        The endings of names that shells complete; by default all.
    standard_output : bool
        Whether - stands for standard output; otherwise - is refused.
    """

    name = "file"

    def __init__(
        self,
        kind: Callable[[str], object] | None = None,
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
            self._kind(value)
        if value == "-" and not self._standard_output:
            raise InputError("-: this cannot be written to standard output; name a file")
        if value != "-":
            require_place(Path(value))
        return value


def _picture(path: str) -> str:
    from samapprox.pictures import picture_kind

    return picture_kind(path)


def _layer(path: str) -> str:
    from samapprox.attention.layer_files import layer_kind

    return layer_kind(path)


def _embedding(path: str) -> str:
    from samapprox.proofs.embedding_files import embedding_kind

    return embedding_kind(path)


CERTIFICATE = FileToWrite(endings=(".json",), standard_output=True)
EMBEDDING = FileToWrite(_embedding, (".npz", ".json"))
FILE = FileToWrite()
FILE_OR_STDOUT = FileToWrite(standard_output=True)
LAYER = FileToWrite(_layer, (".npz", ".safetensors"))
PICTURE = FileToWrite(_picture, (".png", ".svg", ".pdf"))
