"""Tables within explanations leave room for the text that they are part of."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Pattern
from samapprox.proofs.words import tabulate
from samapprox.support.text_table import fit_tables, text_width

INDENTED_BY_EXPLANATIONS = 4


@pytest.mark.parametrize("width", range(30, 80))
def test_indented_tables_fit_the_screen(width: int) -> None:
    pattern = Pattern(np.eye(9, dtype=np.int8))
    with fit_tables(width):
        lines = tabulate(pattern, range(9), range(9))
    assert max(map(text_width, lines)) <= width - INDENTED_BY_EXPLANATIONS
    assert sum(line.count("column") for line in lines) == 9
