"""Work for several threads: shares of the rows of large matrices, and queues of tasks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from samapprox.support.progress import OnProgress, Progress

__all__ = ["cores", "report_parts", "run_tasks", "share_rows"]


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


def report_parts(progress: OnProgress | None, done: int, count: int) -> None:
    """Report how many of some parts are done; without `progress`, or without parts, nothing."""
    if progress is not None and count:
        progress(Progress(f"{done}/{count} parts", share=done / count))


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
    queue = _Queue(count)
    helpers = [
        threading.Thread(target=_help, args=(queue, work, number))
        for number in range(1, min(threads, count))
    ]
    for helper in helpers:
        helper.start()
    try:
        _take(queue, work, 0, progress)
        for helper in helpers:
            helper.join()
    finally:
        queue.stop()
        for helper in helpers:
            helper.join()
    if queue.error is not None:
        raise queue.error
    report_parts(progress, count, count)


class _Queue:
    """The next task, and the number of finished ones."""

    def __init__(self, count: int) -> None:
        self.count, self.done = count, 0
        self.error: BaseException | None = None
        self._next = 0
        self._lock = threading.Lock()

    def take(self) -> int | None:
        """Return the next task; None when there is none or they are not wanted."""
        with self._lock:
            if self._next >= self.count:
                return None
            self._next += 1
            return self._next - 1

    def finish(self) -> None:
        """Count one more finished task."""
        with self._lock:
            self.done += 1

    def stop(self, error: BaseException | None = None) -> None:
        """Hand out no more tasks, perhaps because of an error."""
        with self._lock:
            self._next = self.count
            self.error = self.error or error


def _take(
    queue: _Queue, work: Callable[[int, int], None], thread: int, progress: OnProgress | None
) -> None:
    """Do tasks until none is left."""
    while (task := queue.take()) is not None:
        work(thread, task)
        queue.finish()
        if queue.done < queue.count:
            report_parts(progress, queue.done, queue.count)


def _help(queue: _Queue, work: Callable[[int, int], None], thread: int) -> None:
    """Do tasks in another thread, and hand over any error."""
    try:
        _take(queue, work, thread, None)
    except BaseException as error:
        queue.stop(error)
