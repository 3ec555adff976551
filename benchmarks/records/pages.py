"""The tables of docs/studies/, written between the markers of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from shared.markers import put_between_markers
from shared.paths import DOCS

from records.lines import Line, read_lines
from records.questions import Question, questions

__all__ = ["PAGES", "make_table", "marker", "write_pages"]

STUDIES = DOCS / "studies"
PAGES = {
    "dimensions.md": ("minilm",),
    "records.md": ("masks", "hadamard", "planes", "subsets", "hamming"),
}
"""Page -> the parts whose tables it has."""


def marker(part: str) -> str:
    """The line of a page that the table of a part follows.

    Examples
    --------
    >>> marker("masks")
    '<!-- table of benchmarks/records/results.py: masks -->'
    """
    return f"<!-- table of benchmarks/records/results.py: {part} -->"


def write_pages(pages: Path = STUDIES) -> None:
    """Replace all tables of the pages by what the lines state."""
    for page, parts in PAGES.items():
        for part in parts:
            put_between_markers(pages / page, marker(part), make_table(part))


def make_table(part: str) -> str:
    """The table of a part in Markdown, and how many of its lines are exact."""
    known = read_lines()
    chosen = [
        (question, known[question.name])
        for question in questions()
        if question.part == part and question.name in known
    ]
    columns = _COLUMNS_OF_FILES if part == "minilm" else _COLUMNS
    if all(question.ranked for question, _ in chosen):
        columns = {name: cell for name, cell in columns.items() if name != "least d"}
    elif not any(question.normalised for question, _ in chosen):
        columns = {name: cell for name, cell in columns.items() if name != "sign-rank"}
    rows = [list(columns), ["---"] * len(columns)]
    rows += [[cell(question, line) for cell in columns.values()] for question, line in chosen]
    narrow = [sum(line.width <= width for _, line in chosen) for width in (0, 1)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"{table}\nExact: {narrow[0]} of {len(chosen)}; known up to 1: {narrow[1]}.\n"


def _interval(lower: int, upper: int) -> str:
    """Bounds as tables show them: one number where they meet."""
    return str(lower) if lower == upper else f"{lower}..{upper}"


def _sign_rank(question: Question, line: Line) -> str:
    if question.ranked:
        return _interval(line.lower, line.upper)
    return _interval(line.lower + 1, line.upper + 1) if question.normalised else ""


def _proofs(line: Line, sides: Iterable[str]) -> str:
    """The kinds of proofs, as links to the certificates."""
    kinds = {"no": line.no, "yes": line.yes}
    return "; ".join(
        f"[{kinds[side]}](../../benchmarks/certificates/{line.certificate(side).name})"
        for side in sides
        if kinds[side]
    )


Cell = Callable[[Question, Line], str]

_COLUMNS_OF_FILES: dict[str, Cell] = {
    "pattern": lambda _, line: line.name,
    "shape": lambda _, line: f"{line.rows} x {line.columns}",
    "least d": lambda _, line: _interval(line.lower, line.upper),
    "s": lambda _, line: f"{line.seconds:.2f}",
    "proofs": lambda _, line: _proofs(line, ("no", "yes")) or "trivial",
}
_COLUMNS: dict[str, Cell] = {
    "PATTERN": lambda question, _: f"`{question.arguments}`",
    "shape": _COLUMNS_OF_FILES["shape"],
    "least d": _COLUMNS_OF_FILES["least d"],
    "sign-rank": _sign_rank,
    "s": _COLUMNS_OF_FILES["s"],
    "proofs": _COLUMNS_OF_FILES["proofs"],
}
