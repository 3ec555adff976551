"""Tables between the markers of a page."""

from __future__ import annotations

from pathlib import Path

__all__ = ["END", "put_between_markers"]

END = "<!-- end of the table -->"


def put_between_markers(page: Path, begin: str, table: str) -> None:
    """Replace the table of a page between the line `begin` and the next `END`."""
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not (found and end):
        raise SystemExit(f"{page}: needs the lines {begin!r} and {END!r}")
    page.write_text(f"{before}{begin}\n\n{table}\n{END}{after}", encoding="utf-8")
