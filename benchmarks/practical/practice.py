"""Dimensions in practice: the study of docs/studies/practice.md, and its figures.

    python benchmarks practical.practice [--judgements FOLDER] [--seconds S] [--quantities Q ..]
                                  [--only NAME] [--again] [--page]
    python benchmarks practical.practice binary [--seconds S] [--only NAME]
    python benchmarks practical.practice figures [PART ..]

For the shipped heads, LIMIT, masks of up to 64 tokens and the judgement sets of FOLDER: the least d
for dot products, s for cosines and e for distances; the margin; the least d that was found in each
number format; and the rows that d - 1 dimensions get wrong. Each measurement is a line of
benchmarks/measured/practice.csv, written as soon as it is there; what the file has already is
measured again only by --again, and no certificate goes unchecked. The tables of the page are
rewritten at the end; --page does this alone.

`binary` measures the least dimensions of docs/studies/binary.md, keeps better bounds in
benchmarks/measured/binary.csv, and rewrites the table. `figures` prints measured values beside
their goals.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from retrieval.judgements import list_sets
from shared.rows import print_parts

import samapprox
from practical.binary import measure_binary
from practical.binary import write_page as write_binary_page
from practical.lines import read_lines, write_line
from practical.measures import QUANTITIES, measure, missing
from practical.page import write_page
from practical.subjects import PARTS as SUBJECTS
from practical.subjects import subjects

PARTS = {
    "similarities": "practical.similarities:similarities",
    "circular": "practical.circular:circular",
    "ranks": "practical.ranks:ranks",
    "fits": "practical.fits:fits",
    "short-limits": "practical.short_limits:short_limits",
    "ceilings": "practical.ceilings:ceilings",
    "margins": "practical.margins:margins",
    "few-values": "practical.few_values:few_values",
    "dimension-margins": "practical.dimension_margins:dimension_margins",
    "embeddings": "practical.embeddings:embeddings",
    "brute-force": "practical.brute_force:comparisons",
}
"""Part of the figures -> the module and the function that yields its rows."""


def run(options: argparse.Namespace) -> None:
    """Measure what is missing."""
    samapprox.decide(np.eye(3), 2)  # imports
    chosen = [
        subject
        for subject in subjects(options.judgements)
        if subject.part in (options.parts or SUBJECTS) and options.only in subject.name
    ]
    for quantity in options.quantities:
        known = read_lines()
        passed = {} if options.again else known
        dimensions = {key: line for key, line in known.items() if key[1] == "d"}
        skipped = passed if quantity == "d" else {**passed, **dimensions}
        for subject, _, d in missing(chosen, [quantity], skipped):
            line = measure(subject, quantity, d, options.seconds)
            bounds = f"{line.lower:g}..{line.upper:g}"
            at = f" at d = {d}" if d else ""
            print(f"{line.name}, {quantity}{at}: {bounds} in {line.seconds} s", flush=True)
            write_line(line)


def run_binary(arguments: list[str]) -> None:
    """Measure least dimensions of binary queries and keys."""
    parser = argparse.ArgumentParser(prog="practice.py binary")
    parser.add_argument("--only", default="", help="patterns whose name contains this")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a pattern")
    options = parser.parse_args(arguments)
    for line in measure_binary(options.seconds, options.only):
        print(f"{line.name}: {line.lower}..{line.upper} in {line.seconds} s", flush=True)
    write_binary_page()


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["figures"]:
        print_parts(__doc__, PARTS, arguments[1:])
        return
    if arguments[:1] == ["binary"]:
        run_binary(arguments[1:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judgements", type=Path, metavar="FOLDER")
    parser.add_argument("--parts", nargs="+", choices=SUBJECTS, default=[])
    parser.add_argument("--quantities", nargs="+", choices=QUANTITIES, default=list(QUANTITIES))
    parser.add_argument("--only", default="", help="patterns whose name contains this")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a measurement")
    parser.add_argument("--again", action="store_true", help="measure what is there already")
    parser.add_argument("--page", action="store_true", help="rewrite the tables and end")
    options = parser.parse_args(arguments)
    folder = options.judgements
    if folder is not None and not (folder.is_dir() and list_sets(folder)):
        parser.error(f"{folder}: there is no judgement set in it")
    if not options.page:
        run(options)
    write_page()


if __name__ == "__main__":
    main(sys.argv[1:])
