"""The growth of d_min with n: a logarithm against a power.

    python benchmarks/growth.py [--settings 0,1] [--sizes 32,64] [--matrices 10]

Figure 3 has n = 512..3,072, where both laws fit. This measures d_min from n = 32 on and in steps of
4 (benchmarks/growth.csv, resumable; an hour of one core for all of it), then compares the fits.
"""

from __future__ import annotations

import argparse
from dataclasses import astuple
from pathlib import Path

from d_min import Job, Setting, run
from figure3 import SETTINGS, whole_numbers

TABLE = Path(__file__).parent / "growth.csv"

STEP = 4
SIZES = [32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072]
MATRICES = 10


def jobs(settings: list[Setting], sizes: list[int], matrices: int) -> list[Job]:
    """One matrix of every size before the second of any."""
    return [
        Job(*astuple(setting), 1.0, n, seed)
        for seed in range(matrices)
        for setting in settings
        for n in sizes
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=whole_numbers, default=[0, 1])
    parser.add_argument("--sizes", type=whole_numbers, default=SIZES)
    parser.add_argument("--matrices", type=int, default=MATRICES)
    chosen = parser.parse_args()
    run(jobs([SETTINGS[i] for i in chosen.settings], chosen.sizes, chosen.matrices), TABLE, STEP)
