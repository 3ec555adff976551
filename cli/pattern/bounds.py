"""Commands that bound a number: their search, their answer, the certificates of both bounds.

Also the margin of an embedding, and the number formats that preserve it, as printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from math import log10
from typing import TYPE_CHECKING, Any, TypeVar

import click

from samapprox import InputError, Pattern
from samapprox.cli.files import CERTIFICATE, PICTURE, keep_apart, save_certificate, words_to_stderr
from samapprox.cli.terminal import COMPILING, echo, fit_terminal, print_json, show_progress
from samapprox.cli.values import Decorator, gather, together
from samapprox.errors import Interrupted
from samapprox.proofs.base import Proof, Witness
from samapprox.similarities import SimilarityLike, find_similarity
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.proofs.certificate import Certificate


Found = TypeVar("Found")

_MOST_NAMED = 5
_MOST_BITS = 128  # bits of the longest integer that is printed in full


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


def precision(
    pattern: Pattern, proof: Proof | None, arithmetics: Sequence[str]
) -> dict[str, Any] | None:
    """Compute the member "precision" of `samapprox schema verdict`."""
    if not isinstance(proof, Witness):
        return None
    from samapprox.precision import measure_precision, rows_lost

    lost = {}
    if arithmetics:
        try:
            embedding = proof.embedding(pattern)
        except InputError as error:
            echo(f"samapprox: note: --arithmetic has no effect: {error}", err=True)
            return None
        lost = {name: rows_lost(pattern, embedding, name) for name in arithmetics}
    return measure_precision(pattern, proof, lost)


def require_dot_products(arithmetics: Sequence[str], similarity: SimilarityLike) -> None:
    """Refuse arithmetics for other similarities than dot products, which they do not compute."""
    if arithmetics and not find_similarity(similarity).is_attention:
        raise InputError(
            f"--arithmetic tests dot products, and the similarity is {similarity}: leave out "
            "--arithmetic, or use dot products"
        )


def require_ranges(arithmetics: Sequence[str], d: int) -> None:
    """Refuse a dimension beyond the range of one of the arithmetics, before any search."""
    if arithmetics:
        from samapprox.precision import require_range

        for arithmetic in arithmetics:
            require_range(arithmetic, d)


def in_words(pattern: Pattern, room: dict[str, Any] | None) -> list[str]:
    """Describe the precision in sentences."""
    if room is None:
        return []
    lines = [
        f"Ones and zeros are separated by at least {_percent(room['least'])} of each row's "
        f"logit range; {_logits(room['lowest'], room['highest'])}, coordinates have "
        f"{plural(room['bits'], 'bit')}."
    ]
    for name, rows in room["rows_lost"].items():
        if not rows:
            lines.append(f"In {name}, every row comes out right.")
            continue
        lines.append(f"In {name}, {name_wrong_rows(pattern, rows)}.")
    return lines


def name_wrong_rows(pattern: Pattern, rows: Sequence[int], of: str = "") -> str:
    """Say which rows come out wrong, the first few by name; `of`: what the rows are those of."""
    labels = ", ".join(pattern.row_label(row) for row in rows[:_MOST_NAMED])
    more = ", .." if len(rows) > _MOST_NAMED else ""
    verb = "comes" if len(rows) == 1 else "come"
    return f"{len(rows)} of {plural(pattern.shape[0], 'row')}{of} {verb} out wrong: {labels}{more}"


def _percent(share: float) -> str:
    """Write a share in percent with two digits, rounded down: it is a lower bound."""
    whole = Decimal(f"{100 * share:.12g}")  # without the rounding errors of the product
    percent = float(Context(prec=2, rounding=ROUND_FLOOR).plus(whole))
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def _logits(lowest: int | None, highest: int | None) -> str:
    """Describe the range of the logits; None stands for integers too long for JSON."""
    if lowest is None or highest is None:
        return "logits have more than 4,300 digits"
    return f"logits lie in {_short(lowest)}..{_short(highest)}"


def _short(number: int) -> str:
    """Write a logit in digits, or a very long one as a power of ten."""
    if number.bit_length() <= _MOST_BITS:
        return str(number)
    return f"{'-' if number < 0 else ''}10^{log10(abs(number)):.1f}"
