"""`samapprox export`."""

from __future__ import annotations

import click

from samapprox import InputError
from samapprox.cli.files import FILE_OR_STDOUT, load_certificate, write_text
from samapprox.cli.options import (
    Reading,
    causal_option,
    keep_apart,
    pattern_argument,
    read_pattern,
)
from samapprox.cli.progress import show_progress
from samapprox.cli.values import complete_files
from samapprox.reductions.exports import PROOF_FORMATS
from samapprox.reductions.exports import export as export_proof
from samapprox.support.text import plural

__all__ = ["export"]


@click.command()
@pattern_argument
@click.argument("certificate", type=click.Path(), shell_complete=complete_files([".json"]))
@causal_option
@click.option(
    "--to",
    "proof_format",
    type=click.Choice(PROOF_FORMATS),
    default="drat",
    show_default=True,
    help="Language of the proof: drat has the lemmas alone, lrat also the clauses that each lemma "
    "follows from.",
)
@click.option("--cnf", type=FILE_OR_STDOUT, required=True, help="File for the clauses (DIMACS).")
@click.option("--proof", type=FILE_OR_STDOUT, required=True, help="File for the proof.")
def export(
    source: str,
    reading: Reading,
    certificate: str,
    causal: bool,
    proof_format: str,
    cnf: str,
    proof: str,
) -> None:
    """Write the refutation in CERTIFICATE for other people's checkers of SAT proofs.

    CERTIFICATE proves NO for PATTERN. The clauses are necessary conditions on the orientations of
    keys or queries; comments state the reason for each clause. The proof shows that the clauses
    contradict each other, which any checker of DRAT or LRAT proofs can confirm. Certificates whose
    argument is not one of clauses are refused with the reason.
    """
    keep_apart([source, certificate], [cnf, proof])
    pattern = read_pattern(source, reading, causal)
    document = load_certificate(certificate)
    try:
        with show_progress("exporting the refutation"):
            exported = export_proof(pattern, document, proof_format)
    except InputError as error:
        raise error.within(certificate) from None
    axioms = f", {exported.axioms} of them axioms," if exported.axioms else ""
    for text, target, content in (
        (exported.formula, cnf, f"{plural(exported.clauses, 'clause')}{axioms}"),
        (exported.proof, proof, f"{plural(exported.lemmas, 'lemma')} in {proof_format.upper()}"),
    ):
        write_text(text, target, content)
