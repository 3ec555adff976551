"""A pattern with one key more, and each row with and without it: one dimension more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Obstruction, Submatrix
from samapprox.proofs.checker import check
from samapprox.proofs.members import Indices
from samapprox.proofs.words import tabulate


@dataclass(frozen=True, slots=True, eq=False)
class Padded(Submatrix):
    r"""A pattern is refuted in d + 1 dimensions by a smaller one that is refuted in d.

    Let z be a key. Each row of the smaller pattern stands for two rows of the core, one with z and
    one without z. In an embedding, a positive combination of both vanishes at z, and has the signs
    on which they agree. Likewise, a row that holds all keys but z and the constant functional give
    a combination that vanishes at z and is positive on all other keys. So the smaller pattern has
    an embedding in one dimension less: divide by the direction of z.

    Complements of rows are halfspaces, too. So it makes no difference which rows are complemented:
    their entries at z decide how they are read.

    Parameters
    ----------
    rows : iterable of int
        The row that holds all keys but z, or z alone, and then the two rows of each row of the
        smaller pattern.
    columns : iterable of int
        The key z, and then the columns of the smaller pattern.
    proof : Obstruction
        NO for the smaller pattern.

    Raises
    ------
    InputError
        An even number of rows, no pair of rows, or no column beside z.

    References
    ----------
    docs/theory/stretchability.md has the proof.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> inner = Radon([0, 1, 2], [0, 1, 2])
    >>> proof = Padded([6, 0, 3, 1, 4, 2, 5], [3, 0, 1, 2], inner)
    >>> pattern = Pattern.from_text("1001\n0101\n0011\n1000\n0100\n0010\n1110")
    >>> print(proof.dimension, proof.smaller_pattern(pattern).to_text(), sep="\n")
    2
    100
    010
    001
    """

    KIND = "padded"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO in one dimension more than the proof: columns[0] is a key z, rows[0] separates it from "
        "all other columns, and each further pair of rows, one with and one without z, is a row of "
        "the pattern that the proof refutes."
    )
    MEMBERS = (Indices("rows", least=3), Indices("columns", least=2), Nested("proof", "NO"))
    caption = "a harder part, with one key and one dimension more"

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    proof: Obstruction

    def __init__(self, rows: Iterable[int], columns: Iterable[int], proof: Obstruction) -> None:
        self._fill(rows, columns, proof)
        if len(self.rows) < 3 or len(self.rows) % 2 == 0 or len(self.columns) < 2:
            raise InputError("there must be a row and pairs of rows, and two columns or more")

    @property
    def dimension(self) -> int:
        """The dimension that it excludes: that of the proof and one more."""
        return self.proof.dimension + 1

    def smaller_pattern(self, pattern: Pattern) -> Pattern:
        """Return the pattern that the proof is about.

        Parameters
        ----------
        pattern : Pattern
            The one that is padded.

        Raises
        ------
        InputError
            The rows and columns are no padding.
        """
        core = pattern.submatrix(self.rows, self.columns)
        if (unspecified := np.flatnonzero(core[:, 0] == UNSPECIFIED)).size:
            row, column = self.rows[unspecified[0]], self.columns[0]
            raise InputError(f"{pattern.row_label(row)} leaves {pattern.column_label(column)} open")
        level = core[0]
        if (wrong := np.flatnonzero(level[1:] != 1 - level[0])).size:
            raise InputError(
                f"{pattern.row_label(self.rows[0])} does not separate "
                f"{pattern.column_label(self.columns[1 + int(wrong[0])])} from "
                f"{pattern.column_label(self.columns[0])}"
            )
        with_z = _complement(core[1::2], core[1::2, 0] == 0)
        without_z = _complement(core[2::2], core[2::2, 0] == 1)
        entries = np.where(with_z == without_z, with_z, UNSPECIFIED)[:, 1:]
        return Pattern.from_array(entries == 1, entries != UNSPECIFIED)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the smaller pattern is not refuted, or None.

        Linear in the core, and the proof's own check.
        """
        try:
            smaller = self.smaller_pattern(problem.pattern)
        except InputError as error:
            return str(error)
        fault = check(Problem(smaller, max(1, problem.d - 1)), self.proof)
        return None if fault is None else f"it does not refute the smaller pattern: {fault}"

    def explain(self, problem: Problem) -> list[str]:
        pattern, d = problem.pattern, self.dimension
        smaller = self.smaller_pattern(pattern)
        z = pattern.column_label(self.columns[0])
        height, width = smaller.shape
        return [
            f"Each of {height} rows occurs with and without {z}, and "
            f"{pattern.row_label(self.rows[0])} separates {z} from {width} other keys:",
            *tabulate(pattern, self.rows, self.columns),
            f"An embedding in dimension {d} would give one in dimension {d - 1} for these {height} "
            f"rows without {z} ({height} x {width}). There is none:",
            *self.proof.explain(Problem(smaller, d - 1)),
        ]


def _complement(entries: NDArray[np.int8], chosen: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return rows, some of which are complemented; a don't-care remains one."""
    turned = chosen[:, None] & (entries != UNSPECIFIED)
    return np.where(turned, 1 - entries, entries)
