"""Commands that bound a number: their search, their answer, and the certificates of both bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from samapprox.cli.files import CERTIFICATE, PICTURE, keep_apart, save_certificate, words_to_stderr
from samapprox.cli.terminal import COMPILING, echo, fit_terminal, print_json, show_progress
from samapprox.cli.values import Decorator, gather, together
from samapprox.errors import Interrupted

if TYPE_CHECKING:
    from samapprox.proofs.certificate import Certificate

__all__ = ["Output", "bounds_options", "picture_of", "search_until_interrupted"]

Found = TypeVar("Found")


def search_until_interrupted(
    search: Callable[..., Found],
    *question: Any,
    text: str = COMPILING,
    shows_limit: bool = True,
    **options: Any,
) -> tuple[Found, Interrupted[Found] | None]:
    """Search with progress on the terminal; after Ctrl-C, return what was found and the interrupt.

    `Output.write` prints the result first, and then raises the interrupt.
    """
    try:
        with show_progress(text, options["time_limit"] if shows_limit else None) as progress:
            return search(*question, progress=progress, **options), None
    except Interrupted as interrupt:
        return interrupt.so_far, interrupt


@dataclass(frozen=True, slots=True)
class Output:
    """The places of the answer, of the certificates of its bounds, and of its picture."""

    yes: str | None
    no: str | None
    as_json: bool
    picture: str | None = None

    def keep_apart(self, read: Iterable[str | None]) -> None:
        """Refuse outputs that would overwrite an input, or that would go to the same place."""
        keep_apart(read, [self.yes, self.no, self.picture])
        words_to_stderr(self.yes, self.no, as_json=self.as_json)

    @property
    def aside(self) -> bool:
        """Whether text goes to standard error, since a certificate takes standard output."""
        return "-" in (self.yes, self.no)

    def write(
        self,
        document: Callable[[], object],
        show: Callable[[bool], None],
        yes: Callable[[], Certificate | None] = lambda: None,
        no: Callable[[], Certificate | None] = lambda: None,
        *,
        missing: str = "the bound is trivial",
        draw: Callable[[str], object] | None = None,
        interrupt: BaseException | None = None,
    ) -> None:
        """Print the document or the text, save the certificates, and draw the picture.

        `show` prints the text, to standard error if its argument is true. The files are written
        even if the reader of a pipe closes it early. The interrupt of the search is raised last.
        """
        try:
            if self.as_json:
                print_json(document())
            else:
                with fit_terminal(err=self.aside):
                    show(self.aside)
        finally:
            for make, path in ((yes, self.yes), (no, self.no)):
                if path is None:
                    continue
                certificate = make()  # reads the whole pattern
                if certificate is not None:
                    save_certificate(certificate, path)
                else:
                    echo(f"samapprox: no certificate written to {path}: {missing}", err=True)
            if draw is not None and self.picture is not None:
                with show_progress(f"writing {self.picture}"):
                    draw(self.picture)
                echo(self.picture, err=self.aside or self.as_json)
        if interrupt is not None:
            raise interrupt


def picture_of(text: str) -> Decorator[Any]:
    """``-o``, a picture that the help describes; a member of the `Output` of `bounds_options`."""
    help_ = f"{text}: a png, svg or pdf file."
    return click.option("-o", "--output", "picture", type=PICTURE, help=help_)


def bounds_options(
    yes: str = "upper bound's certificate", no: str = "lower bound's certificate"
) -> Decorator[Any]:
    """``--yes`` and ``--no``, files for the certificates that the helps name.

    With `json_option` and perhaps `picture_of` of the command, parameter `output`: an `Output`.
    """
    return together(
        *(
            click.option(name, type=CERTIFICATE, help=f"Save the {text}; - is standard output.")
            for name, text in (("--yes", yes), ("--no", no))
        ),
        gather("output", Output),
    )
