"""The stored embeddings of heads that few searches find, against the shipped attention weights."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from samapprox import Certificate, data
from samapprox.attention import binarize
from samapprox.attention.weights.rules import parse_rule

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.mark.parametrize("head", [0, 10])
def test_narrow_embeddings_represent_their_heads(head: int) -> None:
    with np.load(data.path("attention/att_s20_n45.npz")) as weights:
        pattern = binarize(weights["A"][1, head], parse_rule("mass90"))
    path = BENCHMARKS / "certificates" / "heads" / f"n45_L1_H{head:02d}_mass90.yes.json.gz"
    verification = Certificate.load(path).verify(pattern)
    assert verification.valid
    with (BENCHMARKS / "measured" / "heads.csv").open(newline="") as table:
        upper = {tuple(row[:4]): int(row[5]) for row in list(csv.reader(table))[1:]}
    assert upper["att_s20_n45", "mass90", "1", str(head)] == Certificate.load(path).d
