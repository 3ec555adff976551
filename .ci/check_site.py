"""Check the links, sources, public names and commands of the built site.

python .ci/check_site.py docs/_build/html
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

from check_wheel import packages

INTERNAL = {"samapprox.cli", "samapprox.cli.options"}
"""Packages whose names are not for users of the library."""


@dataclass
class Page:
    """The anchors of a page, its links, and the files that it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.page.anchors.update(found[name] for name in ("id", "name") if name in found)
        if tag in ("a", "area") and "href" in found:
            self.page.links.append(found["href"])
        elif tag == "link" and "href" in found:
            is_fetched = found.get("rel") not in ("canonical", "next", "prev", "index", "search")
            (self.page.loaded if is_fetched else self.page.links).append(found["href"])
        elif "src" in found:
            self.page.loaded.append(found["src"])


def read(path: Path) -> Page:
    """Read a page of HTML."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def broken_links(site: Path) -> list[str]:
    """Return one line for every link of a built site that leads nowhere, and every foreign source.

    Links to other hosts are left to Sphinx's linkcheck; scripts, styles and pictures from other
    hosts are faults, as the site has to work without a network.
    """
    site = site.resolve()
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    pages = {path: page for path, page in pages.items() if "_static" not in path.parts}
    faults = []
    for path, page in pages.items():
        where = path.relative_to(site)
        faults += [f"{where}: loads {link}" for link in page.loaded if urlsplit(link).netloc]
        for link in [*page.links, *page.loaded]:
            reason = _fault(link, path, pages)
            if reason is not None:
                faults.append(f"{where}: {link}: {reason}")
    return list(dict.fromkeys(faults))


def _fault(link: str, path: Path, pages: dict[Path, Page]) -> str | None:
    """Return why a link of a page leads nowhere; None if it leads somewhere, or to another host."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "no such place on the page"
    return None


def inventory(site: Path) -> set[str]:
    """Return the names of Python objects that the inventory of a built site lists."""
    content = (site / "objects.inv").read_bytes()
    for _ in range(4):  # lines that are not compressed
        content = content.partition(b"\n")[2]
    entries = (line.split() for line in zlib.decompress(content).decode().splitlines())
    return {entry[0] for entry in entries if entry[1].startswith("py:")}


def undocumented(documented: set[str], public: Iterable[str]) -> list[str]:
    """Return one line for every public name of some packages that the inventory lacks.

    A name that the package around offers as well needs to be documented there alone.
    """
    return [
        f"{package}.{name}: not in the Python interface"
        for package in public
        for name in getattr(import_module(package), "__all__", ())
        if not name.startswith("_") and f"{package}.{name}" not in documented
        if not _is_documented_above(documented, package, name)
    ]


def _is_documented_above(documented: set[str], package: str, name: str) -> bool:
    above = package.rpartition(".")[0]
    if f"{above}.{name}" not in documented:
        return False
    return getattr(import_module(above), name) is getattr(import_module(package), name)


def missing_commands(site: Path) -> list[str]:
    """Return one line for every command that the command reference lacks."""
    from samapprox.cli.main import COMMANDS

    page = read(site / "reference" / "commands.html")
    return [
        f"samapprox {name}: not in the command reference"
        for name in COMMANDS
        if f"samapprox-{name}" not in page.anchors
    ]


def main(arguments: list[str]) -> int:
    """Print the faults of a site; exit status 1 if there are any."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "index.html").is_file():
        print("usage: check_site.py FOLDER, where the built site is", file=sys.stderr)
        return 2
    site = Path(arguments[0])
    faults = broken_links(site)
    public = [package for package in packages() if package not in INTERNAL]
    faults += undocumented(inventory(site), public)
    faults += missing_commands(site)
    print("\n".join(faults) or "all links, public names and commands are there")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
