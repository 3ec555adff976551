"""Least dimensions of retrieval judgements: every set of a folder under several rules for grades.

    python benchmarks retrieval.judgements FOLDER [--relevant G ..] [--unjudged RULE ..]
                                              [--seconds S] [--output OUTPUT]
                                              [--page docs/studies/retrieval.md]

FOLDER holds judgement sets (.qrels, .tsv, .jsonl, each perhaps .gz). OUTPUT gets `table.md`,
`table.csv` and, in `certificates`, both certificates of every line; by default it is a folder for
temporary files. --page also puts the table between the markers of that page. Every bound has passed
the exact checker, whose time is included.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from shared.markers import put_between_markers

import samapprox
from samapprox import Certificate, Embedding, InputError, InputWarning, Pattern, Verdict
from samapprox.formats import load_judgements
from samapprox.formats.judgements import Judgements
from samapprox.instance import UNJUDGED, Grading
from samapprox.proofs.parts.simplify import simplify
from samapprox.solvers.division.division import divide
from samapprox.support.text import plural

ENDINGS = (".qrels", ".tsv", ".jsonl")
BEGIN = "<!-- table of benchmarks/retrieval/judgements.py -->"

HEAD = (
    "| set | ones | unjudged | queries | documents, relevant | pairs | merged "
    "| components, largest | least d | s | proofs |"
)


@dataclass(frozen=True)
class Line:
    """One set under one rule; `no` and `yes` are proofs in words, empty for trivial bounds."""

    name: str
    relevant: int
    unjudged: str
    queries: int
    left_out: int
    documents: int
    relevant_documents: int
    pairs: int
    merged: str
    components: int
    largest: str
    lower: int
    upper: int
    seconds: float
    no: str
    yes: str

    @property
    def stem(self) -> str:
        """The start of the names of its certificates' files."""
        return f"{self.name}.relevant-{self.relevant}.{self.unjudged}"

    def __str__(self) -> str:
        bounds = f"{self.lower}" if self.lower == self.upper else f"{self.lower}..{self.upper}"
        proofs = "; ".join(filter(None, [self.no, self.yes])) or "trivial"
        cells = [
            self.name,
            f"grades >= {self.relevant}",
            self.unjudged,
            f"{self.queries:,}",
            f"{self.documents:,}, {self.relevant_documents:,}",
            f"{self.pairs:,}",
            self.merged,
            f"{self.components}, {self.largest}",
            bounds,
            f"{self.seconds:.1f}",
            proofs,
        ]
        return f"| {' | '.join(cells)} |"


def list_sets(folder: Path) -> list[Path]:
    """The judgement sets of a folder, by their endings."""
    return sorted(
        path for path in folder.iterdir() if path.name.lower().removesuffix(".gz").endswith(ENDINGS)
    )


