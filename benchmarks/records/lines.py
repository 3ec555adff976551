"""Bounds of the patterns with both certificates: kept, bettered and checked.

A line of `benchmarks/measured/dimensions.csv` has two certificates in `benchmarks/certificates/`.
Checking imports no solver: patterns are made or read anew, and the exact checker compares every
bound with its certificate.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from shared.measured import from_line
from shared.paths import BENCHMARKS, MEASURED

from records.questions import SEED, Question, questions
from samapprox import Certificate, Embedding, Problem, rank, weak_dimension
from samapprox.proofs import Factors, Obstruction
from samapprox.proofs.questions import Rank

__all__ = ["Line", "bound", "describe", "fault", "join", "keep", "read_lines"]

TABLE = MEASURED / "dimensions.csv"
CERTIFICATES = BENCHMARKS / "certificates"


@dataclass(frozen=True)
class Line:
    """Bounds of one pattern: of its sign-rank where that is asked for, else of its dimension.

    `no` and `yes` are kinds of proofs, empty where a bound is trivial.
    """

    part: str
    name: str
    rows: int
    columns: int
    lower: int
    upper: int
    seconds: float
    no: str
    yes: str
    seed: int
    command: str

    @property
    def width(self) -> int:
        """0 for an exact dimension."""
        return self.upper - self.lower

    def certificate(self, side: str) -> Path:
        """Return the path of the certificate of a bound."""
        kept = "-".join(re.findall(r"[A-Za-z0-9_]+", self.name))
        return CERTIFICATES / f"{kept}.{side}.json.gz"


def read_lines() -> dict[str, Line]:
    """Return the rows of the table by name."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as stream:
        return {row["name"]: from_line(Line, row) for row in csv.DictReader(stream)}


def _write(table: dict[str, Line]) -> None:
    order = {question.name: at for at, question in enumerate(questions())}
    with TABLE.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Line)], lineterminator="\n")
        writer.writeheader()
        for line in sorted(table.values(), key=lambda one: order.get(one.name, len(order))):
            writer.writerow(asdict(line))


def describe(certificate: Certificate | None) -> str:
    """Return the kind of a proof, and the size of its core or of its integers."""
    if certificate is None:
        return ""
    proof = certificate.proof
    if isinstance(proof, Embedding):
        return f"embedding, {max(map(abs, [0, *proof.keys.ravel().tolist()])).bit_length()} bits"
    if isinstance(proof, Factors):
        return f"factors, {max(map(abs, [0, *proof.right.ravel().tolist()])).bit_length()} bits"
    assert isinstance(proof, Obstruction)  # for d alone, queries and keys are independent
    return f"{type(proof).__name__} {len(proof.rows)} x {len(proof.columns)}"


def bound(
    question: Question, seconds: float, only: Sequence[str] = ()
) -> tuple[Line, dict[str, Certificate]]:
    """The bounds that so much time proves, by some strategies or all."""
    pattern = question.pattern
    started = time.perf_counter()
    search = rank if question.ranked else weak_dimension
    found = search(pattern, time_limit=seconds, seed=SEED, only=only)
    took = time.perf_counter() - started
    proofs = {
        side: verdict.certificate
        for side, verdict in (("no", found.no), ("yes", found.yes))
        if verdict is not None and verdict.certificate is not None
    }
    line = Line(
        question.part,
        question.name,
        *pattern.shape,
        found.lower,
        found.upper,
        round(took, 2),
        describe(proofs.get("no")),
        describe(proofs.get("yes")),
        SEED,
        question.command(seconds, only),
    )
    return line, proofs


def join(old: Line, new: Line) -> Line:
    """The better bound of either side, where each run has one; else the line that is no wider."""
    lower, upper = new.lower > old.lower, new.upper < old.upper
    if new.lower >= old.lower and new.upper <= old.upper:
        return new
    if not (lower or upper):
        return old
    better = (
        replace(old, lower=new.lower, no=new.no)
        if lower
        else replace(old, upper=new.upper, yes=new.yes)
    )
    seconds, command = round(old.seconds + new.seconds, 2), f"{old.command}; {new.command}"
    return replace(better, seconds=seconds, command=command)


def keep(line: Line, proofs: dict[str, Certificate]) -> None:
    """Store a line with its certificates, unless better bounds are there."""
    table = read_lines()
    old = table.get(line.name)
    kept = line if old is None else join(old, line)
    CERTIFICATES.mkdir(exist_ok=True)
    for side, end in (("no", "lower"), ("yes", "upper")):
        if kept is old or (kept is not line and getattr(kept, end) != getattr(line, end)):
            continue
        path = line.certificate(side)
        path.unlink(missing_ok=True)
        if side in proofs:
            text = json.dumps(proofs[side].to_json(), separators=(",", ":")) + "\n"
            path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    _write({**table, line.name: kept})


def fault(line: Line, question: Question) -> str | None:
    """Return the fault of a line, or None if both certificates prove its bounds."""
    pattern = question.pattern
    if pattern.shape != (line.rows, line.columns):
        return f"the pattern is {pattern.shape[0]} x {pattern.shape[1]}"
    for side, answer, d in (("no", "NO", line.lower - 1), ("yes", "YES", line.upper)):
        path = line.certificate(side)
        if not path.exists():
            if d == (0 if side == "no" else max(1, min(line.rows, line.columns - 1))):
                continue  # every pattern has this bound
            return f"no certificate for {answer} in d = {d}"
        certificate = Certificate.load(path)
        asked = Rank(pattern, d) if question.ranked else Problem(pattern, d)
        if (certificate.answer, certificate.ask(pattern)) != (answer, asked):
            return f"{path.name} is about {certificate.answer} for {certificate.ask(pattern)}"
        check = certificate.verify(pattern)
        if not check:
            return f"{path.name}: {check.reason}"
    return None
