"""`samapprox decode`."""

from __future__ import annotations

import click

from samapprox.cli import options
from samapprox.cli.files import keep_apart, read_text, words_to_stderr
from samapprox.cli.pattern.decide import save_verdict
from samapprox.cli.terminal import echo_answer, fit_terminal, show_progress
from samapprox.errors import errors_within
from samapprox.reductions.encodings import decode as decode_answer
from samapprox.reductions.encodings.header import problem_of, read_header

_MEND = "make the solver write its proof as text (cadical --no-binary)"


@click.command()
@options.pattern
@click.argument("answer", type=click.Path())
@click.option(
    "--encoding",
    type=click.Path(),
    required=True,
    help="Encoding that the solver read, as written by encode.",
)
@options.causal
@options.time_limit(
    "Stop the search for points that realize orientations, or for a refutation, after this many "
    "seconds.",
    default=10.0,
)
@options.certificate
@options.exit_code
def decode(
    source: options.Source,
    answer: str,
    encoding: str,
    time_limit: float,
    certificate: str | None,
    exit_code: bool,
) -> int:
    """Turn a solver's ANSWER to an encoding of PATTERN into a proof, checked exactly.

    ANSWER is the output of the solver: a SAT model or a DRUP proof, an SMT model, or the solution
    of an integer or pseudo-Boolean program; - is standard input. If the program is infeasible,
    decode refutes it again. An answer that proves nothing gives UNKNOWN with the reason.
    """
    keep_apart([source.path, answer, encoding], [certificate])
    aside = words_to_stderr(certificate)
    pattern = source.read().pattern
    question = read_text(encoding)
    text = read_text(answer, mend=_MEND)
    with errors_within(encoding):
        problem_of(pattern, read_header(question))
    with errors_within(answer), show_progress("checking the answer"):
        verdict = decode_answer(pattern, text, question, time_limit=time_limit)
    with fit_terminal(err=aside):
        echo_answer(str(verdict), err=aside)
    if certificate is not None:
        save_verdict(verdict, certificate)
    return options.EXIT_CODES[verdict.status] if exit_code else 0
