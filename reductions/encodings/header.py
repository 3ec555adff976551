"""The comments at the head of an encoding, which suffice to read an answer to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import TYPE_CHECKING, Any

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.members import Part
from samapprox.proofs.parts.simplify import Simplification, simplify

if TYPE_CHECKING:
    from samapprox.proofs.base import Proof
    from samapprox.solvers.engine.search import Search


FORMAT = "samapprox-encoding"
VERSION = 1

_MOST_ENTRIES = 4_000_000  # entries of a pattern: larger encodings are of no use to a solver
_FIRST_LINES = 10  # lines of an encoding among which the document is looked for
_LONGEST = 1 << 24  # characters of the document, which is read before it is checked
_LARGEST = 1 << 31


@dataclass(frozen=True, slots=True)
class Encoding:
    """A language: `encode` writes a problem in it, `decode` reads the answer of a solver.

    `decode` returns a proof, or why the answer proves nothing.
    """

    encode: Callable[..., str]
    decode: Callable[[Problem, Part, str, Search], Proof | str]


def header(
    mark: str, encoding: str, problem: Problem, notes: Iterable[str], **members: Any
) -> list[str]:
    r"""Write the comment lines: title, a JSON document for decoding, and what answers prove.

    >>> problem = Problem(Pattern.from_text("10\n01"), 1)
    >>> for line in header("c", "dimacs", problem, ["A note."], elements="rows"):
    ...     print(line)
    c samapprox: can attention with d = 1 represent this 2 x 2 pattern?
    c {"format": "samapprox-encoding", "version": 1, "encoding": "dimacs", ...
    c A note.
    """
    rows, columns = problem.pattern.shape
    document = {
        "format": FORMAT,
        "version": VERSION,
        "encoding": encoding,
        "pattern": {"rows": rows, "columns": columns, "sha256": problem.pattern.sha256},
        "problem": {"d": problem.d, "d_hid": problem.d_hid},
        **members,
    }
    lines = [
        f"samapprox: can attention with {problem} represent this {rows} x {columns} pattern?",
        json.dumps(document),
        *notes,
    ]
    return [f"{mark} {line}" for line in lines]


def read_header(encoding: str) -> Part:
    """Return the document in the comments of an encoding.

    >>> read_header("p cnf 1 0")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the encoding has no samapprox comments at its head; ...
    """
    for line in islice(StringIO(encoding), _FIRST_LINES):
        brace = line.find("{")
        if 0 < brace < 4:
            if len(line) > _LONGEST:
                raise InputError(f"the encoding's comments are longer than {_LONGEST} characters")
            try:
                document = Part(json.loads(line[brace:].rstrip("\n")), "the encoding's comment")
            except (ValueError, RecursionError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(f"the encoding's comment is not JSON: {error}") from None
            if document.get("format", str) != FORMAT or document.get("version", int) != VERSION:
                raise InputError(f"the encoding is not a {FORMAT} of version {VERSION}")
            return document
    raise InputError(
        "the encoding has no samapprox comments at its head; give the file that encode wrote"
    )


def problem_of(pattern: Pattern, document: Part) -> Problem:
    """Return the question that an encoding asks about this pattern."""
    sha256 = document.part("pattern").get("sha256", str)
    if sha256 != pattern.sha256:
        raise InputError(
            f"the encoding is about another pattern (sha256 {sha256[:12]}..), not this one "
            f"(sha256 {pattern.sha256[:12]}..)"
        )
    question = document.part("problem")
    return Problem(pattern, question.get("d", int), question.get("d_hid", (int, type(None))))


def merge(pattern: Pattern) -> Simplification:
    """Merge equal rows and columns, as solvers get the pattern; rows as given."""
    rows, columns = pattern.shape
    if rows * columns > _MOST_ENTRIES:
        raise InputError(f"a {rows} x {columns} pattern is too large to be written for a solver")
    simplified = simplify(pattern).unturned()
    if simplified.pattern is None:
        raise InputError(
            "no row has a 0, so every embedding represents the pattern: nothing to solve"
        )
    return simplified


def numbers(words: Iterable[str], where: str) -> list[int]:
    """Read whole numbers of at most as many digits as variables have."""
    try:
        values = [int(word) for word in words]
    except ValueError:
        raise InputError(f"{where} must hold whole numbers only") from None
    if values and max(map(abs, values)) > _LARGEST:
        raise InputError(f"{where} names a variable beyond {_LARGEST}")
    return values
