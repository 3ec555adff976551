"""Commands load only the modules that they need: strategies on their turn, options when given."""

from __future__ import annotations

import subprocess
import sys

import pytest

from samapprox import data

# On a slow or busy machine, more strategies have turns before the answer. So every look at the
# clock takes a tenth of a millisecond, which makes runs on all machines alike.
SCRIPT = """
import itertools, sys, time
looks = itertools.count()
time.monotonic = lambda: next(looks) / 10_000
from samapprox.cli.main import cli
cli.main(sys.argv[1:], standalone_mode=False)
print(sum(name.partition(".")[0] == "samapprox" for name in sys.modules), file=sys.stderr)
"""

SMALL, HEAD = "minilm/s00_L0_H08_top1_n8.npz", "minilm/s08_L5_H09_top5_n25.npz"


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (["decide", SMALL], 45),
        (["decide", HEAD, "-d", "3"], 100),
        (["dim", HEAD], 100),
        (["fit", SMALL, "-d", "1"], 100),
        pytest.param(["fit", HEAD, "-d", "2"], 130, marks=pytest.mark.slow),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_command_loads_few_modules(arguments: list[str], most: int) -> None:
    """With two threads, `dim` now and then tries more strategies, so one of three runs counts."""
    assert any(count_modules(arguments) <= most for _ in range(3))


def count_modules(arguments: list[str]) -> int:
    name, source, *options = arguments
    command = [sys.executable, "-c", SCRIPT, name, str(data.path(source)), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1])
