"""Stored proofs about margins, and random changes of them."""

from __future__ import annotations

import copy
import json
from math import gcd
from typing import Any

from numpy.random import RandomState

from helpers.paths import STORED_CERTIFICATES

STORED_MARGINS = json.loads((STORED_CERTIFICATES / "certificates_of_margins.json").read_text())


def random_change(document: dict[str, Any], random: RandomState) -> dict[str, Any]:
    """Change some numbers of a proof, or its question."""
    forged = copy.deepcopy(document)
    for _ in range(random.choice([1, 1, 2, 3])):
        proof = forged["proof"]
        members = [name for name in proof if name != "kind"]
        name = members[random.randint(len(members))]
        value: Any = proof[name]
        change = int(random.choice([-1, 1, 2, -300, 300, 3000]))
        if isinstance(value, str):
            proof[name] = str(random.choice(["rows", "columns"]))
            continue
        if isinstance(value, int):
            proof[name] = max(1, value + change)
            continue
        while isinstance(value[0], list):
            value = value[random.randint(len(value))]
        value[random.randint(len(value))] += change
    if random.rand() < 0.5:
        numerator = forged["problem"]["numerator"] + int(random.randint(-40, 41))
        divisor = gcd(numerator, forged["problem"]["denominator"])
        forged["problem"]["numerator"] = numerator // divisor
        forged["problem"]["denominator"] //= divisor
    return forged
