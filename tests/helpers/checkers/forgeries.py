"""Forged certificates, and the reasons why they are refused."""

from __future__ import annotations

import copy
import time
from typing import Any

from samapprox import Certificate, InputError, Pattern

SECONDS = 60
"""Far more than any of these takes, and far less than unbounded work would."""


def reason(forged: dict[str, Any], about: Pattern) -> str:
    """Return why a certificate is refused, as input or by the checker; "" if it holds."""
    start = time.perf_counter()
    try:
        check = Certificate.from_json(forged).verify(about)
    except InputError as error:
        found = str(error)
    else:
        found = "" if check else check.reason
    assert time.perf_counter() - start < SECONDS
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
