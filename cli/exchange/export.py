"""`samapprox export`."""

from __future__ import annotations

import click

from samapprox.cli import options
from samapprox.cli.files import FILE_OR_STDOUT, keep_apart, load_certificate, write_text
from samapprox.cli.terminal import show_progress
from samapprox.cli.values import complete_files
from samapprox.errors import errors_within
from samapprox.reductions.exports import PROOF_FORMATS
from samapprox.reductions.exports import export as export_proof
from samapprox.support.text import plural


@click.command()
@options.pattern
@click.argument("certificate", type=click.Path(), shell_complete=complete_files([".json"]))
@options.causal
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
    source: options.Source, certificate: str, proof_format: str, cnf: str, proof: str
) -> None:
    """Write the refutation in CERTIFICATE for other people's checkers of SAT proofs.

    CERTIFICATE proves NO for PATTERN. The clauses are necessary conditions on the orientations of
    keys or queries; comments state the reason for each clause. The proof shows that the clauses
    contradict each other, which any checker of DRAT or LRAT proofs can confirm. For a rank, the
    clauses are about the dimension of a reduced pattern, which comments describe. Certificates
    whose argument is not one of clauses are refused with the reason.
    """
    keep_apart([source.path, certificate], [cnf, proof])
    document = load_certificate(certificate, source.path)
    pattern = source.read_for(document)
    with errors_within(certificate), show_progress("exporting the refutation"):
        exported = export_proof(pattern, document, proof_format)
    axioms = f", {exported.axioms} of them axioms," if exported.axioms else ""
    for text, target, content in (
        (exported.formula, cnf, f"{plural(exported.clauses, 'clause')}{axioms}"),
        (exported.proof, proof, f"{plural(exported.lemmas, 'lemma')} in {proof_format.upper()}"),
    ):
        write_text(text, target, content)
