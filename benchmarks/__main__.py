"""Run a benchmark by its name, or list all of them.

    python benchmarks                          list the benchmarks
    python benchmarks dimensions.line sparse   run benchmarks/dimensions/line.py, here with a part

Every benchmark prints its options with --help.
"""

from __future__ import annotations

import ast
import runpy
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def list_benchmarks() -> dict[str, str]:
    """Return name -> first line, for all modules whose docstring has the command."""
    found = {}
    for path in sorted(HERE.rglob("*.py")):
        name = ".".join(path.relative_to(HERE).with_suffix("").parts)
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if f"python benchmarks {name}" in doc:
            found[name] = doc.splitlines()[0]
    return found


def main(arguments: list[str]) -> None:
    if not arguments or arguments[0] in ("-h", "--help"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` may have read enough
        print(__doc__)
        for name, line in list_benchmarks().items():
            print(f"{name:28} {line}")
    elif (HERE / f"{arguments[0].replace('.', '/')}.py").is_file():
        sys.argv[1:] = arguments[1:]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        raise SystemExit(f"there is no benchmark {arguments[0]!r}; `python benchmarks` lists them")


if __name__ == "__main__":
    main(sys.argv[1:])
