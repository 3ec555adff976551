"""A refutation reads no entry that it does not name."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.stored import STORED, Stored

from samapprox import Certificate, Pattern
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.base import Obstruction


def argument_of(stored: Stored) -> Obstruction | None:
    """The proof of a stored certificate about a pattern, if it is an argument about entries."""
    proof = Certificate.from_json(stored.document).proof
    return proof if isinstance(proof, Obstruction) and proof.entries_read() else None


REFUTATIONS = sorted(name for name, stored in STORED.items() if argument_of(stored) is not None)


def test_there_are_refutations_of_most_kinds() -> None:
    assert len({type(argument_of(STORED[name])) for name in REFUTATIONS}) > 15


@pytest.mark.parametrize("name", REFUTATIONS)
def test_entries_that_are_not_read_may_be_unknown(name: str) -> None:
    """So they need not be changed: a fit counts as wrong only entries that some core reads."""
    stored = STORED[name]
    certificate = Certificate.from_json(stored.document)
    proof = argument_of(stored)
    assert proof is not None
    entries = stored.pattern.to_array()
    unread = np.ones(entries.shape, dtype=np.bool_)
    unread[tuple(np.array(proof.entries_read()).T)] = False
    unread[~((entries == 1) & ~unread).any(axis=1)] = False  # rows need a one
    starred = Pattern.from_array(entries == 1, (entries != UNSPECIFIED) & ~unread)
    assert proof.find_fault(certificate.ask(starred)) is None
