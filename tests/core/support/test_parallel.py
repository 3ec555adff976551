"""Tasks are done once each, in order, and what goes wrong in any thread is heard of."""

from __future__ import annotations

import threading

import pytest

from samapprox.support.parallel import run_tasks


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_every_task_once(count: int, threads: int) -> None:
    done: list[tuple[int, int]] = []
    reports: list[float | None] = []
    run_tasks(
        count,
        lambda thread, task: done.append((task, thread)),
        threads=threads,
        progress=lambda report: reports.append(report.share),
    )
    assert sorted(task for task, _ in done) == list(range(count))
    assert all(0 <= thread < threads for _, thread in done)
    assert reports == sorted(reports, key=float)
    assert reports[-1:] == ([1.0] if count else [])


def test_one_thread_keeps_the_order() -> None:
    done: list[int] = []
    run_tasks(20, lambda _thread, task: done.append(task))
    assert done == list(range(20))


@pytest.mark.parametrize("culprit", [0, 1])
def test_errors_come_through_and_stop_the_rest(culprit: int) -> None:
    """In the calling thread or in a helper, each of which waits until the other has a task."""
    both = threading.Barrier(2)
    done: list[int] = []

    def work(thread: int, task: int) -> None:
        if task < 2:
            both.wait(timeout=60)
            if thread == culprit:
                raise ZeroDivisionError
        done.append(task)

    with pytest.raises(ZeroDivisionError):
        run_tasks(10**6, work, threads=2)
    assert len(done) < 10**6
    assert all(not thread.name.startswith("ThreadPool") for thread in threading.enumerate())
