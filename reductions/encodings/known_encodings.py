"""The known encodings."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from samapprox.errors import CertificateError, InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.reductions.encodings.header import problem_of, read_header
from samapprox.solvers.engine.search import Search
from samapprox.support.nearest import unknown_name
from samapprox.support.time_limit import deadline_in
from samapprox.verdict import Attempt, Verdict

__all__ = ["ENCODINGS", "decode", "encode", "require_choices"]

_HERE = "samapprox.reductions.encodings"

ENCODINGS = {
    "dimacs": f"{_HERE}.dimacs",
    "smtlib": f"{_HERE}.smtlib",
    "mps": f"{_HERE}.mps",
    "lp": f"{_HERE}.lp",
    "opb": f"{_HERE}.opb",
}
"""Encoding -> its module, with `encode` and `decode`, imported when used."""


def encode(problem: Problem, encoding: str, **choices: Any) -> str:
    r"""Write a problem in another solver's language.

    Parameters
    ----------
    problem : Problem
    encoding : str
        One of `ENCODINGS`.
    **choices
        Those of the encoding's own `encode`.

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
    return str(_module(encoding).encode(problem, **choices))


def require_choices(encoding: str, choices: Iterable[str]) -> None:
    """Refuse choices that an encoding does not have.

    Parameters
    ----------
    encoding : str
        One of `ENCODINGS`.
    choices : iterable of str
        Names of parameters of the encoding's own `encode`.

    Raises
    ------
    InputError
        No such encoding or choice.

    Examples
    --------
    >>> require_choices("dimacs", ["relations"])
    >>> require_choices("smtlib", ["relations"])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: smtlib has no choice of relations
    """
    known = list(inspect.signature(_module(encoding).encode).parameters)[1:]
    for name in choices:
        if name not in known:
            raise InputError(f"{encoding} has no choice of {name}")


def decode(pattern: Pattern, answer: str, encoding: str, *, time_limit: float = 10.0) -> Verdict:
    r"""Decode a solver's answer to an encoding into a proof.

    Parameters
    ----------
    pattern : Pattern
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
    found = _module(name).decode(problem, document, answer, search)
    if isinstance(found, str):
        return Verdict(problem, None, (Attempt(name, time.perf_counter() - started, found),))
    outcome = Attempt(name, time.perf_counter() - started, "decoded")
    try:
        return Verdict(problem, found, (outcome,))
    except CertificateError as error:
        raise InputError(f"the answer proves nothing: {error}") from None


def _module(encoding: str) -> ModuleType:
    if encoding not in ENCODINGS:
        raise unknown_name("encoding", encoding, ENCODINGS)
    return import_module(ENCODINGS[encoding])
