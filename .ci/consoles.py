"""Commands in pages, and the outputs that stand below them.

A page shows commands in blocks of kind `console`, each behind `$`, with its standard output below.
All commands of a page run in order in one folder, in which `data` and `core` are the folders of the
checkout:

    python .ci/consoles.py docs/tutorials/*.md            # write the present outputs
    python .ci/consoles.py --check docs/tutorials/*.md    # compare; exit status 1 if they differ
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_BLOCK = re.compile(r"^( *)```console\n(?= *\$ )(.*?)^ *```$", flags=re.DOTALL | re.MULTILINE)
_VARIES = re.compile(r"^.*\blogits\b.*\bcoordinates\b.*$", flags=re.MULTILINE)
"""The margin of an embedding: how wide it becomes depends on the speed of the machine."""

_COMMAND = re.compile(r"\$ (.*)")


def steps(text: str) -> list[tuple[str, str]]:
    """Return the commands of a page with the outputs that the page shows, without indentation."""
    shown = []
    for block in _BLOCK.finditer(text):
        content = textwrap.dedent(block.group(2))
        for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            shown.append((command, output.rstrip()))
    return shown


def commands(text: str) -> list[str]:
    """Return the commands of a page in their order."""
    return [command for command, _ in steps(text)]


def run_in_shell(command: str, folder: Path, given: str | None = None) -> list[str]:
    """Run a command in a folder and return its standard output, line by line.

    `given`: its standard input.

    Raises
    ------
    SystemExit
        It ends with an exit status other than 0 and 1, or with 1 and no output.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return printed(command, ended.returncode, ended.stdout, ended.stderr)


def printed(command: str, status: int, output: str, errors: str) -> list[str]:
    """Return the lines of an output, unless the exit status says that the command failed."""
    if status not in (0, 1) or (status and not output):
        raise SystemExit(f"$ {command}\nexit status {status}\n{errors}")
    return output.rstrip("\n").splitlines()


Runner = Callable[[str, Path], list[str]]


def with_outputs(text: str, folder: Path, run: Runner = run_in_shell) -> str:
    """Return the page with the outputs that its commands have when they run in a folder.

    `run`: takes a command and the folder, and returns the lines that the command prints.
    """

    def rewrite(block: re.Match[str]) -> str:
        lines = []
        for match in _COMMAND.finditer(block.group(2)):
            lines += [match.group(0), *run(match.group(1), folder)]
        content = "".join(f"{block.group(1)}{line}".rstrip() + "\n" for line in lines)
        return f"{block.group(1)}```console\n{content}{block.group(1)}```"

    return _BLOCK.sub(rewrite, text)


def agree(before: str, after: str) -> bool:
    """Return whether two versions of a page differ at most in what varies between machines."""
    return _VARIES.sub("", before) == _VARIES.sub("", after)


def refresh(path: Path, run: Runner = run_in_shell) -> tuple[str, str]:
    """Return a page as it is and as it would be, run in a fresh folder."""
    before = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("core", "data"):
            (Path(folder) / name).symlink_to(ROOT / name)
        return before, with_outputs(before, Path(folder), run)


def main() -> int:
    """Rewrite or check the pages that the command line names."""
    parser = argparse.ArgumentParser(description="Run the commands of pages.")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    differ = 0
    for path in arguments.pages:
        before, after = refresh(path)
        if agree(before, after):
            continue
        differ += 1
        if arguments.check:
            lines = before.splitlines(), after.splitlines()
            print("\n".join(difflib.unified_diff(*lines, str(path), "as run", lineterm="")))
        else:
            path.write_text(after, encoding="utf-8")
            print(f"{path}: outputs written")
    return int(arguments.check and differ > 0)


if __name__ == "__main__":
    sys.exit(main())
