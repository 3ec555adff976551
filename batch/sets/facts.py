"""Known facts about instances: the manifests that state them, and what they imply."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.sets.entry import known_pairs
from samapprox.errors import InputError, abridge, errors_within
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.problem import Problem, require_dimension
from samapprox.proofs.certificate import FORMAT as CERTIFICATE_FORMAT
from samapprox.proofs.members import Part
from samapprox.similarities import VALUE_SETS
from samapprox.support.packages import require_name

_ONE_MORE = ("sign", "global")  # ranks that may exceed the weak dimension by one
_ANY = Pattern.from_text("1")  # facts are about dimensions alone, so any square pattern will do


def known_answer(
    facts: Iterable[Fact], question: Question, known: Mapping[str, Any] | None = None
) -> str | None:
    """Return the answer that is known for the task ``decide``; None if none is.

    >>> known_answer([Fact(2, None, "NO", "Radon")], Question("decide", d=1))
    'NO'
    """
    if question.task != "decide" or question.d is None:
        return None
    if not question.similarity_record.is_attention:
        lower, upper = known_bounds(facts, question, known)
        if upper is not None and question.d >= upper:
            return "YES"
        return "NO" if lower is not None and question.d < lower else None
    try:
        problem = Problem(_ANY, question.d, question.d_hid)
    except InputError:  # the question makes no sense
        return None
    return Instance(_ANY, tuple(facts)).known_answer(problem)


def known_bounds(
    facts: Iterable[Fact], question: Question, known: Mapping[str, Any] | None = None
) -> tuple[int | None, int | None]:
    """Return the known bounds on what the question measures; None if there are none.

    `known`: dimensions that are enough in number formats and sets of values. If the facts
    contradict each other, the lower bound may exceed the upper one.

    >>> facts = [Fact(2, None, "NO", "Radon"), Fact(5, 5, "YES", "planted")]
    >>> known_bounds(facts, Question("dim")), known_bounds(facts, Question("rank"))
    ((3, 5), (3, 6))
    >>> known_bounds(facts, Question("fit", d=2)), known_bounds(facts, Question("fit", d=6))
    ((1, None), (None, 0))
    >>> known_bounds(facts, Question("dim", arithmetic="int8"), {"int8": 7})
    (3, 7)
    """
    lower, upper = _dimension(facts, question, known or {})
    if question.task in ("margin", "evaluate"):
        return None, None
    if question.at is not None:  # rows may be right at K without an embedding of the pattern
        return None, None
    if question.task == "fit" and question.d is not None:
        some = lower is not None and question.d < lower
        none = upper is not None and question.d >= upper
        return 1 if some else None, 0 if none else None
    return lower, upper


def _dimension(
    facts: Iterable[Fact], question: Question, known: Mapping[str, Any]
) -> tuple[int | None, int | None]:
    """Return bounds on the dimension, for the question's similarity, or on its rank.

    With e, d and s for distances, dot products and cosines, e <= d <= s <= e + 1. With one
    threshold for each row, the rank is d; other ranks are d or d + 1. Vectors with few values need
    d dimensions or more, and so do vectors that are right both exactly and in a number format.
    """
    lower, upper = _weak_dimension(facts)
    if lower is not None:
        lower = max(1, lower - question.similarity_record.below)
    if question.number_format is not None:
        holds = question.grading.has_default_ones  # other thresholds give another pattern
        upper = known.get(question.number_format) if holds else None
    elif upper is not None:
        upper += 1 if question.kind in _ONE_MORE else question.similarity_record.above
    return lower, upper


def _weak_dimension(facts: Iterable[Fact]) -> tuple[int | None, int | None]:
    """Return bounds on the weak dimension."""
    given = list(facts)
    no = [
        fact.d
        for fact in given
        if fact.answer == "NO" and (fact.d_hid is None or fact.d_hid >= 2 * fact.d)
    ]
    yes = [fact.d for fact in given if fact.answer == "YES"]
    return max(no) + 1 if no else None, min(yes, default=None)


def _find_contradiction(facts: Iterable[Fact]) -> tuple[Fact, Fact] | None:
    """Return a NO and a YES that cannot both hold; None if all facts are consistent.

    Every NO is compared with every YES: quadratic in the number of facts, which are few.

    >>> facts = [Fact(1, None, "NO", "Radon"), Fact(3, None, "YES", ""), Fact(1, 2, "YES", "")]
    >>> no, yes = _find_contradiction(facts)
    >>> no.d, yes.d, yes.d_hid
    (1, 1, 2)
    """
    given = list(facts)
    for no in given:
        for yes in given:
            if (no.answer, yes.answer) == ("NO", "YES"):
                try:
                    problem = Problem(_ANY, no.d, no.d_hid)
                except InputError:  # no question can be about it
                    continue
                if Instance(_ANY, (yes,)).known_answer(problem) == "YES":
                    return no, yes
    return None


def with_known(outcome: Outcome, known: Mapping[str, Any]) -> Outcome:
    """Return a result about orthogonal vectors with the number of pairs that is known.

    >>> found = with_known(Outcome("a", ""), {"pairs": 1})
    >>> found.known, found.known_lower, found.known_upper
    ('YES', 1, 1)
    """
    pairs = known_pairs(known)
    if pairs is None:
        return outcome
    return outcome._replace(
        known="YES" if pairs else "NO",
        known_lower=max(pairs, outcome.known_lower or 0),
        known_upper=min(pairs, pairs if outcome.known_upper is None else outcome.known_upper),
    )


class Informant:
    """A source of facts about instances, by their names.

    The facts of a file belong to the instance with this name, or with a path that ends in this
    name; or to an instance whose name is the end of this path and of no other. A causal question
    specifies fewer entries, so only a YES remains known.
    """

    def __init__(
        self,
        facts: Mapping[str, tuple[Fact, ...]],
        question: Question,
        known: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._facts = facts
        self._known = known or {}
        self._question = question
        self._by_base: dict[str, str | None] = {}
        for file in facts:
            base = PurePosixPath(file).name
            self._by_base[base] = None if base in self._by_base else file

    def __call__(self, outcome: Outcome) -> Outcome:
        """Return the result with these facts added to those of its source."""
        file = self._file(outcome.name)
        if self._question.is_about_vectors:
            return outcome if file is None else with_known(outcome, self._known.get(file, {}))
        if file is None:
            return outcome
        facts = self._question.grading.known(self._facts[file])
        if self._question.causal:
            facts = tuple(fact for fact in facts if fact.answer == "YES")
        known = self._known.get(file)
        lower, upper = known_bounds(facts, self._question, known)
        lowers = [bound for bound in (lower, outcome.known_lower) if bound is not None]
        uppers = [bound for bound in (upper, outcome.known_upper) if bound is not None]
        return outcome._replace(
            known=outcome.known or known_answer(facts, self._question, known),
            known_lower=max(lowers, default=None),
            known_upper=min(uppers, default=None),
        )

    def knows(self, name: str) -> bool:
        """Return whether an instance of this name is listed, even if without facts."""
        return self._file(name) is not None

    def _file(self, name: str) -> str | None:
        rest = name
        while rest:  # the longest ending first
            if rest in self._facts:
                return rest
            rest = rest.partition("/")[2]
        file = self._by_base.get(PurePosixPath(name).name)
        return file if file is not None and f"/{file}".endswith(f"/{name}") else None


_FORMAT = "samapprox-manifest"


@dataclass(frozen=True, slots=True)
class Listed:
    """One file of a manifest."""

    label: str  # the name of the set
    file: str  # the path, relative to the manifest
    sha256: str | None  # the checksum of its bytes, if the manifest states it
    facts: tuple[Fact, ...]
    # what is known about a set of vectors; for a pattern, a dimension that is enough for each of
    # some number formats
    known: Mapping[str, Any] | None = None


def is_manifest(path: Path) -> bool:
    """Return whether a file's name is that of a manifest, without reading the file.

    >>> is_manifest(Path("set/manifest.json")), is_manifest(Path("set/p.npz"))
    (True, False)
    """
    return path.suffix.lower() == ".json"


def read_manifest(path: Path, kind: str = "pattern") -> list[Listed]:
    """Read the files of one kind that a manifest lists; sets of other kinds are ignored."""
    try:
        root = Part(json.loads(path.read_text(encoding="utf-8")), "the manifest")
        if not root.has("format"):
            raise InputError(
                f'a manifest begins with {{"format": "{_FORMAT}", "version": 1, "sets": [..]}}'
            )
        if root.get("format", str) == CERTIFICATE_FORMAT:
            raise InputError(
                "this is a certificate, not a pattern or a manifest; --certificates names a folder "
                "of certificates"
            )
        if root.get("format", str) != _FORMAT or root.get("version", int) != 1:
            raise InputError(f"not a {_FORMAT} of version 1")
        found = list(_listed(root, path.parent, kind))
    except InputError as error:
        raise error.within(str(path)) from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not a JSON manifest: {error}") from None
    if not found:
        raise InputError(f"{path}: the manifest lists no {kind}")
    return found


def combine(before: Listed, now: Listed) -> Listed:
    """Combine what is stated about a file in two places; label and checksum are the second ones.

    Raises InputError: the statements contradict each other.

    >>> one = Listed("a", "p.npz", None, (Fact(1, None, "NO", ""),), {"int8": 3})
    >>> both = combine(one, Listed("b", "p.npz", None, (Fact(3, None, "YES", ""),)))
    >>> len(both.facts), both.known
    (2, {'int8': 3})
    """
    facts = (*before.facts, *now.facts)
    earlier, known = before.known or {}, now.known or {}
    with errors_within(now.file):
        _require_consistent(facts)
        for name in sorted(earlier.keys() & known.keys()):
            if earlier[name] != known[name]:
                values = f"{abridge(earlier[name])} and {abridge(known[name])}"
                raise InputError(f"{name} is known to be {values}; correct one of them")
    return replace(now, facts=facts, known={**earlier, **known})


def _listed(root: Part, folder: Path, kind: str) -> Iterator[Listed]:
    for value in root.get("sets", list):
        part = Part(value, "a set")
        if part.get("kind", str) != kind:
            continue
        for file in part.get("files", list):
            yield _file(Part(file, "a file"), part.get("name", str), folder, kind)


def _file(part: Part, label: str, folder: Path, kind: str) -> Listed:
    file = part.get("file", str)
    if "\\" in file:  # a separator on Windows, part of a name elsewhere
        raise InputError(f"{file!r} has a backslash; write / between folders, on every system")
    if not (folder / file).resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{file!r} lies outside the manifest's folder")
    sha256 = part.get("sha256", str) if part.has("sha256") else None
    with errors_within(file):
        stated = part.get("facts", list) if part.has("facts") else []
        facts = tuple(map(Fact.from_json, stated))
        _require_consistent(facts)
        known = part.get("known", dict) if part.has("known") else None
        if kind == "pattern":
            _require_dimensions(known or {})
        else:
            known_pairs(known or {})  # refuses other values
    return Listed(label, file, sha256, facts, known)


def _require_dimensions(known: Mapping[str, Any]) -> None:
    """Refuse what names no number format and no set of values, or states no dimension."""
    for name, d in known.items():
        from samapprox.precision import EMBEDDING_FORMATS  # seldom needed

        require_name("number format", name, (*EMBEDDING_FORMATS, *VALUE_SETS))
        require_dimension(f"the known dimension in {name}", d)


def _require_consistent(facts: Sequence[Fact]) -> None:
    contradiction = _find_contradiction(facts)
    if contradiction is not None:
        no, yes = (_text(fact) for fact in contradiction)
        raise InputError(f"the facts contradict each other: {no} and {yes}; correct one of them")


def _text(fact: Fact) -> str:
    hidden = "" if fact.d_hid is None else f", d_hid = {fact.d_hid}"
    return f"{fact.answer} for d = {fact.d}{hidden}"


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number added to repeated ones.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a#2']
    """
    seen: Counter[str] = Counter()
    taken = set(names)
    found = []
    for name in names:
        seen[name] += 1
        unique = name
        while seen[name] > 1 and unique in taken:
            unique = f"{name}#{seen[name]}"
            seen[name] += unique in taken
        taken.add(unique)
        found.append(unique)
    return found
