"""Certificates in files that the command line names, where - is a standard stream."""

from __future__ import annotations

import click

from samapprox import Certificate, InputError
from samapprox.cli.reading import read_bytes
from samapprox.cli.terminal import echo

__all__ = ["load_certificate", "save_certificate", "words_to_stderr"]


def load_certificate(source: str) -> Certificate:
    """Read a certificate from a file, or from standard input for -.

    Raises
    ------
    InputError
        The file cannot be read, or is not a certificate.
    """
    if source != "-":
        return Certificate.load(source)
    content = read_bytes(source)
    try:
        return Certificate.from_bytes(content)
    except InputError as error:
        raise error.within("standard input") from None


def save_certificate(certificate: Certificate, target: str) -> None:
    """Write a certificate to a file and report it; for -, write it to standard output.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    if target == "-":
        click.echo(certificate.to_bytes(), nl=False)
        return
    certificate.save(target)
    echo(f"samapprox: certificate saved to {target}", err=True)


def words_to_stderr(*targets: str | None, as_json: bool = False) -> bool:
    """Return whether a certificate takes standard output, so that text must go to standard error.

    Parameters
    ----------
    *targets : str or None
        The files for certificates.
    as_json : bool
        Whether a JSON document goes to standard output as well.

    Raises
    ------
    InputError
        Both a certificate and the document would go to standard output.
    """
    if "-" not in targets:
        return False
    if as_json:
        raise InputError(
            "--json and a certificate both go to standard output; name a file for the certificate"
        )
    return True
