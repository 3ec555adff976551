"""Every line of docs/studies/dimensions.md with both certificates: made again, or checked.

    python benchmarks/results.py [PART ..] [--seconds S] [--tokens N ..]
    python benchmarks/results.py --verify

A run keeps every bound that it does not better, in `benchmarks/dimensions.csv` and
`benchmarks/certificates/`. Checking imports no solver: patterns are made or read anew, and every
bound is held against its certificate by the exact checker.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from dimension import MASKS
from shared.measured import from_line

from samapprox import (
    Certificate,
    Embedding,
    Obstruction,
    Pattern,
    WeakDimension,
    data,
    load,
    weak_dimension,
)
from samapprox.reductions.families import generate

HERE = Path(__file__).parent
TABLE, CERTIFICATES = HERE / "dimensions.csv", HERE / "certificates"

SEED = 0


@dataclass(frozen=True)
class Question:
    """A pattern and how to get it: a file of the data folder, or a mask."""

    part: str
    name: str
    file: str = ""
    graph: str = ""
    n: int = 0
    causal: bool = False

    @property
    def pattern(self) -> Pattern:
        """Read or made anew."""
        if self.file:
            return load(data.path(self.file))
        return generate("mask", causal=self.causal, graph=self.graph, n=self.n).pattern

    def command(self, seconds: float, only: list[str]) -> str:
        """The command that finds the same bounds."""
        chosen = "".join(f" --only {name}" for name in only)
        how = f"--seed {SEED} --time-limit {seconds:g}{chosen} --no no.json --yes yes.json"
        if self.file:
            return f"samapprox dim data/{self.file} {how}"
        made = f"--graph {self.graph} --n {self.n}{' --causal' * self.causal}"
        return f"samapprox generate mask {made} --output m.npz && samapprox dim m.npz {how}"


def questions(tokens: list[int]) -> Iterator[Question]:
    """All lines, in the order of the page."""
    for path in data.files("minilm"):
        yield Question("minilm", path.stem, f"minilm/{path.name}")
    yield Question("limit", "limit", "limit/limit.npz")
    for n in tokens:
        for graph in MASKS:
            for causal in (False, True):
                name = f"{graph}, n = {n}{', causal' * causal}"
                yield Question("masks", name, "", graph, n, causal)


@dataclass(frozen=True)
class Line:
    """Bounds of one pattern; `no` and `yes` are kinds of proofs, empty where a bound is trivial."""

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


def lines() -> dict[str, Line]:
    """Return the rows of the table by name."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as stream:
        return {row["name"]: from_line(Line, row) for row in csv.DictReader(stream)}


def write(table: dict[str, Line]) -> None:
    order = {question.name: at for at, question in enumerate(questions([32, 64, 128]))}
    with TABLE.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Line)], lineterminator="\n")
        writer.writeheader()
        for line in sorted(table.values(), key=lambda one: order.get(one.name, len(order))):
            writer.writerow(asdict(line))


def kind(certificate: Certificate | None) -> str:
    """In a word or two: which proof, and how large its core is."""
    if certificate is None:
        return ""
    proof = certificate.proof
    if isinstance(proof, Embedding):
        return f"embedding, {max(map(abs, [0, *proof.keys.ravel().tolist()])).bit_length()} bits"
    assert isinstance(proof, Obstruction)  # for d alone, queries and keys are independent
    return f"{type(proof).__name__} {len(proof.rows)} x {len(proof.columns)}"


def answered(
    question: Question, seconds: float, only: list[str]
) -> tuple[Line, dict[str, Certificate]]:
    """The bounds that so much time proves, by some strategies or all."""
    pattern = question.pattern
    started = time.perf_counter()
    found: WeakDimension = weak_dimension(pattern, time_limit=seconds, seed=SEED, only=only)
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
        kind(proofs.get("no")),
        kind(proofs.get("yes")),
        SEED,
        question.command(seconds, only),
    )
    return line, proofs


def joined(old: Line, new: Line) -> Line:
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
    table = lines()
    old = table.get(line.name)
    kept = line if old is None else joined(old, line)
    CERTIFICATES.mkdir(exist_ok=True)
    for side in ("no", "yes"):
        bound = "lower" if side == "no" else "upper"
        if kept is old or (kept is not line and getattr(kept, bound) != getattr(line, bound)):
            continue
        path = line.certificate(side)
        path.unlink(missing_ok=True)
        if side in proofs:
            text = json.dumps(proofs[side].to_json(), separators=(",", ":")) + "\n"
            path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    write({**table, line.name: kept})


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
        if (certificate.answer, certificate.d, certificate.d_hid) != (answer, d, None):
            return f"{path.name} is about {certificate.answer} in d = {certificate.d}"
        check = certificate.verify(pattern)
        if not check:
            return f"{path.name}: {check.reason}"
    return None


def verified() -> int:
    """Check every line; how many fail."""
    asked = {question.name: question for question in questions([32, 64, 128])}
    wrong = 0
    for line in lines().values():
        reason = fault(line, asked[line.name])
        wrong += reason is not None
        print(f"{line.name}: {line.lower}..{line.upper} {reason or 'holds'}", flush=True)
    print(f"{len(lines())} lines, {wrong} wrong")
    return wrong


def page(parts: list[str]) -> None:
    """The tables of the page, in Markdown."""
    for part in parts:
        print("| pattern | shape | least d | s | proofs |\n|---|---|---|---|---|")
        chosen = [line for line in lines().values() if line.part == part]
        for line in chosen:
            bounds = f"{line.lower}" if line.width == 0 else f"{line.lower}..{line.upper}"
            proofs = "; ".join(filter(None, [line.no, line.yes])) or "trivial"
            shape = f"{line.rows} x {line.columns}"
            print(f"| {line.name} | {shape} | {bounds} | {line.seconds:.2f} | {proofs} |")
        narrow = [sum(line.width <= width for line in chosen) for width in (0, 1)]
        print(f"\nexact: {narrow[0]} of {len(chosen)}; no wider than 1: {narrow[1]}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="minilm, limit, masks; all if none is named")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tokens", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--strategies", nargs="+", default=[], help="these alone")
    parser.add_argument("--only", default="", help="lines whose name contains this")
    parser.add_argument("--open", action="store_true", help="lines that are not exact yet")
    parser.add_argument("--verify", action="store_true", help="check all lines and end")
    parser.add_argument("--page", action="store_true", help="print the tables and end")
    options = parser.parse_args()
    if options.verify:
        sys.exit(1 if verified() else 0)
    chosen = options.parts or ["minilm", "limit", "masks"]
    if options.page:
        page(chosen)
        sys.exit()
    for question in questions(options.tokens):
        known = lines().get(question.name)
        if question.part not in chosen or options.only not in question.name:
            continue
        if options.open and known is not None and known.width == 0:
            continue
        line, proofs = answered(question, options.seconds, options.strategies)
        print(f"{line.name}: {line.lower}..{line.upper} in {line.seconds} s", flush=True)
        keep(line, proofs)
