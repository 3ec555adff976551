"""Every line of the tables in docs/studies/ with both certificates: made again, or checked.

    python benchmarks records.results [PART ..] [--seconds S] [--tokens N ..] [--open]
    python benchmarks records.results --verify
    python benchmarks records.results --page
    python benchmarks records.results alone --help
    python benchmarks records.results atlas --help
    python benchmarks records.results cores --help
    python benchmarks records.results dense-rows --help
    python benchmarks records.results fresh --help

A run keeps every bound that it does not improve, in `benchmarks/measured/dimensions.csv` and
`benchmarks/certificates/`, and rewrites the tables of the pages at its end; --page does this alone.
Checking imports no solver. What one strategy finds alone, the atlas of small patterns, the cores of
stored refutations, dense rows and the fresh patterns of attention have commands of their own.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from records.atlas_files import check_stored, read_minimal
from records.lines import bound, fault, keep, read_lines
from records.pages import write_pages
from records.questions import PARTS, TOKENS, questions

COMMANDS = {
    "alone": "records.alone",
    "atlas": "records.atlas_files",
    "cores": "records.cores",
    "dense-rows": "records.dense_rows",
    "fresh": "records.fresh",
}


def verify() -> int:
    """Check every line and the minimal patterns of the atlas; return how many fail."""
    asked = {question.name: question for question in questions()}
    wrong = 0
    for line in read_lines().values():
        reason = fault(line, asked[line.name])
        wrong += reason is not None
        print(f"{line.name}: {line.lower}..{line.upper} {reason or 'holds'}", flush=True)
    print(f"{len(read_lines())} lines, {wrong} wrong")
    for reason in (faults := check_stored()):
        print(reason)
    print(f"{len(read_minimal())} minimal patterns, {len(faults)} faults")
    return wrong + len(faults)


def run(options: argparse.Namespace) -> None:
    """Bound the chosen patterns; keep what is better."""
    for question in questions(options.tokens):
        known = read_lines().get(question.name)
        if question.part not in (options.parts or PARTS) or options.only not in question.name:
            continue
        if options.open and known is not None and known.width == 0:
            continue
        line, proofs = bound(question, options.seconds, options.strategies)
        print(f"{line.name}: {line.lower}..{line.upper} in {line.seconds} s", flush=True)
        keep(line, proofs)


def main(arguments: list[str]) -> int:
    if arguments[:1] and arguments[0] in COMMANDS:
        import_module(COMMANDS[arguments[0]]).main(arguments[1:])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    some = f"{', '.join(PARTS)}; default: all"
    parser.add_argument("parts", nargs="*", metavar="PART", help=some)
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a pattern")
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS, help="sizes of masks")
    parser.add_argument("--strategies", nargs="+", default=[], help="these alone")
    parser.add_argument("--only", default="", help="lines whose name contains this")
    parser.add_argument("--open", action="store_true", help="lines that are not exact yet")
    parser.add_argument("--verify", action="store_true", help="check all lines and end")
    parser.add_argument("--page", action="store_true", help="rewrite the tables and end")
    options = parser.parse_args(arguments)
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part!r}; there are: {', '.join(PARTS)}")
    if options.verify:
        return 1 if verify() else 0
    if not options.page:
        run(options)
    write_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
