"""All checkers on all stored certificates: what each accepts, and in which time.

    python benchmarks records.checkers [--page]

Prints the table of docs/theory/trust.md; `--page` writes it there. Needs node, and the program that
`make -C verified` builds; the certificates are those of `benchmarks/certificates/` and of
`tests/core/proofs/stored/`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.markers import put_between_markers
from shared.paths import DOCS, ROOT

from records.lines import read_lines
from records.questions import questions
from samapprox import Certificate, InputError, Pattern, SignMatrix
from samapprox.proofs.questions import Rank
from samapprox.reductions.exports import export

PAGE = DOCS / "theory" / "trust.md"
MARKER = "<!-- table of benchmarks/records/checkers.py -->"
VERIFIED = [str(ROOT / "verified" / "samapprox-check"), "--requests"]
SECOND = """
const lines = require("node:readline").createInterface({ input: process.stdin });
require(process.argv[1]).loadChecker();
(async () => {
  for await (const line of lines) {
    const { pattern, certificate } = JSON.parse(line);
    console.log(globalThis.verify(pattern, certificate).status);
  }
})();
"""


@dataclass(frozen=True)
class Stored:
    """The texts of a pattern and of a certificate about it."""

    pattern: str
    certificate: str

    @property
    def kind(self) -> str:
        """The answer and the kind of its proof."""
        document = json.loads(self.certificate)
        return f"{document['answer']}: `{document['proof']['kind']}`"


def stored() -> Iterator[Stored]:
    """Yield all stored certificates."""
    table = read_lines()
    for question in questions():
        line = table.get(question.name)
        paths = [] if line is None else [line.certificate(side) for side in ("no", "yes")]
        for path in filter(Path.exists, paths):
            text = gzip.decompress(path.read_bytes()).decode()
            yield Stored(question.pattern.to_text(), text)
    for path in sorted((ROOT / "tests/core/proofs/stored").glob("certificates_of_*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")).values():
            yield Stored("\n".join(entry["pattern"]), entry["document"])


def ask_library(cases: Sequence[Stored]) -> list[int]:
    """Return the statuses of `samapprox verify`."""
    return [_status(case) for case in cases]


def _status(case: Stored) -> int:
    certificate = Certificate.from_bytes(case.certificate.encode())
    entries = SignMatrix if certificate.task == Rank.TASK else Pattern
    return 0 if certificate.verify(entries.from_text(case.pattern)) else 1


def ask_exports(cases: Sequence[Stored]) -> list[int]:
    """Return 0 for each certificate that can be exported as clauses with a proof in LRAT."""
    return [_exported(case) for case in cases]


def _exported(case: Stored) -> int:
    certificate = Certificate.from_bytes(case.certificate.encode())
    if certificate.task == Rank.TASK:
        return 3
    try:
        export(Pattern.from_text(case.pattern), certificate, "lrat")
    except InputError:
        return 3
    return 0


def ask_program(program: Sequence[str]) -> Callable[[Sequence[Stored]], list[int]]:
    """Return a function that asks a program, which answers a request in each line."""

    def ask(cases: Sequence[Stored]) -> list[int]:
        requests = "".join(
            json.dumps({"pattern": case.pattern, "certificate": case.certificate}) + "\n"
            for case in cases
        )
        done = subprocess.run(program, input=requests, capture_output=True, text=True, check=True)
        return [int(line[0]) for line in done.stdout.splitlines()]

    return ask


CHECKERS: dict[str, Callable[[Sequence[Stored]], list[int]]] = {
    "Python": ask_library,
    "JavaScript": ask_program(
        ["node", "-e", SECOND, str(ROOT / "core" / "second_checker" / "command.js")]
    ),
    "as LRAT": ask_exports,
    "verified": ask_program(VERIFIED),
}


def make_table() -> str:
    """Return the table in Markdown: for each kind, the certificates that each checker accepts."""
    groups: dict[str, list[Stored]] = {}
    for case in stored():
        groups.setdefault(case.kind, []).append(case)
    times = [f"s, {name}" for name in CHECKERS if name != "as LRAT"]
    rows = [["proof", "stored", *CHECKERS, *times]]
    rows.append(["---"] * len(rows[0]))
    for kind, cases in sorted(groups.items(), reverse=True):
        accepted, seconds = [], []
        for name, ask in CHECKERS.items():
            started = time.perf_counter()
            statuses = ask(cases)
            took = time.perf_counter() - started
            accepted.append(str(statuses.count(0)))
            if name != "as LRAT":
                seconds.append(f"{took:.2f}")
        rows.append([kind, str(len(cases)), *accepted, *seconds])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main(arguments: Sequence[str]) -> int:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the table into the page")
    options = parser.parse_args(arguments)
    table = make_table()
    if options.page:
        put_between_markers(PAGE, MARKER, table)
    else:
        print(table, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
