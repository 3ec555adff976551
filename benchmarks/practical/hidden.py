"""The least d_hid for each d: which pairs do for real patterns whose queries and keys share one X.

    python benchmarks practical.hidden [--seconds S] [--tokens N]

S seconds for every pair (d, d_hid) that must be decided; patterns of at most N tokens, as they are
and causal. Both bounds have passed the exact checker.
"""

from __future__ import annotations

import argparse
import time

from samapprox import InputError, data, hidden_dimensions, load
from samapprox.solvers.questions.hidden_dimensions import HiddenDimension


def told(row: HiddenDimension) -> str:
    """One pair, or an interval of d_hid."""
    if row.upper is None:
        return f"({row.d}, {row.lower}..)"
    return f"({row.d}, {row.lower if row.exact else f'{row.lower}..{row.upper}'})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tokens", type=int, default=25)
    options = parser.parse_args()
    print("| pattern | (d, least d_hid) | s | causal | s |\n|---|---|---|---|---|", flush=True)
    exact = total = 0
    for path in data.files("minilm"):
        if load(path).shape[0] > options.tokens:
            continue
        cells = []
        for causal in (False, True):
            started = time.perf_counter()
            try:
                rows = hidden_dimensions(load(path), causal=causal, time_limit=options.seconds)
            except InputError:  # some query has no one among its past keys
                cells += ["a row has no 1", ""]
                continue
            cells.append(", ".join(map(told, rows)))
            cells.append(f"{time.perf_counter() - started:.1f}")
            exact, total = exact + sum(row.exact for row in rows), total + len(rows)
        print(f"| {path.stem} | {' | '.join(cells)} |", flush=True)
    print(f"\nexact: {exact} of {total} pairs")
