"""Make the atlas of small patterns, check all of its certificates, and print or store it.

    python benchmarks records.results atlas [--size 6] [--journal FILE] [--store]
    python benchmarks records.results atlas --renew

Size 6 takes some seconds, size 7 some minutes, most of them for the check. The journal keeps what
was decided, so that a run that was interrupted goes on. --store replaces the stored counts, minimal
patterns and certificates, and the tables of docs/studies/records.md. --renew refutes the stored
minimal patterns again, which takes a minute, and finds what new strategies can do.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from shared.markers import put_between_markers
from shared.measured import from_line
from shared.paths import DOCS

from samapprox import Certificate, InputError, Pattern, Problem, decide
from samapprox.proofs import Chirotope, Obstruction
from samapprox.solvers.engine.portfolio import STRATEGIES

if TYPE_CHECKING:
    from records.atlas import Atlas

__all__ = [
    "Counts",
    "MinimalLine",
    "check_certificates",
    "check_stored",
    "main",
    "make_tables",
    "name_refutation",
    "read_counts",
    "read_minimal",
]

HERE = Path(__file__).parent
COUNTS, MINIMAL = HERE / "atlas_counts.csv", HERE / "atlas_minimal.csv"
CERTIFICATES = HERE / "atlas_minimal.jsonl.gz"
PAGE = DOCS / "studies" / "records.md"

REFUTERS = ("counting", "topological", "chirotope", "polynomials")
"""Strategies whose refutations name a minimal pattern, simplest first."""
REFUTER_SECONDS = 60.0

Kind = TypeVar("Kind", "Counts", "MinimalLine")


@dataclass(frozen=True)
class Counts:
    """The numbers of reduced classes of a shape, by dimension, and of minimal ones."""

    rows: int
    columns: int
    classes: int
    d1: int
    d2: int
    d3: int
    minimal: int


@dataclass(frozen=True)
class MinimalLine:
    """A minimal pattern, its rows separated by /, and what alone refutes one dimension less."""

    rows: int
    columns: int
    d: int
    refuted_by: str
    pattern: str

    def read(self) -> Pattern:
        """The pattern."""
        return Pattern.from_text(self.pattern.replace("/", "\n"))


# --------------------------------------------------------------------------------- what is computed


def check_certificates(atlas: Atlas, m: int, n: int) -> int:
    """Check both certificates of every reduced class of a shape; return their number.

    Raises
    ------
    ValueError
        One does not hold.
    """
    level, checked = atlas.levels[m, n], 0
    for at in np.flatnonzero(level.reduced).tolist():
        pattern = atlas.pattern(m, n, at)
        no, yes = atlas.certificates(m, n, at)
        d = int(level.d[at])
        if yes.d != d or (no is None) != (d == 1) or (no is not None and no.d != d - 1):
            raise ValueError(f"certificates about other dimensions than {d}: {pattern.to_text()!r}")
        for certificate in (yes, no):
            if certificate is not None:
                check = certificate.verify(pattern)
                if not check:
                    raise ValueError(f"{check.reason}: {pattern.to_text()!r}")
                checked += 1
    return checked


def count(atlas: Atlas, m: int, n: int) -> Counts:
    """The counts of a shape."""
    level = atlas.levels[m, n]
    one, two, three = (int((level.reduced & (level.d == d)).sum()) for d in (1, 2, 3))
    classes = int(level.reduced.sum())
    if one + two + three != classes:
        raise ValueError("there is no column for d = 4")
    return Counts(m, n, classes, one, two, three, int(level.minimal.sum()))


def name_refutation(proof: Obstruction) -> str:
    """Name the argument of a refutation, as the tables do.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> name_refutation(Radon([0, 1, 2], [0, 1, 2]))
    'radon'
    """
    if not isinstance(proof, Chirotope):
        return proof.KIND
    if proof.polynomials:
        return "final polynomials"
    return "orientations with relations" if proof.relations else "orientations"


def refute(pattern: Pattern, d: int) -> dict[str, Certificate]:
    """Refutations of d by different strategies, simplest first; none for d = 0."""
    known = {record.name for record in STRATEGIES}
    found: dict[str, Certificate] = {}
    for name in REFUTERS if d > 0 else ():
        if name not in known or (name == "polynomials" and found):
            continue
        certificate = decide(pattern, d, only=[name], time_limit=REFUTER_SECONDS).certificate
        if certificate is not None:
            assert isinstance(certificate.proof, Obstruction)
            found.setdefault(name_refutation(certificate.proof), certificate)
    return found


# ----------------------------------------------------------------------------------- what is stored


def read_counts() -> list[Counts]:
    """The stored counts by shape."""
    return _read(Counts, COUNTS)


def read_minimal() -> list[MinimalLine]:
    """The stored minimal patterns."""
    return _read(MinimalLine, MINIMAL)


def read_certificates() -> Iterator[dict[str, Certificate]]:
    """The certificates of the stored minimal patterns by side; "no" where d > 1."""
    for line in gzip.decompress(CERTIFICATES.read_bytes()).decode().splitlines():
        yield {side: Certificate.from_json(one) for side, one in json.loads(line).items()}


def check_stored() -> list[str]:
    """Check the certificates of all stored minimal patterns; return what is wrong."""
    wrong = []
    for line, certificates in zip(read_minimal(), read_certificates(), strict=True):
        pattern = line.read()
        claims = {"yes": ("YES", line.d)} | ({"no": ("NO", line.d - 1)} if line.d > 1 else {})
        found = {side: (one.answer, one.d) for side, one in certificates.items()}
        if found != claims or pattern.shape != (line.rows, line.columns):
            wrong.append(f"{line.pattern}: certificates of something else")
        for certificate in certificates.values():
            check = certificate.verify(pattern)
            if not check:
                wrong.append(f"{line.pattern}: {check.reason}")
    return wrong


def store_minimal(minimal: Iterable[tuple[Pattern, Certificate]]) -> None:
    """Replace the stored minimal patterns; each comes with its certificate of YES."""
    lines, certificates = [], []
    for pattern, yes in minimal:
        refutations = refute(pattern, yes.d - 1)
        documents = {"yes": yes.to_json()}
        if refutations:
            documents["no"] = next(iter(refutations.values())).to_json()
        certificates.append(json.dumps(documents, separators=(",", ":")) + "\n")
        text = pattern.to_text().replace("\n", "/")
        lines.append(MinimalLine(*pattern.shape, yes.d, "; ".join(refutations), text))
    _write(MINIMAL, lines)
    CERTIFICATES.write_bytes(gzip.compress("".join(certificates).encode(), 9, mtime=0))


def write_page() -> None:
    """Replace the tables of the page."""
    for name, table in make_tables().items():
        put_between_markers(PAGE, marker(name), table)


def _read(kind: type[Kind], path: Path) -> list[Kind]:
    with path.open(newline="") as stream:
        return [from_line(kind, row) for row in csv.DictReader(stream)]


def _write(path: Path, lines: list[Kind]) -> None:
    with path.open("w", newline="") as stream:
        names = [field.name for field in fields(lines[0])]
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, lines))


# ------------------------------------------------------------------------------------------- tables


def make_tables() -> dict[str, str]:
    """The tables of the page by the names of their markers."""
    counts, minimal = read_counts(), read_minimal()
    shapes = [
        (f"{one.rows} x {one.columns}", one.classes, one.d1, one.d2, one.d3, one.minimal)
        for one in counts
    ]
    total = [sum(column) for column in list(zip(*shapes, strict=True))[1:]]
    patterns = [
        (f"{one.rows} x {one.columns}", one.d, f"`{one.pattern}`", one.refuted_by)
        for one in minimal
    ]
    return {
        "atlas": _table(
            ("shape", "classes", "d = 1", "d = 2", "d = 3", "minimal"), [*shapes, ("all", *total)]
        ),
        "minimal": _table(("shape", "d", "pattern", "d - 1 is refuted by"), patterns),
    }


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    every = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in every)


def marker(name: str) -> str:
    """The line of the page that a table of the atlas follows."""
    return f"<!-- table of benchmarks/records/atlas_files.py: {name} -->"


def main(arguments: list[str]) -> None:
    from records.atlas import Atlas

    parser = argparse.ArgumentParser(
        prog="records.results atlas",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--size", type=int, default=6, help="most rows and columns, up to 7")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a decision")
    parser.add_argument("--journal", type=Path, help="file of decisions")
    parser.add_argument("--renew", action="store_true", help="refute the stored patterns again")
    parser.add_argument("--store", action="store_true", help="replace the stored atlas")
    options = parser.parse_args(arguments)
    if options.renew:
        patterns = [line.read() for line in read_minimal()]
        proofs = [certificates["yes"] for certificates in read_certificates()]
        store_minimal(zip(patterns, proofs, strict=True))
        write_page()
        return
    if not 1 <= options.size <= 7:
        parser.error(f"--size must be in 1..7, not {options.size}")
    try:
        atlas = Atlas(options.size, options.size, options.journal, seconds=options.seconds)
    except (InputError, OSError) as error:
        parser.error(str(error))
    counts, checked = [], 0
    for m, n in atlas.build():
        one = count(atlas, m, n)
        checked += check_certificates(atlas, m, n)
        if one.classes:
            counts.append(one)
            print(f"{m} x {n}: {one}; {checked} certificates checked", flush=True)
    print(f"{sum(one.classes for one in counts)} classes, {len(atlas.minimal)} minimal patterns")
    if options.store:
        _write(COUNTS, counts)
        store_minimal(
            (Pattern(one.entries), Certificate.of(Problem(Pattern(one.entries), one.d), one.yes))
            for one in atlas.minimal
        )
        write_page()
