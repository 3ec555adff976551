"""First runs: commands on small inputs, with no compiled code on disk.

    python benchmarks commands.first_run [--runs R]

Every command runs R times in a new process with an empty numba cache. The table gives the run that
takes the least processor time, which neighbours on a shared machine disturb less than wall-clock
time, and the number of functions that were compiled. The last line demands a compiled kernel, for
comparison.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from shared.child import run

from samapprox import data

MOST_SECONDS = 120.0

VECTORS = "furthest-clustered:n=1000,d=64"
PATTERN = str(data.path("minilm/s04_L3_H07_unif_n17.npz"))


def make_commands(folder: Path) -> dict[str, list[str]]:
    """Name in the table -> arguments of the command."""
    bits = folder / "bits.npy"
    rng = np.random.default_rng(0)
    np.save(bits, (rng.random((1000, 64)) < 0.5).astype(np.uint8))
    full = ["furthest", "--family", VECTORS]
    return {
        "`furthest`, n = 1,000, d = 64": full,
        "the same, `--graph bigbird:w=3,g=2,r=3`": [*full, "--graph", "bigbird:w=3,g=2,r=3"],
        "`orthogonal --count --least`, n = 1,000, d = 64": [
            *("orthogonal", str(bits), "--count", "--least")
        ],
        "`decide -d 2`, 17 x 17": ["decide", PATTERN, "-d", "2"],
        "`decide --similarity cosine -d 2`, 17 x 17": [
            *("decide", PATTERN, "--similarity", "cosine", "-d", "2")
        ],
        "`decide --similarity l2 -d 1`, 17 x 17": [
            *("decide", PATTERN, "--similarity", "l2", "-d", "1")
        ],
        "`dim --similarity cosine`, 17 x 17": ["dim", PATTERN, "--similarity", "cosine"],
        "`furthest --kernel tiles`, n = 1,000, d = 64": [*full, "--kernel", "tiles"],
    }


@dataclass(frozen=True, slots=True, order=True)
class FirstRun:
    """A command in a new process, with nothing compiled before.

    Attributes
    ----------
    processor, wall : float
        Seconds.
    compiled : int
        The functions that numba has stored.
    """

    processor: float
    wall: float
    compiled: int


def measure_first_run(arguments: list[str]) -> FirstRun:
    before = count_processor_seconds()
    with tempfile.TemporaryDirectory() as cache:
        child = run(arguments, most_seconds=MOST_SECONDS, environment={"NUMBA_CACHE_DIR": cache})
        assert child.status == 0, child.errors
        compiled = len(list(Path(cache).rglob("*.nbi")))
    return FirstRun(count_processor_seconds() - before, child.seconds, compiled)


def count_processor_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(runs: int) -> None:
    print("| command | processor | wall | compiled functions |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in make_commands(Path(folder)).items():
            least = min(measure_first_run(arguments) for _ in range(runs))
            seconds = f"{least.processor:.2f} s | {least.wall:.2f} s"
            print(f"| {name} | {seconds} | {least.compiled or 'none'} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    main(parser.parse_args().runs)
