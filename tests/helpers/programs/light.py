"""Commands in an interpreter that has numpy and click alone, as after ``pip install --no-deps``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Done", "run_light"]

HIDE = """
import sys
from importlib.abc import MetaPathFinder

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None

sys.meta_path.insert(0, Hide())
"""

RUN = """
import json, sys
from click.testing import CliRunner
from samapprox.cli.main import cli

done = []
for arguments in json.load(sys.stdin):
    result = CliRunner().invoke(cli, arguments)
    error = "" if isinstance(result.exception, SystemExit | None) else repr(result.exception)
    done.append((result.exit_code, result.stdout, result.stderr + error))
loaded = sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names)
print(json.dumps((done, loaded)))
"""


class Done(NamedTuple):
    """The exit status and the output of a command."""

    exit_code: int
    stdout: str
    stderr: str


def run_light(
    commands: Sequence[Sequence[str]],
    folder: Path,
    *,
    hidden: Sequence[str] = (),
    python: str = sys.executable,
) -> tuple[list[Done], set[str]]:
    """Run commands one after another.

    Parameters
    ----------
    commands : sequence of sequence of str
        Their arguments.
    folder : path
        Where they run.
    hidden : sequence of str
        Modules that the interpreter must not find.
    python : str
        The interpreter.

    Returns
    -------
    list of Done, set of str
        And the modules outside the standard library that they loaded.
    """
    run = subprocess.run(
        [python, "-c", HIDE.format(hidden=set(hidden)) + RUN],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    done, loaded = json.loads(run.stdout)
    return [Done(*one) for one in done], set(loaded)
