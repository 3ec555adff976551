"""`samapprox verify`."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from samapprox import Certificate, Pattern
from samapprox.cli import options
from samapprox.cli.files import EMBEDDING, keep_apart, load_certificate
from samapprox.cli.pattern.bounds import in_words, precision, require_dot_products
from samapprox.cli.terminal import echo, echo_answer, print_json, show_progress
from samapprox.cli.values import complete_files
from samapprox.errors import InputError
from samapprox.proofs.certificate import save_embedding
from samapprox.proofs.questions import Rank
from samapprox.similarities import ATTENTION


@click.command()
@options.pattern
@click.argument("certificate", type=click.Path(), shell_complete=complete_files([".json"]))
@options.causal
@options.arithmetics
@click.option(
    "--embedding",
    type=EMBEDDING,
    help="Write the queries, keys and thresholds of a YES to this file, as arrays (npz) or as a "
    "certificate with explicit numbers (json).",
)
@click.option(
    "--with",
    "other",
    metavar="COMMAND",
    help="Let another checker check the certificate instead, such as samapprox-check: "
    "COMMAND PATTERN CERTIFICATE exits with the statuses below.",
)
@options.as_json
def verify(
    source: options.Source,
    certificate: str,
    arithmetics: tuple[str, ...],
    embedding: str | None,
    other: str | None,
    as_json: bool,
) -> int:
    """Verify that CERTIFICATE proves its answer for PATTERN.

    The check is exact and independent of the solvers. One of the two files may be - for standard
    input. Exit status: 0 valid, 1 not valid, 2 if a file cannot be read, 3 if the checker of
    --with does not cover the kind of proof.
    """
    keep_apart([source.path, certificate], [embedding])
    document = load_certificate(certificate, source.path)
    require_dot_products(arithmetics, document.terms.get("similarity", ATTENTION))
    pattern = source.read_for(document)
    if other is not None:
        if as_json or arithmetics or embedding is not None:
            raise InputError("--with prints what the checker says, and nothing else")
        status, words = _ask_checker(other, pattern, document)
        echo(words, err=status == 2)
        return status
    with show_progress("checking the certificate"):
        check = document.verify(pattern)
    if embedding is not None and check:
        with show_progress("writing the embedding"):
            save_embedding(pattern, document.proof, embedding)
        echo(f"samapprox: embedding saved to {embedding}", err=True)
    with show_progress("measuring the precision"):
        measured = check and document.task != Rank.TASK
        room = precision(pattern, document.proof if measured else None, arithmetics)
    if as_json:
        print_json(check.to_json(precision=room))
    else:
        echo_answer(f"{'VALID' if check.valid else 'NOT VALID'}: {check.reason}")
        for line in in_words(pattern, room):
            echo(line)
    return 0 if check else 1


_NOT_COVERED = 3
"""The exit status of a checker that does not cover the kind of a proof."""

_STATUSES = (0, 1, 2, _NOT_COVERED)


def _ask_checker(command: str, pattern: Pattern, certificate: Certificate) -> tuple[int, str]:
    """Return the exit status of a checker, and what it prints."""
    with TemporaryDirectory(prefix="samapprox-") as folder:
        text, document = Path(folder, "pattern.txt"), Path(folder, "certificate.json")
        text.write_text(pattern.to_text() + "\n", encoding="utf-8")
        certificate.save(document)
        return _run(command, text, document)


def _run(command: str, text: Path, document: Path) -> tuple[int, str]:
    """Run the checker on two files."""
    program = [*shlex.split(command), str(text), str(document)]
    try:
        finished = subprocess.run(program, capture_output=True, text=True, check=False)
    except OSError as error:
        raise InputError(f"--with {command}: {error.strerror}") from None
    words = (finished.stdout or finished.stderr).strip()
    if finished.returncode not in _STATUSES:
        raise InputError(f"--with {command}: it ended with status {finished.returncode}: {words}")
    return finished.returncode, words
