"""`samapprox decode`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from samapprox import InputError
from samapprox.cli.commands.decide import EXIT_CODES, print_verdict
from samapprox.cli.options import causal_option, keep_apart, pattern_argument, read_pattern
from samapprox.cli.written import FILE
from samapprox.reductions.encodings import decode as decode_answer

__all__ = ["decode"]

MOST_BYTES = 1 << 29
"""Of an answer or an encoding: proofs beyond are beyond the checker too."""


@click.command()
@pattern_argument
@click.argument("answer", type=click.Path())
@click.option(
    "--encoding", type=click.Path(), required=True, help="The file that the solver was given."
)
@causal_option
@click.option(
    "--time-limit",
    type=float,
    default=10.0,
    show_default=True,
    help="Seconds for finding points that fit a SAT model.",
)
@click.option("--certificate", type=FILE, help="Save the certificate to this file.")
@click.option("--exit-code", is_flag=True, help="Exit with 10 for YES, 20 for NO, 30 for UNKNOWN.")
@click.pass_context
def decode(
    ctx: click.Context,
    source: str,
    file_format: str | None,
    key: str | None,
    answer: str,
    encoding: str,
    causal: bool,
    time_limit: float,
    certificate: str | None,
    exit_code: bool,
) -> None:
    """Turn a solver's ANSWER to an encoding of PATTERN into a proof, checked exactly.

    ANSWER is what the solver wrote: a SAT model or a proof in DRUP, an SMT model, or the solution
    of an order model; - is standard input. An answer that proves nothing is UNKNOWN and says why.
    """
    keep_apart([source, answer, encoding], [certificate])
    pattern = read_pattern(source, file_format, key, causal)
    question = _read(encoding)
    text = _read(answer)
    try:
        verdict = decode_answer(pattern, text, question, time_limit=time_limit)
    except InputError as error:
        raise error.within(answer) from None
    if certificate is not None and verdict.certificate is not None:
        verdict.certificate.save(certificate)
    print_verdict(verdict, certificate)
    if exit_code:
        ctx.exit(EXIT_CODES[verdict.status])


def _read(path: str) -> str:
    """A text file, of a size that can be worked on."""
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as stream:
                content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if len(content) > MOST_BYTES:
        raise InputError(f"{path}: has more than {MOST_BYTES} bytes")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        text, reason = "\0", error.start
    else:
        reason = text.find("\0")
    if "\0" in text:
        raise InputError(
            f"{path}: byte {reason} is not text; solvers write proofs as text on demand "
            "(cadical --no-binary)"
        )
    return text
