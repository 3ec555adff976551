"""Loops over the rows of large matrices, divided among all cores."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["cores", "share_rows"]

_LEAST_BYTES = 1 << 24  # below, starting threads costs more than they save


def share_rows(
    rows: int,
    work: Callable[[int, int], None],
    *,
    bytes_touched: int,
    threads: int | None = None,
) -> None:
    """Call ``work(start, stop)`` on contiguous shares of the rows, one a core; on one if small.

    Numpy drops the interpreter lock within its loops, so that threads pay.

    Parameters
    ----------
    rows : int
    work : callable
        Must only write to places of its own rows.
    bytes_touched : int
        By all of it: whether it is large.
    threads : int, optional
        All cores by default.

    Raises
    ------
    Exception
        The exception of the first share that failed, in the order of the rows.

    Examples
    --------
    >>> share_rows(5, lambda start, stop: print(start, stop), bytes_touched=40)
    0 5
    """
    shares = min(rows, threads or cores()) if bytes_touched >= _LEAST_BYTES else 1
    if shares == 1:
        work(0, rows)
        return
    from concurrent.futures import ThreadPoolExecutor

    bounds = [rows * share // shares for share in range(shares + 1)]
    with ThreadPoolExecutor(shares) as pool:
        for _ in pool.map(work, bounds[:-1], bounds[1:]):
            pass


def cores() -> int:
    """Return the number of cores that this process may use.

    Examples
    --------
    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
