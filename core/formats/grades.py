"""Grades of judgements: whole numbers, of which those below 1 mean not relevant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from samapprox.errors import InputError

__all__ = ["check_grades", "parse_grades"]

_GRADE = re.compile(r"[+-]?[0-9]{1,18}")
_HIGHEST = 10**18


def parse_grades(texts: Sequence[str], lines: Sequence[int]) -> list[int]:
    """Parse grades as TREC and BEIR write them.

    Parameters
    ----------
    texts : sequence of str
    lines : sequence of int
        The number of each text's line.

    Raises
    ------
    InputError
        A text is not a whole number, such as 0.5, nan or 1e3; names its line.

    Examples
    --------
    >>> parse_grades(["2", "-1"], lines=[1, 2])
    [2, -1]
    """
    grades = {text: int(text) for text in dict.fromkeys(texts) if _GRADE.fullmatch(text)}
    try:
        return [grades[text] for text in texts]
    except KeyError as error:
        raise _error(error.args[0], lines[texts.index(error.args[0])]) from None


def check_grades(values: Sequence[object], lines: Sequence[int]) -> list[int]:
    """Check grades as JSON has them.

    Parameters
    ----------
    values : sequence of object
    lines : sequence of int
        The number of each value's line.

    Raises
    ------
    InputError
        A value is not a whole number, such as 0.5, "1" or true; names its line.

    Examples
    --------
    >>> check_grades([2, -1], lines=[1, 2])
    [2, -1]
    """
    grades = [value for value in values if type(value) is int and -_HIGHEST < value < _HIGHEST]
    if len(grades) < len(values):
        # The first value that is left out stands where the two lists part.
        at = next((at for at, one in enumerate(grades) if values[at] is not one), len(grades))
        raise _error(values[at], lines[at])
    return grades


def _error(grade: object, line: int) -> InputError:
    return InputError(
        f"line {line}: the grade {grade!r:.40} is not a whole number of at most 18 digits; "
        "write 0, 1, 2, .. (0 and negative grades mean not relevant)"
    )
