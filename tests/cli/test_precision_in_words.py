"""Answers name the rows that a number format gets wrong."""

from __future__ import annotations

import numpy as np

from samapprox import Pattern
from samapprox.cli.pattern.bounds import in_words


def test_wrong_rows_are_counted_and_the_first_five_are_named() -> None:
    lost = {"float64": [], "float32": [3], "float16": [0, 1, 2, 3, 4], "bfloat16": [*range(6)]}
    room = {"least": 0.5, "lowest": -1, "highest": 1, "bits": 3, "rows_lost": lost}
    assert in_words(Pattern(np.eye(8)), room)[1:] == [
        "In float64, every row comes out right.",
        "In float32, 1 of 8 rows comes out wrong: row 3.",
        "In float16, 5 of 8 rows come out wrong: row 0, row 1, row 2, row 3, row 4.",
        "In bfloat16, 6 of 8 rows come out wrong: row 0, row 1, row 2, row 3, row 4, ...",
    ]
