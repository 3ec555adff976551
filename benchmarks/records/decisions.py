"""Decisions of small patterns, which a journal keeps for later runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from records.classes import pattern_rows
from samapprox import Certificate, Embedding, InputError, Pattern, decide
from samapprox.proofs.base import Submatrix, Witness

__all__ = ["Decisions", "UndecidedError"]


class UndecidedError(Exception):
    """The time limit of a decision was too short."""


class Decisions:
    """Decides classes by all strategies, once.

    Parameters
    ----------
    journal : Path or None
        A file of decisions, a line each; a last line that was cut off is removed.
    seconds : float
        Time limit of one decision.

    Raises
    ------
    InputError
        The journal is another kind of file, which is left as it is.
    """

    def __init__(self, journal: Path | None, seconds: float) -> None:
        self._journal, self._seconds = journal, seconds
        self._known = _read(journal) if journal is not None and journal.exists() else {}

    def decide(self, form: np.uint64, n: int, d: int) -> Embedding | Submatrix:
        """An embedding of a class in d dimensions, or a refutation.

        Raises
        ------
        UndecidedError
            After the time limit.
        ValueError
            The journal has a certificate that does not hold.
        """
        pattern, name = Pattern(pattern_rows(form, n)), (n, int(form), d)
        if name in self._known:
            certificate = Certificate.from_json(self._known[name])
        else:
            found = decide(pattern, d, time_limit=self._seconds).certificate
            if found is None:
                raise UndecidedError(f"{pattern.to_text()!r} in d = {d} after {self._seconds:g} s")
            certificate = found
            self._keep(name, certificate)
        check = certificate.verify(pattern)
        if not check or certificate.d != d:
            raise ValueError(f"a wrong certificate for d = {d}: {check.reason}")
        if isinstance(certificate.proof, Witness):
            return certificate.proof.embedding(pattern)
        assert isinstance(certificate.proof, Submatrix)
        return certificate.proof

    def _keep(self, name: tuple[int, int, int], certificate: Certificate) -> None:
        if self._journal is not None:
            with self._journal.open("a") as stream:
                stream.write(json.dumps([*name, certificate.to_json()]) + "\n")


def _read(journal: Path) -> dict[tuple[int, int, int], Any]:
    """The decisions of earlier runs by columns, canonical form and dimension."""
    content = journal.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    try:
        lines = list(map(json.loads, whole.splitlines()))
        known = {(int(n), int(form), int(d)): proof for n, form, d, proof in lines}
    except (TypeError, ValueError):
        known = None
    if known is None or content[len(whole) :][:1] not in (b"", b"["):
        raise InputError(f"{journal}: this is no journal of decisions; name another file")
    if whole != content:
        journal.write_bytes(whole)
    return known
