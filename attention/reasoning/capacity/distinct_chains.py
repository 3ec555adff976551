"""The number of different chains of thought of a task: proven lower bounds.

docs/theory/reasoning.md has the proofs.
"""

from __future__ import annotations

from math import comb, perm

from samapprox.support.parameters import require

__all__ = ["count_band_placements", "count_combs", "count_lis_tables", "count_placements"]

_MOST_NUMBERS = 2000
"""Bell numbers take quadratic time."""


def count_lis_tables(numbers: int) -> int:
    """Return the number of different tables of the longest increasing subsequence: Bell(n).

    Parameters
    ----------
    numbers : int
        n, 1 to 2000.

    Raises
    ------
    InputError

    Notes
    -----
    O(n^2) additions of numbers of O(n log n) bits, in Bell's triangle.

    Examples
    --------
    >>> [count_lis_tables(n) for n in range(1, 8)]
    [1, 2, 5, 15, 52, 203, 877]
    """
    require(1 <= numbers <= _MOST_NUMBERS, f"the size must be in 1..{_MOST_NUMBERS}, not {numbers}")
    row = [1]
    for _ in range(numbers - 1):
        following = [row[-1]]
        for above in row:
            following.append(following[-1] + above)
        row = following
    return row[-1]


def count_placements(rows: int, columns: int) -> int:
    """Return the number of ways to put rooks on a board, at most one in each row and column.

    Examples
    --------
    >>> count_placements(2, 2)
    7
    """
    return sum(comb(rows, k) * perm(columns, k) for k in range(min(rows, columns) + 1))


def count_band_placements(rows: int, columns: int, width: int) -> int:
    """Return the number of ways to put rooks on cells (i, j), |i - j| <= width, none attacked.

    Parameters
    ----------
    rows, columns, width : int

    Notes
    -----
    Column by column, with the set of rows near the diagonal that have a rook: O(columns 4^width).

    Examples
    --------
    >>> count_band_placements(3, 3, 1), count_band_placements(3, 3, 2) == count_placements(3, 3)
    (22, True)
    """
    ways = {0: 1}  # taken rows j - width .. j + width, the first is bit 0 -> number of ways
    for column in range(columns):
        following: dict[int, int] = {}
        near = [
            1 << bit
            for bit, row in enumerate(range(column - width, column + width + 1))
            if 0 <= row < rows
        ]
        for taken, count in ways.items():
            for bit in (0, *near):
                if not taken & bit:
                    after = (taken | bit) >> 1
                    following[after] = following.get(after, 0) + count
        ways = following
    return sum(ways.values())


def count_combs(operators: int, modulus: int) -> int:
    """Return the number of different equations after the first step of nested expressions.

    Parameters
    ----------
    operators : int
        m, at least 1, of expressions ((a . b) . c) .. . z over Z_p, where only a . b can be
        computed first.
    modulus : int
        The prime p.

    Examples
    --------
    >>> count_combs(1, 7), count_combs(2, 7)
    (7, 189)
    """
    return modulus * int((4 * modulus - 1) ** (operators - 1))
