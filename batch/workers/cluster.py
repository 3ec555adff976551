"""Groups of entries on a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.sets.entry import Entry
from samapprox.batch.workers.answer import as_error, bare
from samapprox.batch.workers.groups import Group
from samapprox.batch.workers.pool import Pool, Work
from samapprox.errors import InputError
from samapprox.support.packages import require_package

_AHEAD = 2  # groups for each thread of the cluster: one at work, one waiting
_CONNECT = 10.0  # seconds
_ENDING = 0.5  # seconds in which workers end by themselves after an interrupt; by default, 5


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """Start Dask workers on this machine, and yield the address of their scheduler."""
    distributed = _distributed()
    nanny = logging.getLogger("distributed.nanny")
    level = nanny.level
    try:
        with distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            preload=[__name__],
        ) as cluster:
            try:
                yield str(cluster.scheduler_address)
            except KeyboardInterrupt:  # the user ends the workers, so Dask need not complain
                nanny.setLevel(logging.ERROR)
                _end_workers(cluster)
                raise
    finally:
        nanny.setLevel(level)


def _end_workers(cluster: Any) -> None:
    """End the workers of a local cluster in the midst of their searches, which Dask waits for.

    What they finished before has been handed over, and nobody receives what they would finish.
    """

    async def close() -> None:
        ending = (worker.close(timeout=_ENDING) for worker in cluster.workers.values())
        await asyncio.gather(*ending, return_exceptions=True)  # the cluster's own end comes next

    cluster.sync(close)


def dask_setup(_worker: Any) -> None:
    """Make a worker of `local_cluster` ignore Ctrl-C, which its parent handles; Dask calls this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker.state_machine").setLevel(logging.ERROR)


def run_on_cluster(address: str, question: Question, work: Work) -> Iterator[list[Outcome]]:
    """Yield the results of the groups as they come; another worker repeats those of a dead one.

    Every worker of the cluster needs this package and, unless the set is a stack or a family, the
    same files under the same paths. Each thread answers instances in a process of its own, with the
    same limits as a local run.
    """
    distributed = _distributed()
    _require_listener(address)
    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(f"{address}: no Dask scheduler answers: {error}") from None
    with client:
        yield from _gathered(client, distributed, question, work)


def _require_listener(address: str) -> None:
    """Refuse an address without a listener: Dask itself retries and prints a traceback."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in ("tcp", "tls"):
        return
    try:
        host, port = parts.hostname, parts.port
        if not host or not port:
            raise ValueError("an address has the form tcp://host:8786")
        socket.create_connection((host, port), _CONNECT).close()
    except (OSError, ValueError) as error:
        raise InputError(f"{address}: no Dask scheduler answers: {error}") from None


def _gathered(
    client: Any, distributed: Any, question: Question, work: Work
) -> Iterator[list[Outcome]]:
    running: dict[Any, Group] = {}
    results = distributed.as_completed(loop=client.loop)

    def submit() -> None:
        threads = sum(client.nthreads().values())
        while len(running) < _AHEAD * max(1, threads) and (group := work.take()) is not None:
            future = client.submit(_answer, question, group, pure=False)
            running[future] = group
            results.add(future)

    submit()
    while running:
        future = next(results)
        group = running.pop(future)
        try:
            found, files = future.result()
        except Exception as error:  # it killed one worker after the other, or they cannot run it
            found, files = [as_error(bare(entry), error) for entry in group.entries], []
        for file in files:
            work.expand(file)
        yield found
        submit()


class _One:
    """The work of a single group."""

    def __init__(self, group: Group) -> None:
        self._groups = [group]
        self.files: list[Entry] = []

    def take(self) -> Group | None:
        return self._groups.pop() if self._groups else None

    def expand(self, entry: Entry) -> None:
        self.files.append(entry)


_own = threading.local()
"""The pool of each thread of a Dask worker, reused for the next group."""


def _answer(question: Question, group: Group) -> tuple[list[Outcome], list[Entry]]:
    """Answer a group in a process with limits: return the results, and the files with stacks."""
    if getattr(_own, "question", None) != question:
        if hasattr(_own, "pool"):
            _own.pool.close()
        _own.pool, _own.question = Pool(question, 1, _drop), question
    work = _One(group)
    found = [outcome for some in _own.pool.run(work) for outcome in some]
    return found, work.files


def _drop(_so_far: Outcome) -> None:
    """Provisional results stay on the worker's machine."""


def _distributed() -> Any:
    return require_package("distributed", "distributed", "a Dask cluster")
