"""The problem in other solvers' languages, one encoding per file, and their answers as proofs.

A new encoding is one module beside these, and one line in `ENCODINGS`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable
from typing import Any, cast

from samapprox.errors import CertificateError, InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.reductions.encodings.header import Encoding, problem_of, read_header
from samapprox.results.verdict import Attempt, Verdict
from samapprox.solvers.engine.search import Search
from samapprox.support.limits import deadline_in
from samapprox.support.packages import lazy_modules, look_up

__all__ = ["ENCODINGS", "decode", "encode", "require_choices"]

_HERE = __name__

ENCODINGS = {
    "dimacs": f"{_HERE}.dimacs:DIMACS",
    "smtlib": f"{_HERE}.smtlib:SMTLIB",
    "mps": f"{_HERE}.programs:MPS",
    "lp": f"{_HERE}.programs:LP",
    "opb": f"{_HERE}.programs:OPB",
}
"""Encoding -> its module and `Encoding`, imported when used."""


def encode(problem: Problem, encoding: str, **choices: Any) -> str:
    r"""Write a problem in another solver's language.

    Parameters
    ----------
    problem : Problem
        The pattern and the dimensions to ask about.
    encoding : str
        One of `ENCODINGS`.
    **choices
        For dimacs, mps, lp and opb: `elements` ("columns" or "rows": whose orientations; by
        default those of the smaller side), `relations` (whether the Grassmann-Pluecker relations
        are added: seldom needed for NO, and many; by default not in dimacs), `rows` and `columns`
        (the part to refute; by default one of all equal or complementary rows and columns). For
        mps, lp and opb: `model` ("order" or "orientations"; by default an order for d = 1 and
        orientations otherwise), of which the order has no other choices. smtlib has none.

    Returns
    -------
    str
        Its comments say which answers prove what, and hold all that `decode` needs.

    Raises
    ------
    InputError
        No such encoding, a choice that it does not have, or a problem that it cannot hold.

    Examples
    --------
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> print(encode(problem, "dimacs").splitlines()[-1])
    3 2 -1 0
    """
    require_choices(encoding, choices)
    return _encoding(encoding).encode(problem, **choices)


def require_choices(encoding: str, choices: Iterable[str]) -> None:
    """Refuse choices that an encoding does not have.

    Parameters
    ----------
    encoding : str
        One of `ENCODINGS`.
    choices : iterable of str
        Names of choices, as for `encode`.

    Raises
    ------
    InputError
        No such encoding, or a choice that it does not have.

    Examples
    --------
    >>> require_choices("smtlib", ["relations"])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: smtlib has no choice of relations
    """
    known = list(inspect.signature(_encoding(encoding).encode).parameters)[1:]
    for name in choices:
        if name not in known:
            raise InputError(f"{encoding} has no choice of {name}")


def decode(pattern: Pattern, answer: str, encoding: str, *, time_limit: float = 10.0) -> Verdict:
    r"""Decode a solver's answer to an encoding into a proof.

    Parameters
    ----------
    pattern : Pattern
        The pattern that the encoding is about.
    answer : str
        The output of the solver: a model, a solution or a proof.
    encoding : str
        The text that was solved; its comments are enough.
    time_limit : float
        Seconds for finding points that fit a model of a relaxation.

    Returns
    -------
    Verdict
        Its proof has passed the exact checker; UNKNOWN where the answer proves nothing, and the
        trail says why.

    Raises
    ------
    InputError
        The answer cannot be read or is wrong; the encoding is about another pattern.

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> decode(pattern, "2 0\n0\n", encode(Problem(pattern, 1), "dimacs")).status
    <Status.NO: 'NO'>
    """
    search = Search(deadline_in(time_limit))
    document = read_header(encoding)
    problem = problem_of(pattern, document)
    name = document.get("encoding", str)
    started = time.perf_counter()
    found = _encoding(name).decode(problem, document, answer, search)
    if isinstance(found, str):
        return Verdict(problem, None, (Attempt(name, time.perf_counter() - started, found),))
    outcome = Attempt(name, time.perf_counter() - started, "decoded")
    try:
        return Verdict(problem, found, (outcome,))
    except CertificateError as error:
        raise InputError(f"the answer proves nothing: {error}") from None


def _encoding(name: str) -> Encoding:
    return cast(Encoding, look_up(name, ENCODINGS, "encoding"))


__getattr__, __dir__ = lazy_modules(__name__)
