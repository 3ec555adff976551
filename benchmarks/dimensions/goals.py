"""Goals of runs with a time limit, and what a run of `dim` or `decide` found and took."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from shared.child import Child

__all__ = ["Goal", "Measured"]

OVER = 1.0
"""Seconds by which a run may exceed its time limit."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a run with a time limit, besides ending in time.

    Attributes
    ----------
    limit : float
        The run's --time-limit, in seconds.
    exactly, at_most, width : int or None
        The least dimension; an upper bound; how far the bounds may lie apart. Where the bounds
        meet, as `exactly` and a width of 0 want it, the run must end within the limit itself.
    answer : str or None
        Of `decide`.
    gigabytes : float or None
        Peak memory.
    bounded : bool
        Both bounds must be better than the trivial ones, or have met.

    Examples
    --------
    >>> Goal(60, at_most=8, gigabytes=4).words
    '<= 8, under 4 GB in 60 s'
    """

    limit: float
    exactly: int | None = None
    at_most: int | None = None
    width: int | None = None
    answer: str | None = None
    gigabytes: float | None = None
    bounded: bool = False

    @property
    def words(self) -> str:
        """The goal as the table shows it."""
        parts = []
        if self.bounded:
            parts.append("first bounds")
        if self.exactly is not None:
            parts.append(f"exactly {self.exactly}")
        if self.at_most is not None:
            parts.append(f"<= {self.at_most}")
        if self.width is not None:
            parts.append("exact" if self.width == 0 else f"no wider than {self.width}")
        if self.answer is not None:
            parts.append(self.answer)
        if self.gigabytes is not None:
            parts.append(f"under {self.gigabytes:g} GB")
        return f"{', '.join(parts) or 'ends'} in {self.limit:g} s"

    def missed_by(self, found: Measured) -> str | None:
        """The part of the goal that a run misses, in words; None where it meets the goal."""
        meets = self.exactly is not None or self.width == 0
        most = self.limit if meets else self.limit + OVER
        if found.fault:
            return found.fault
        if found.seconds > most:
            return f"{found.seconds:.1f} s"
        if self.gigabytes is not None and found.gigabytes > self.gigabytes:
            return f"{found.gigabytes:.1f} GB"
        if self.answer is not None:
            return None if found.answer == self.answer else found.answer
        short = (
            (self.bounded and not found.bounded)
            or (self.exactly is not None and not found.lower == found.upper == self.exactly)
            or (self.at_most is not None and found.upper > self.at_most)
            or (self.width is not None and found.upper - found.lower > self.width)
        )
        return "bounds" if short else None


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a run: a line of the CSV file.

    Attributes
    ----------
    answer : str
        YES, NO or UNKNOWN; empty for `dim`.
    lower, upper : int
        0 where nothing was printed.
    bounded : bool
        Whether each bound has a certificate (the lower one need not where it is 1 and exact).
    seconds, gigabytes : float
        Wall time and peak memory of the process.
    fault : str
        Why there is no answer; empty where there is one.
    """

    answer: str = ""
    lower: int = 0
    upper: int = 0
    bounded: bool = False
    seconds: float = 0.0
    gigabytes: float = 0.0
    fault: str = ""

    @classmethod
    def of(cls, child: Child) -> Measured:
        """Read the document that `dim --json` or `decide --json` printed."""
        cost = cls(seconds=round(child.seconds, 2), gigabytes=round(child.gigabytes, 3))
        if child.status != 0:
            said = child.errors.strip().splitlines()
            why = said[-1] if said else f"exit status {child.status}"
            return replace(cost, fault="killed" if child.status < 0 else why)
        document: dict[str, Any] = json.loads(child.output)
        if "answer" in document:
            return replace(cost, answer=document["answer"])
        lower, upper = document["lower"], document["upper"]
        bounded = document["yes"] is not None and (lower == upper or document["no"] is not None)
        return replace(cost, lower=lower, upper=upper, bounded=bounded)

    @property
    def words(self) -> str:
        """The answer or the bounds."""
        if self.fault or self.answer:
            return self.fault or self.answer
        bounds = f"{self.lower}" if self.lower == self.upper else f"{self.lower}..{self.upper}"
        return bounds if self.bounded else f"{bounds} (a bound is trivial)"
