"""Comparison of a run with known facts and with the results of an earlier run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.sets.facts import Informant, Listed, combine, is_manifest, read_manifest
from samapprox.errors import InputError, errors_within
from samapprox.support.text import percent

KINDS = ("contradiction", "invalid", "lost", "slow", "recall", "error")
"""The kinds of failures in a batch."""

_NOISE = 0.1
"""Seconds by which a time may grow, whatever the factor."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that was not met.

    Attributes
    ----------
    name : str
        The name of the instance.
    kind : str
        One of `KINDS`.
    reason : str
        One line for users.
    """

    name: str
    kind: str
    reason: str

    def __str__(self) -> str:
        """Return the failure in one line; the name is left out if the reason begins with the path.

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
    """Yield the failures of one result: an error, an invalid proof, a contradiction to facts.

    Parameters
    ----------
    outcome : Outcome
        A row of a result file.

    Yields
    ------
    Failure
        Errors first, then contradictions.

    Examples
    --------
    >>> bad = Outcome("p.npz", "", verdict="NO", known="YES")
    >>> [(failure.kind, failure.reason) for failure in failures_of(bad)]
    [('contradiction', 'NO is proven, but YES is known')]
    >>> bad = Outcome("p.npz", "", verdict="NO", lower=2, upper=7, known_upper=1)
    >>> [failure.reason for failure in failures_of(bad)]
    ['proven to be 2..7, but known to be at most 1']
    """
    if outcome.verdict == "ERROR":
        yield Failure(outcome.name, "error", outcome.error or "no reason given")
    if outcome.verdict == "INVALID":
        yield Failure(outcome.name, "invalid", outcome.error or "no reason given")
    lower, upper = outcome.known_lower, outcome.known_upper
    if lower is not None and upper is not None and lower > upper:
        reason = (
            "the known facts about it contradict each other: they imply "
            f"at least {lower} and at most {upper}; correct one of them"
        )
        yield Failure(outcome.name, "contradiction", reason)
    elif {outcome.verdict, outcome.known} == {"YES", "NO"}:
        reason = f"{outcome.verdict} is proven, but {outcome.known} is known"
        yield Failure(outcome.name, "contradiction", reason)
    elif _disjoint(outcome, lower, upper):
        reason = f"{_proven(outcome)}, but known to be {_range(lower, upper)}"
        yield Failure(outcome.name, "contradiction", reason)


def _disjoint(outcome: Outcome, lower: float | None, upper: float | None) -> bool:
    """Whether the proven bounds and these cannot both hold."""
    above = upper is not None and outcome.lower is not None and outcome.lower > upper
    below = lower is not None and outcome.upper is not None and outcome.upper < lower
    return above or below


def _proven(outcome: Outcome) -> str:
    return f"proven to be {_range(outcome.lower, outcome.upper)}"


def _range(lower: float | None, upper: float | None) -> str:
    """Bounds in words; at least one of them is known."""
    if upper is None:
        return f"at least {lower}"
    if lower is None:
        return f"at most {upper}"
    return f"{lower}" if lower == upper else f"{lower}..{upper}"


def judge(
    outcomes: Iterable[Outcome],
    earlier: Iterable[Outcome] = (),
    *,
    slower: float | None = None,
    recall: float | None = None,
    number_format: str | None = None,
) -> Iterator[tuple[Outcome, list[Failure]]]:
    """Compare results with known facts, with earlier results, and with an expected share.

    Parameters
    ----------
    outcomes, earlier : iterable of Outcome
        Both in the order of their names. Only results about equal patterns are compared.
    slower : float, optional
        The factor by which an instance may be slower than before, plus a tenth of a second.
    recall : float, optional
        The share of the furthest vectors that every instance must find, for the task
        ``furthest``: of those that full attention finds.
    number_format : str, optional
        For the task ``dim`` in a number format or a set of values: an instance must be found to
        need no more dimensions there than is known to be enough.

    Yields
    ------
    outcome : Outcome
        A result, in the order of `outcomes`.
    failures : list of Failure
        The expectations that it does not meet; mostly none.

    Examples
    --------
    >>> before = Outcome("p.npz", "", verdict="YES", seconds=1.0)
    >>> now = before._replace(verdict="UNKNOWN", seconds=3.0)
    >>> [[failure.kind for failure in failures] for _, failures in judge([now], [before], slower=2)]
    [['lost', 'slow']]
    >>> large = Outcome("p.npz", "", verdict="INTERVAL", lower=2, upper=4, known_upper=3)
    >>> [[failure.reason for failure in failures] for _, failures in judge([large])]
    [[]]
    >>> [(_, [failure])] = judge([large], number_format="int8")
    >>> failure.reason
    'int8 <= 3 is expected, but 2..4 is found'
    """
    rest = iter(earlier)
    before = next(rest, None)
    for outcome in outcomes:
        while before is not None and before.name < outcome.name:
            before = next(rest, None)
        found = list(failures_of(outcome))
        if before is not None and before.name == outcome.name and before.sha256 == outcome.sha256:
            found += _compared(outcome, before, slower)
        if recall is not None and outcome.lower is not None and outcome.lower < recall:
            reason = (
                f"finds {percent(outcome.lower)} of the furthest vectors, "
                f"but at least {percent(recall)} are expected"
            )
            found.append(Failure(outcome.name, "recall", reason))
        if number_format is not None and _exceeds(outcome):
            reason = (
                f"{number_format} <= {outcome.known_upper} is expected, "
                f"but {_range(outcome.lower, outcome.upper)} is found"
            )
            found.append(Failure(outcome.name, "lost", reason))
        yield outcome, found


