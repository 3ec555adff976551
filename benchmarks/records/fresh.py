"""The least dimension of patterns drawn by seed from attention tensors: the share that is exact.

    python benchmarks records.results fresh FOLDER [--count 200] [--tokens 40 110] [--seconds 60]

FOLDER holds attention tensors, as `samapprox binarize` reads them. Every head and rule makes
a pattern; patterns with a number of tokens in the range are drawn without replacement. The results
are kept in a file; the same command goes on with a run that was interrupted, and `samapprox report`
makes a page of the file.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from samapprox import InputError, save
from samapprox.attention import SetEntry, binarize_set
from samapprox.attention.weights.rules import parse_rule
from samapprox.batch import Outcome, Question, Store, run

__all__ = ["draw", "main", "summarise"]


def draw(
    source: Path, rules: Sequence[str], tokens: tuple[int, int], count: int, seed: int
) -> list[SetEntry]:
    """Draw patterns of heads from a folder of tensors, without replacement; all if there are fewer.

    Raises
    ------
    InputError
        No tensor has a number of tokens in this range.
    """
    least, most = tokens
    every = [
        entry
        for entry in binarize_set(source, [parse_rule(rule) for rule in rules])
        if least <= entry.instance.pattern.shape[1] <= most
    ]
    if not every:
        raise InputError(f"{source}: no tensor has {least} to {most} tokens; choose other --tokens")
    chosen = np.random.RandomState(seed).permutation(len(every))[:count]
    return [every[at] for at in chosen.tolist()]


def bound(
    entries: Sequence[SetEntry], results: Path, seconds: float, jobs: int | None
) -> list[Outcome]:
    """Bounds of the patterns, which are kept in a folder beside the results."""
    folder = results.with_suffix("")
    for entry in entries:
        target = folder / entry.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            save(entry.instance, target)
    done = run([str(folder)], Question("dim", time_limit=seconds), results, jobs=jobs)
    drawn = {str(entry.path) for entry in entries}
    with Store(results) as store:
        return [one for one in store.outcomes(done.question) if one.name in drawn]


def summarise(outcomes: Sequence[Outcome]) -> str:
    """The share that is exact, and the patterns that are not."""
    widths = {one.name: (one.upper or 0) - (one.lower or 0) for one in outcomes}
    exact = sum(width == 0 for width in widths.values())
    lines = [
        f"{one.name}, {one.columns} tokens: {one.lower}..{one.upper} after {one.seconds:.0f} s"
        for one in outcomes
        if widths[one.name]
    ]
    share = f"{exact / len(widths):.1%}" if widths else "none"
    return "\n".join([*lines, f"exact: {exact} of {len(widths)}, {share}"])


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="records.results fresh",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="attention tensors")
    parser.add_argument("--rules", nargs="+", default=["top1", "top3", "top5", "unif", "mass90"])
    parser.add_argument("--tokens", type=int, nargs=2, default=(40, 110), help="least and most")
    parser.add_argument("--count", type=int, default=200, help="patterns to draw")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a pattern")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, default=Path("fresh.sqlite"))
    options = parser.parse_args(arguments)
    try:
        entries = draw(
            options.folder, options.rules, tuple(options.tokens), options.count, options.seed
        )
    except InputError as error:
        parser.error(str(error))
    print(summarise(bound(entries, options.results, options.seconds, options.jobs)))
