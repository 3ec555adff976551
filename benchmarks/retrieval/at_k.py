"""The best possible at K for retrieval judgements: right queries, mean recall, and margins.

    python benchmarks retrieval.at_k FOLDER [--seconds S] [--page docs/studies/retrieval.md]

The sets are LIMIT and those of `retrieval.judgements` in FOLDER, with ones for grades from 1 on and
zeros for unjudged pairs. A bound in one dimension counts in others as in `fit_curve`. From the
least dimension on, all queries with at most K relevant documents are right, and all others have K
of them first. --page puts the table between the markers of that page. Every proof has passed the
exact checker.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from shared.markers import put_between_markers

from retrieval.judgements import list_sets, name_of
from samapprox import (
    BestFit,
    FitCurve,
    InputWarning,
    Pattern,
    data,
    fit,
    load,
    margin,
    weak_dimension,
)
from samapprox.support.text import percent

DEPTHS = (1, 10, 100)
BEGIN = "<!-- table of benchmarks/retrieval/at_k.py -->"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    head = ["set", "d", *(f"right, recall at {at}" for at in DEPTHS)]
    lines = [row(head), "|---" * len(head) + "|"]
    for name, pattern in sets(options.folder):
        lines += list(measure(name, pattern, options.seconds))
        print("\n".join(lines), flush=True)
    if options.page is not None:
        put_between_markers(options.page, BEGIN, "\n".join(lines) + "\n")


def sets(folder: Path) -> Iterator[tuple[str, Pattern]]:
    warnings.simplefilter("ignore", InputWarning)
    yield "LIMIT", load(data.path("limit/limit.npz"))
    for path in list_sets(folder):
        yield name_of(path), load(path)


def measure(name: str, pattern: Pattern, seconds: float) -> Iterator[str]:
    """Yield a line for each dimension below the least one, one for all others, and the margin."""
    least = weak_dimension(pattern, time_limit=10 * seconds).upper
    curves = [
        FitCurve.of([fit(pattern, d, at=at, time_limit=seconds) for d in range(1, least)])
        for at in DEPTHS
    ]
    cells = [[cell(curve.fits[place]) for curve in curves] for place in range(least - 1)]
    for place, own in enumerate(cells):
        yield row([name, str(place + 1), *own])
    yield row([name, f"{least} or more", *(describe_all(pattern, at) for at in DEPTHS)])
    bounds = margin(pattern, time_limit=4 * seconds)
    upper = "unbounded" if bounds.upper is None else f"{float(bounds.upper):.3f}"
    yield row([name, f"any: margin {float(bounds.lower):.3f}..{upper}", *[""] * len(DEPTHS)])


def cell(found: BestFit) -> str:
    """Return the bounds on right rows and on the mean recall, each reached and proven."""
    assert found.recall is not None
    right, most = found.total - found.upper, found.total - found.lower
    rows = f"{right:,}" if right == most else f"{right:,} of {most:,}"
    least, ceiling = found.recall.shares
    return f"{rows}; {least if found.recall.exact else f'{least} of {ceiling}'}"


def describe_all(pattern: Pattern, at: int) -> str:
    """Return the same where all relevant documents come before all others."""
    right = int((pattern.row_ones <= at).sum())
    recall = (np.minimum(pattern.row_ones, at) / pattern.row_ones).mean()
    return f"{right:,}; {percent(float(recall))}"


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
