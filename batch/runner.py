"""A whole run: the answers to one question about a set, in a result file."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.sets.sets import InstanceSet, open_set
from samapprox.batch.workers.cluster import local_cluster, run_on_cluster
from samapprox.batch.workers.groups import SetWork, is_line
from samapprox.batch.workers.pool import Pool
from samapprox.batch.workers.tasks import require_certificates
from samapprox.batch.workers.vectors import require_graph
from samapprox.errors import (
    InputError,
    require_flag,
    require_path,
    require_type,
    require_whole,
)
from samapprox.problem import as_whole
from samapprox.support.limits import require_memory_limit
from samapprox.support.parallel import cores


@runtime_checkable
class Listener(Protocol):
    """An observer of a run."""

    def so_far(self, outcome: Outcome) -> None:
        """Receive the provisional result of an unfinished instance; the first ones lack bounds."""

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        """Receive results that are now stored, and the numbers of finished and of all entries."""


class _Silent:
    """An observer that does nothing."""

    def so_far(self, outcome: Outcome) -> None: ...

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Run:
    """The extent of a run.

    Attributes
    ----------
    question : int
        Its number in the result file.
    names : set of str
        The instances of the set that this run or an earlier one answered.
    skipped : int
        The number of instances that an earlier run had answered.
    """

    question: int
    names: set[str]
    skipped: int


def run(
    sources: Sequence[str] | InstanceSet,
    question: Question,
    results: str | Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    cluster: bool = False,
    resume: bool = True,
    listener: Listener | None = None,
) -> Run:
    """Answer a question about every instance of a set, and store each result at once.

    Parameters
    ----------
    sources : sequence of str or InstanceSet
        What `samapprox.batch.open_set` takes, or a set that is open.
    question : Question
        What is asked about every instance.
    results : path
        The result file; it is created if it does not exist.
    jobs : int, optional
        The number of processes, by default one per core; with `cluster`, of Dask workers.
    scheduler : str, optional
        The address of a Dask scheduler that distributes the work instead.
    cluster : bool
        Start Dask workers on this machine for the run.
    resume : bool
        Skip instances that have a result (other than ERROR) for an equal question, if their source
        has not changed since then.
    listener : Listener, optional
        It receives provisional and stored results, to show progress.

    Returns
    -------
    Run
        The number of the question in the result file, and the names of the instances.

    Raises
    ------
    InputError
        The set, the question or the result file is unusable. An error of one instance becomes its
        result.
    KeyboardInterrupt
        Ctrl-C; finished results are kept.

    Notes
    -----
    A kill at any moment loses only the running instances. Instances of d = 1 are answered in groups
    of some hundreds, by `samapprox.decide_many`; all others one by one.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = folder.name + "/results.sqlite"
    >>> sets = ["line:rows=4,columns=5,count=3"]
    >>> run(sets, Question("decide", d=1), path, jobs=1).skipped
    0
    >>> run(sets, Question("decide", d=1), path, jobs=1).skipped
    3
    >>> folder.cleanup()
    """
    require_type("question", question, Question, "a Question")
    if scheduler is not None:
        require_type("scheduler", scheduler, str, "an address, such as tcp://host:8786")
    require_flag("cluster", cluster)
    if scheduler is not None and cluster:
        raise InputError("give the address of a scheduler or ask for a local cluster, not both")
    if question.certificates is not None:
        require_certificates(question.certificates)
    if question.graph is not None:
        require_graph(question.graph)
    for folder, what in ((question.embeddings, "vectors"), (question.runs, "runs")):
        if folder is not None and not Path(folder).is_dir():
            ending = "npz" if what == "vectors" else "run"
            raise InputError(f"{folder}: no folder; {what} of NAME are in NAME.{ending} there")
    require_memory_limit(question.memory_limit)
    workers = cores() if jobs is None else as_whole(jobs)
    require_whole("jobs", workers, 1)
    require_path("results", results)
    for name, value in (("cluster", cluster), ("resume", resume)):
        require_flag(name, value)
    listener = _Silent() if listener is None else listener
    require_type("listener", listener, Listener, "an object with the methods so_far and finished")
    instances = (
        sources
        if isinstance(sources, InstanceSet)
        else open_set(sources, about_vectors=question.is_about_vectors)
    )
    with Store(results, write=True) as store, ExitStack() as stack:
        number = store.question(question)
        finished = store.finished(number) if resume else {}
        work = SetWork(instances, finished, is_line(question), workers)
        if cluster:
            scheduler = stack.enter_context(local_cluster(workers))
        names: set[str] = set()
        # Closed on any error, so that no process is left.
        results_as_they_come = _found(question, work, workers, scheduler, listener)
        for found in stack.enter_context(closing(results_as_they_come)):
            work.finish(len(found))
            if found:
                store.save(number, found)
                names.update(outcome.name for outcome in found)
                listener.finished(found, work.done, work.total)
    return Run(number, names | work.skipped, len(work.skipped))


def _found(
    question: Question, work: SetWork, jobs: int, scheduler: str | None, listener: Listener
) -> Generator[list[Outcome], None, None]:
    """Results as they come, from local processes or from a cluster."""
    if scheduler is not None:
        yield from run_on_cluster(scheduler, question, work)
        return
    with Pool(question, jobs, listener.so_far) as pool:
        yield from pool.run(work)
