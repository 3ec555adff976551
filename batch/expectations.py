"""What a run is held against: known truth, and the results of an earlier one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.sets.implied import Informant
from samapprox.batch.sets.manifest import is_manifest, read_manifest
from samapprox.errors import InputError
from samapprox.instance import Fact

__all__ = ["KINDS", "Failure", "failures_of", "judge", "require_match", "with_earlier"]

KINDS = ("contradiction", "invalid", "lost", "slow", "error")

_NOISE = 0.1
"""Seconds by which a time may grow whatever the factor."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that was not met.

    Attributes
    ----------
    name : str
        Of the instance.
    kind : str
        One of `KINDS`.
    reason : str
    """

    name: str
    kind: str
    reason: str

    def __str__(self) -> str:
        """In one line; what begins with the file's path does not need its name before it.

        Examples
        --------
        >>> print(Failure("p.npz", "lost", "UNKNOWN, but YES before"))
        lost: p.npz: UNKNOWN, but YES before
        >>> print(Failure("p.npz", "error", "set/p.npz: no permission"))
        error: set/p.npz: no permission
        """
        reason = " ".join(self.reason.split())
        folder, named, _ = reason.partition(f"{self.name}: ")
        says_it = named and (not folder or folder.endswith("/")) and ": " not in folder
        return f"{self.kind}: {reason}" if says_it else f"{self.kind}: {self.name}: {reason}"


def failures_of(outcome: Outcome) -> Iterator[Failure]:
    """What is wrong with a result by itself: an error, a proof that fails, known truth denied.

    Parameters
    ----------
    outcome : Outcome

    Examples
    --------
    >>> from samapprox.batch.workers.answer import bare
    >>> from samapprox.batch.sets.entry import Entry, Unreadable
    >>> bad = bare(Entry("p.npz", "", Unreadable("")))._replace(verdict="NO", known="YES")
    >>> [(failure.kind, failure.reason) for failure in failures_of(bad)]
    [('contradiction', 'NO is proven, but YES is known')]
    """
    if outcome.verdict == "ERROR":
        yield Failure(outcome.name, "error", outcome.error or "no reason given")
    if outcome.verdict == "INVALID":
        yield Failure(outcome.name, "invalid", outcome.error or "no reason given")
    if {outcome.verdict, outcome.known} == {"YES", "NO"}:
        reason = f"{outcome.verdict} is proven, but {outcome.known} is known"
        yield Failure(outcome.name, "contradiction", reason)
    else:
        yield from _clash(outcome, outcome.known_lower, outcome.known_upper, "known")


def _clash(
    outcome: Outcome, lower: int | None, upper: int | None, source: str
) -> Iterator[Failure]:
    """Bounds on the weak dimension that cannot both hold."""
    above = upper is not None and outcome.lower is not None and outcome.lower > upper
    below = lower is not None and outcome.upper is not None and outcome.upper < lower
    if above or below:
        reason = (
            f"the weak dimension is proven to be {outcome.lower}..{outcome.upper}, "
            f"but {_bound_text(lower)}..{_bound_text(upper)} is {source}"
        )
        yield Failure(outcome.name, "contradiction", reason)


def _bound_text(bound: int | None) -> str:
    return "?" if bound is None else str(bound)


def judge(
    outcomes: Iterable[Outcome],
    earlier: Iterable[Outcome] = (),
    *,
    slower: float | None = None,
) -> Iterator[tuple[Outcome, list[Failure]]]:
    """Results, each with the expectations that it does not meet.

    Parameters
    ----------
    outcomes, earlier : iterable of Outcome
        Both in the order of their names; of patterns with other fingerprints nothing is compared.
    slower : float, optional
        By which factor an instance may be slower than before; a tenth of a second is nothing.

    Yields
    ------
    outcome : Outcome
    failures : list of Failure

    Examples
    --------
    >>> from samapprox.batch.workers.answer import bare
    >>> from samapprox.batch.sets.entry import Entry, Unreadable
    >>> before = bare(Entry("p.npz", "", Unreadable("")))._replace(verdict="YES", seconds=1.0)
    >>> now = before._replace(verdict="UNKNOWN", seconds=3.0)
    >>> [[failure.kind for failure in failures] for _, failures in judge([now], [before], slower=2)]
    [['lost', 'slow']]
    """
    rest = iter(earlier)
    before = next(rest, None)
    for outcome in outcomes:
        while before is not None and before.name < outcome.name:
            before = next(rest, None)
        found = list(failures_of(outcome))
        if before is not None and before.name == outcome.name and before.sha256 == outcome.sha256:
            found += _compared(outcome, before, slower)
        yield outcome, found


def _compared(outcome: Outcome, before: Outcome, slower: float | None) -> Iterator[Failure]:
    """What got worse since an earlier result on the same pattern."""
    if {outcome.verdict, before.verdict} == {"YES", "NO"}:
        reason = f"{outcome.verdict} is proven, but {before.verdict} was before"
        yield Failure(outcome.name, "contradiction", reason)
    else:
        yield from _clash(outcome, before.lower, before.upper, "what was proven before")
    if before.verdict in _BETTER.get(outcome.verdict, ()):
        reason = f"{outcome.verdict}, but {before.verdict} before"
        yield Failure(outcome.name, "lost", reason)
    limit = None if slower is None else slower * before.seconds + _NOISE
    if limit is not None and outcome.seconds > limit:
        reason = f"{outcome.seconds:.3g} s, but {before.seconds:.3g} s before"
        yield Failure(outcome.name, "slow", reason)


_BETTER = {"UNKNOWN": ("YES", "NO"), "INTERVAL": ("EXACT",), "NONE": ("VALID",)}
"""A verdict, and those that it must not take the place of."""


def with_earlier(
    files: Iterable[str], question: Question, results: str | Path
) -> tuple[Informant, Iterator[Outcome]]:
    """What the files of ``--expect`` say: facts to add to results, and earlier results.

    Parameters
    ----------
    files : iterable of str
        Manifests, and one result file at most.
    question : Question
        Results for the same task and dimensions count, the latest ones, whatever their limits,
        seed and version.
    results : path
        The file of this run: of that one, other questions count.

    Raises
    ------
    InputError
        A file is neither, or has no results to compare with.
    """
    facts: dict[str, tuple[Fact, ...]] = {}
    earlier: Iterator[Outcome] = iter(())
    stores = 0
    for file in files:
        if is_manifest(Path(file)):
            facts.update({listed.file: listed.facts for listed in read_manifest(Path(file))})
            continue
        stores += 1
        earlier = _earlier(file, question, results)
    if stores > 1:
        raise InputError("results can be compared with those of one earlier file, not of several")
    return Informant(facts, question), earlier


def require_match(
    files: Iterable[str], question: Question, results: str | Path, names: Collection[str]
) -> None:
    """Refuse files of ``--expect`` that speak of none of the instances: nothing was compared.

    Parameters
    ----------
    files, question, results
        As in `with_earlier`.
    names : collection of str
        Of the instances; best a set.

    Raises
    ------
    InputError
    """
    for file in files:
        inform, earlier = with_earlier([file], question, results)
        if not any(map(inform.knows, names)) and not any(one.name in names for one in earlier):
            example = min(names, default="")
            raise InputError(
                f"{file}: speaks of no instance of the set, such as {example}; nothing was "
                "compared with it: names must be the same, or for a manifest end alike"
            )


def _earlier(file: str, question: Question, results: str | Path) -> Iterator[Outcome]:
    """Results for the latest comparable question; the file is open while they are read."""
    with Store(file) as store:
        asked = store.questions()
    same_file = Path(results).exists() and Path(results).samefile(file)
    numbers = [
        number
        for number, before in asked.items()
        if _comparable(before) == _comparable(question) and not (same_file and before == question)
    ]
    if not numbers:
        own = "; those of this question are this run's own: name a copy" if same_file else ""
        raise InputError(f"{file}: no earlier results for {question}{own}")
    return _outcomes(file, numbers[-1])


def _outcomes(file: str, number: int) -> Iterator[Outcome]:
    with Store(file) as store:
        yield from store.outcomes(number)


def _comparable(question: Question) -> tuple[object, ...]:
    return question.task, question.d, question.d_hid, question.causal