def name_of(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return name[: name.rfind(".")]


def size_of(pattern: Pattern | None) -> str:
    return "none" if pattern is None else f"{pattern.shape[0]:,} x {pattern.shape[1]:,}"


def certificate_of(verdict: Verdict | None) -> Certificate | None:
    return None if verdict is None else verdict.certificate


def describe(proof: object) -> str:
    """The kind of a proof, and the size of its core or of its coordinates."""
    if isinstance(proof, Embedding):
        bits = max((abs(int(key)) for key in proof.keys.ravel()), default=0).bit_length()
        return f"embedding, {plural(bits, 'bit')}"
    if (merged := getattr(proof, "proof", None)) is not None:  # of the pattern in `Line.merged`
        return describe(merged)
    if (parts := getattr(proof, "parts", None)) is not None:
        kinds = dict.fromkeys(describe(part.proof) for part in parts)
        return f"{plural(len(parts), 'component')} ({'; '.join(kinds)})"
    rows, columns = getattr(proof, "rows", None), getattr(proof, "columns", None)
    size = f" {len(rows)} x {len(columns)}" if rows is not None and columns is not None else ""
    return f"{type(proof).__name__}{size}"


def measure(
    name: str, judgements: Judgements, grading: Grading, seconds: float
) -> tuple[Line, dict[str, Certificate]]:
    """The line of a set under a rule, and its certificates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        pattern = judgements.instance(grading).pattern
    started = time.perf_counter()
    found = samapprox.weak_dimension(pattern, time_limit=seconds)
    took = time.perf_counter() - started
    sides = {"no": certificate_of(found.no), "yes": certificate_of(found.yes)}
    leaves = divide(pattern).leaves
    relevant = np.unique(np.concatenate(list(pattern.ones.indices())))
    line = Line(
        name=name,
        relevant=grading.relevant,
        unjudged=grading.unjudged,
        queries=pattern.shape[0],
        left_out=len(judgements.queries) - pattern.shape[0],
        documents=pattern.shape[1],
        relevant_documents=len(relevant),
        pairs=pattern.count,
        merged=size_of(simplify(pattern).pattern),
        components=len(leaves),
        largest=size_of(max(leaves, key=lambda leaf: leaf.shape[0] * leaf.shape[1], default=None)),
        lower=found.lower,
        upper=found.upper,
        seconds=round(took, 2),
        no="" if sides["no"] is None else describe(sides["no"].proof),
        yes="" if sides["yes"] is None else describe(sides["yes"].proof),
    )
    return line, {side: one for side, one in sides.items() if one is not None}


def study(
    paths: list[Path], rules: list[Grading], seconds: float
) -> Iterator[tuple[Line, dict[str, Certificate]]]:
    """All lines; a set that has no relevant document under a rule is left out, with a note."""
    for path in paths:
        judgements = load_judgements(path)
        for grading in rules:
            try:
                yield measure(name_of(path), judgements, grading, seconds)
            except InputError as error:
                print(f"{path.name}, {grading}: left out: {error}", file=sys.stderr)


def write(lines: list[Line], output: Path) -> str:
    """Write both tables; the one in Markdown."""
    rule = "|---" * (HEAD.count("|") - 1) + "|"
    table = "\n".join([HEAD, rule, *map(str, lines)]) + "\n"
    (output / "table.md").write_text(table, encoding="utf-8")
    with (output / "table.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Line)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, lines))
    return table


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--relevant", type=int, nargs="+", default=[1, 2], metavar="G")
    parser.add_argument("--unjudged", choices=UNJUDGED, nargs="+", default=list(UNJUDGED))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--output", type=Path, default=Path(tempfile.gettempdir()) / "samapprox-retrieval"
    )
    parser.add_argument("--page", type=Path)
    options = parser.parse_args(arguments)
    paths = list_sets(options.folder) if options.folder.is_dir() else []
    if not paths:
        parser.error(f"{options.folder}: there is no judgement set in it ({', '.join(ENDINGS)})")
    try:
        rules = [Grading(*rule) for rule in product(options.relevant, options.unjudged)]
    except InputError as error:
        parser.error(str(error))
    certificates = options.output / "certificates"
    certificates.mkdir(parents=True, exist_ok=True)
    samapprox.decide(np.eye(3), 2)  # imports
    print(HEAD, flush=True)
    lines: list[Line] = []
    table = ""
    for line, proofs in study(paths, rules, options.seconds):
        print(line, flush=True)
        lines.append(line)
        for side in ("no", "yes"):
            target = certificates / f"{line.stem}.{side}.json.gz"
            target.unlink(missing_ok=True)
            if side in proofs:
                document = json.dumps(proofs[side].to_json(), separators=(",", ":"))
                target.write_bytes(gzip.compress(document.encode(), 6, mtime=0))
        table = write(lines, options.output)
    if options.page is not None and lines:
        put_between_markers(options.page, BEGIN, table)
    print(f"\n{options.output}: table.md, table.csv, certificates", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"judgements.py: {error}")
