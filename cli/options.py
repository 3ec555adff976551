"""Arguments and options that several sub-commands share, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from os.path import realpath
from pathlib import Path
from typing import Any, TypeVar

import click

from samapprox import InputError, Instance, Pattern, load_instance

__all__ = [
    "arithmetic_option",
    "causal_option",
    "keep_apart",
    "make_folder",
    "memory_limit_option",
    "pattern_argument",
    "progress_bar",
    "read_instance",
    "read_pattern",
    "vectors_argument",
    "vectors_options",
]

Function = TypeVar("Function", bound=Callable[..., Any])


def keep_apart(read: Iterable[str | None], written: Iterable[str | None]) -> None:
    """Refuse to write over a file that is read, or written already; None stands for none.

    Raises
    ------
    InputError
    """
    sources = [Path(source) for source in read if source]
    targets = [Path(target) for target in written if target]
    for target in targets:
        if any(_is_same(target, source) for source in sources):
            raise InputError(f"{target}: it is read, and would be overwritten; name another file")
    for one, other in combinations(targets, 2):
        if _is_same(one, other) and (one.is_file() or not one.exists()):  # devices take it all
            raise InputError(f"{other}: two things would be written there; name another file")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return realpath(one) == realpath(other) or one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False


def pattern_argument(command: Function) -> Function:
    """PATTERN, and how to read it: parameters `source`, `file_format` and `key`."""
    for decorate in (
        click.option("--key", help="Which array of an npz to take; S[3] picks from a stack."),
        click.option(
            "--format",
            "file_format",
            help="How to read PATTERN, where its name and content mislead.",
        ),
        click.argument("source", metavar="PATTERN"),
    ):
        command = decorate(command)
    return command


def vectors_argument(command: Function) -> Function:
    """VECTORS and how to search them: parameters `source`, `key`, `threads` and `as_json`."""
    return vectors_options(click.argument("source", metavar="VECTORS")(command))


def vectors_options(command: Function) -> Function:
    """How to read and search vectors: parameters `key`, `threads` and `as_json`."""
    for decorate in (
        click.option("--json", "as_json", is_flag=True, help="Print a JSON document."),
        click.option("--threads", type=click.IntRange(1, 1024), help="By default all cores."),
        click.option("--key", help="Which array of an npz to take; two as in A,B."),
    ):
        command = decorate(command)
    return command


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Tells people at a terminal how far a search is, once it has taken two seconds."""
    from tqdm import tqdm

    with tqdm(delay=2, disable=None, leave=False, unit="part") as bar:

        def show(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield show


causal_option = click.option(
    "--causal", is_flag=True, help="Only entries on and below the diagonal count."
)


class Bytes(click.ParamType[int]):
    """A size in bytes, with K, M or G (of 1024) for more."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The number of bytes."""
        match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?) ?([KMG]?)i?B?", str(value).strip(), re.I)
        if match is None:
            self.fail(f"{value!r} is not a size such as 500M or 2GB", param, ctx)
        return int(float(match[1]) * 1024 ** " KMG".index(match[2].upper() or " "))


memory_limit_option = click.option(
    "--memory-limit", type=Bytes(), help="Memory until UNKNOWN, such as 500M or 2G."
)

arithmetic_option = click.option(
    "--arithmetic",
    "arithmetics",
    multiple=True,
    help="Also test an embedding in this arithmetic: float64, float32, bfloat16 or float16.",
)


def read_instance(source: str, file_format: str | None, key: str | None, causal: bool) -> Instance:
    """The pattern that the shared options describe, with what its file says about it."""
    instance = load_instance(source, format=file_format, key=key)
    try:
        return instance.causal() if causal else instance
    except InputError as error:
        raise error.within(source) from None


def read_pattern(source: str, file_format: str | None, key: str | None, causal: bool) -> Pattern:
    """The pattern that the shared options describe."""
    return read_instance(source, file_format, key, causal).pattern


def make_folder(folder: Path) -> Path:
    """The folder, which is there now."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    return folder
