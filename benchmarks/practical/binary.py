"""Least dimensions of binary queries and keys, with both certificates, for docs/studies/binary.md.

A line of `benchmarks/measured/binary.csv` has a certificate of each bound in
`benchmarks/certificates/binary/`. A dimension of at least 1 needs none, and refutations of more
than 200 kB are not stored.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from shared.markers import put_between_markers
from shared.measured import from_line
from shared.paths import BENCHMARKS, DOCS, MEASURED

from practical.few_values import list_patterns
from samapprox import Certificate, Pattern, Problem, weak_dimension

__all__ = ["PAGE", "Line", "check", "make_table", "measure_binary", "read_lines", "write_page"]

TABLE = MEASURED / "binary.csv"
CERTIFICATES = BENCHMARKS / "certificates" / "binary"
PAGE = DOCS / "studies" / "binary.md"
MARKER = "<!-- table of benchmarks/practical/practice.py: binary -->"
TOKENS, MOST_BYTES = 25, 200_000
SIDES = ("yes", "no")


@dataclass(frozen=True)
class Line:
    """Bounds of one pattern.

    `no` is the kind of the refutation of `lower` - 1, `lemmas` counts what it derives, and `bytes`
    are those of its certificate, compressed. `seconds` are those of the processor.
    """

    name: str
    rows: int
    columns: int
    lower: int
    upper: int
    no: str
    lemmas: int
    bytes: int
    seconds: float

    def certificate(self, side: str) -> Path:
        """Return the path of the certificate of a bound."""
        kept = "-".join(re.findall(r"[A-Za-z0-9_]+", self.name))
        return CERTIFICATES / f"{kept}.{side}.json.gz"


def read_lines() -> dict[str, Line]:
    """Return the lines of the table by name."""
    with TABLE.open(newline="") as stream:
        return {row["name"]: from_line(Line, row) for row in csv.DictReader(stream)}


def measure_binary(seconds: float, only: str = "") -> Iterator[Line]:
    """Measure each pattern, and keep what is better than before."""
    for name, pattern in list_patterns(TOKENS):
        if only not in name:
            continue
        began = time.process_time()
        found = weak_dimension(pattern, similarity="binary", time_limit=seconds)
        spent = round(time.process_time() - began, 1)
        proof = None if found.no is None else found.no.proof
        lemmas = len(getattr(proof, "lemmas", ()))
        kind = "" if proof is None else proof.KIND
        texts = {"yes": _compress(found.yes_certificate), "no": _compress(found.no_certificate)}
        shape, size = pattern.shape, len(texts["no"])
        line = Line(name, *shape, found.lower, found.upper, kind, lemmas, size, spent)
        _keep(line, texts)
        yield line


def _compress(certificate: Certificate | None) -> bytes:
    if certificate is None:
        return b""
    return gzip.compress((json.dumps(certificate.to_json()) + "\n").encode(), mtime=0)


def _keep(line: Line, certificates: dict[str, bytes]) -> None:
    """Replace what is stored by better bounds, and by shorter refutations of the same bound."""
    lines = read_lines() if TABLE.exists() else {}
    old = lines.get(line.name)
    better = dict.fromkeys(SIDES, True)
    if old is not None:
        better["yes"] = line.upper < old.upper
        better["no"] = (-line.lower, line.lemmas) < (-old.lower, old.lemmas)
        if not better["no"]:
            line = replace(line, lower=old.lower, no=old.no, lemmas=old.lemmas, bytes=old.bytes)
        line = replace(line, upper=min(line.upper, old.upper))
    CERTIFICATES.mkdir(exist_ok=True)
    for side, certificate in certificates.items():
        if better[side]:
            line.certificate(side).unlink(missing_ok=True)
            if 0 < len(certificate) <= MOST_BYTES:
                line.certificate(side).write_bytes(certificate)
    lines[line.name] = line
    with TABLE.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Line)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(one) for one in lines.values())


def check(line: Line, pattern: Pattern) -> str | None:
    """Return what is wrong with a line, or None if certificates prove both bounds."""
    for side, d in (("yes", line.upper), ("no", line.lower - 1)):
        if side == "no" and not 0 < line.bytes <= MOST_BYTES:
            continue
        if not (path := line.certificate(side)).exists():
            return f"{line.name}: no certificate for {side}"
        certificate = Certificate.load(path)
        problem = Problem(pattern, d, similarity="binary")
        if certificate.terms != problem.terms:
            return f"{path.name}: about something else"
        if not (found := certificate.verify(pattern)):
            return f"{path.name}: {found.reason}"
    return None


def make_table() -> str:
    """Return the lines as a table in Markdown."""
    head = ["pattern", "shape", "binary dimension", "refutation", "certificate"]
    rows = [head, ["---"] * len(head)]
    for line in read_lines().values():
        bounds = f"{line.lower}" if line.lower == line.upper else f"{line.lower}..{line.upper}"
        lemmas = f", {line.lemmas:,} lemmas" if line.lemmas else ""
        size = f"{-(-line.bytes // 1000)} kB" + (", not stored" if line.bytes > MOST_BYTES else "")
        shape = f"{line.rows} x {line.columns}"
        rows.append([line.name, shape, bounds, f"{line.no}{lemmas}", size])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def write_page() -> None:
    """Rewrite the table of the page."""
    put_between_markers(PAGE, MARKER, make_table())
