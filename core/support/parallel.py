"""Work for several threads: shares of the rows of large matrices, and queues of tasks."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samapprox.support.progress import OnProgress

_LEAST_BYTES = 1 << 24  # below, starting threads costs more than they save


def share_rows(
    rows: int, work: Callable[[int, int], None], *, bytes_touched: int, threads: int | None = None
) -> None:
    """Call ``work(start, stop)`` on contiguous shares of the rows, one a core; on one if small.

    Numpy drops the interpreter lock within its loops, so that threads pay.

    `work`: must only write to places of its own rows. `bytes_touched`: by all of it: whether it is
    large. `threads`: all cores by default. Raises Exception: the exception of the first share that
    failed, in the order of the rows.

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

    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def report_parts(progress: OnProgress | None, done: int, count: int, so_far: object = None) -> None:
    """Report how many of some parts are done; without `progress`, or without parts, nothing."""
    if progress is not None and count:
        from samapprox.support.progress import Progress  # few computations have a line for it

        progress(Progress(f"{done}/{count} parts", so_far, done / count))


def run_tasks(
    count: int,
    work: Callable[[int, int], None],
    *,
    threads: int = 1,
    progress: OnProgress | None = None,
) -> None:
    """Call ``work(thread, task)`` for every task, in ascending order as threads become free.

    `count`: number of tasks. `work`: drops the interpreter lock, or threads don't pay. Must write
    only to what belongs to its thread or its task. `threads`: the calling thread is number 0 and
    one of them. `progress`: called by the calling thread alone, between tasks. Raises
    BaseException: what a task or `progress` raised, an interrupt too; by then no thread is at work.

    >>> run_tasks(3, lambda thread, task: print(task))
    0
    1
    2
    """
    tasks = iter(range(count))
    done: list[int] = []

    def take(thread: int) -> None:
        try:
            for task in tasks:
                work(thread, task)
                done.append(task)
                if thread == 0 and len(done) < count:
                    report_parts(progress, len(done), count)
        finally:  # after an error, the others find no more tasks
            for _ in tasks:
                pass

    if threads > 1 and count > 1:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            helpers = [pool.submit(take, number) for number in range(1, min(threads, count))]
            take(0)
        for helper in helpers:
            helper.result()
    else:
        take(0)
    report_parts(progress, count, count)