def _exceeds(outcome: Outcome) -> bool:
    """Whether more is found than is known to be enough, which does not contradict what is known."""
    lower, upper, known = outcome.lower, outcome.upper, outcome.known_upper
    if outcome.verdict == "ERROR" or lower is None or upper is None or known is None:
        return False
    return lower <= known < upper


def _compared(outcome: Outcome, before: Outcome, slower: float | None) -> Iterator[Failure]:
    """Regressions against an earlier result on the same pattern."""
    if {outcome.verdict, before.verdict} == {"YES", "NO"}:
        reason = f"{outcome.verdict} is proven, but {before.verdict} was before"
        yield Failure(outcome.name, "contradiction", reason)
    elif _disjoint(outcome, before.lower, before.upper):
        reason = f"{_proven(outcome)}, but was proven to be {_range(before.lower, before.upper)}"
        yield Failure(outcome.name, "contradiction", f"{reason} before")
    if before.verdict in _BETTER.get(outcome.verdict, ()):
        reason = f"{outcome.verdict}, but {before.verdict} before"
        yield Failure(outcome.name, "lost", reason)
    limit = None if slower is None else slower * before.seconds + _NOISE
    if limit is not None and outcome.seconds > limit:
        reason = f"{outcome.seconds:.3g} s, but {before.seconds:.3g} s before"
        yield Failure(outcome.name, "slow", reason)


_BETTER = {"UNKNOWN": ("YES", "NO"), "INTERVAL": ("EXACT", "UNBOUNDED"), "NONE": ("VALID",)}
"""Verdicts, and for each the better verdicts that an earlier run must not have had."""


def with_earlier(
    files: Iterable[str], question: Question, results: str | Path
) -> tuple[Informant, Iterator[Outcome]]:
    """Read the files of ``--expect``: facts to add to results, and earlier results.

    Parameters
    ----------
    files : iterable of str
        Manifests, and at most one result file.
    question : Question
        The latest results for the same task and dimensions count, whatever their limits, seed
        and version.
    results : path
        The result file of this run: in this file, only other questions count.

    Returns
    -------
    Informant
        It adds the facts of the manifests to results.
    Iterator of Outcome
        The earlier results, in the order of their names.

    Raises
    ------
    InputError
        A file is neither of these, or has no results to compare with.
    """
    listed: dict[str, Listed] = {}
    kind = "vectors" if question.is_about_vectors else "pattern"
    earlier: Iterator[Outcome] = iter(())
    stores = 0
    for file in files:
        if is_manifest(Path(file)):
            for each in read_manifest(Path(file), kind):
                with errors_within(file):
                    before = listed.get(each.file)
                    listed[each.file] = each if before is None else combine(before, each)
            continue
        stores += 1
        earlier = _earlier(file, question, results)
    if stores > 1:
        raise InputError("a run can be compared with one earlier result file, not with several")
    facts = {name: each.facts for name, each in listed.items()}
    known = {name: each.known or {} for name, each in listed.items()}
    return Informant(facts, question, known), earlier


def require_match(
    files: Iterable[str], question: Question, results: str | Path, names: Collection[str]
) -> None:
    """Refuse files of ``--expect`` that match no instance, so that nothing was compared with them.

    Parameters
    ----------
    files, question, results
        As in `with_earlier`.
    names : collection of str
        The names of the instances; a set is fastest.

    Raises
    ------
    InputError
        A file matches no instance, or is none that `with_earlier` reads.
    """
    for file in files:
        inform, earlier = with_earlier([file], question, results)
        if not any(map(inform.knows, names)) and not any(one.name in names for one in earlier):
            example = min(names, default="")
            raise InputError(
                f"{file}: matches no instance of the set, such as {example}; nothing was "
                "compared with it: names must be equal, or end alike if it is a manifest"
            )


def _earlier(file: str, question: Question, results: str | Path) -> Iterator[Outcome]:
    """Results for the latest comparable question; the file stays open while they are read."""
    with Store(file) as store:
        asked = store.questions()
    same_file = Path(results).exists() and Path(results).samefile(file)
    numbers = [
        number
        for number, before in asked.items()
        if question.is_comparable(before) and not (same_file and before == question)
    ]
    if not numbers:
        own = "; this run replaces its results: name a copy of the file" if same_file else ""
        raise InputError(f"{file}: no earlier results for {question}{own}")
    return _outcomes(file, numbers[-1])


def _outcomes(file: str, number: int) -> Iterator[Outcome]:
    with Store(file) as store:
        yield from store.outcomes(number)
