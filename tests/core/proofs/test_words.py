"""Tables within explanations leave room for the text that they are part of."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Pattern
from samapprox.proofs.words import tabulate
from samapprox.support.text import fit_tables, text_width

INDENTED_BY_EXPLANATIONS = 4


@pytest.mark.parametrize("width", range(30, 80))
def test_indented_tables_fit_the_screen(width: int) -> None:
    pattern = Pattern(np.eye(9, dtype=np.int8))
    with fit_tables(width):
        lines = tabulate(pattern, range(9), range(9))
    assert max(map(text_width, lines)) <= width - INDENTED_BY_EXPLANATIONS
    assert sum(line.count("column") for line in lines) == 9


def test_long_cores_are_abbreviated() -> None:
    pattern = Pattern([[1, 0]])  # only numbers are listed
    rows, columns = tabulate(pattern, range(201), range(65_536))
    assert rows.endswith("199, .. and 1 more]")
    assert columns.endswith("199, .. and 65336 more]")
    assert len(columns) < 2_000
    rows, _ = tabulate(pattern, range(200), [0])
    assert rows.endswith(" 199]")
