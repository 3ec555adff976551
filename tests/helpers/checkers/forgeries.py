"""Forged certificates, and the reasons why they are refused."""

from __future__ import annotations

import copy
from typing import Any

from helpers.durations import takes_less_than
from samapprox import Certificate, InputError, Pattern

SECONDS = 60
"""Far more than any of these takes, and far less than unbounded work would."""


def reason(forged: dict[str, Any], about: Pattern) -> str:
    """Return why a certificate is refused, as input or by the checker; "" if it holds."""
    with takes_less_than(SECONDS):
        try:
            check = Certificate.from_json(forged).verify(about)
        except InputError as error:
            found = str(error)
        else:
            found = "" if check else check.reason
    assert "\n" not in found
    assert len(found) < 1000
    return found


def changed(original: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy of a document with another value at a place."""
    forged = copy.deepcopy(original)
    part: Any = forged
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return forged
