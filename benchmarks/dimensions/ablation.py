"""Leave out one strategy at a time, and count the answers that are then lost.

    python benchmarks dimensions.ablation [--strategies NAME,NAME] [--seconds S] [--data FOLDER]
                                          [--first N]

Every pattern is bounded with all strategies. Then it is bounded again without each of the named
strategies that proved anything about it; a strategy that proved nothing cannot be missed. A lost
answer is a lower bound that falls, or an upper bound that rises. The patterns: shipped and given
files, sparse attention masks, random patterns and families with known answers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from samapprox import Pattern, weak_dimension
from samapprox.data import files
from samapprox.reductions.families import generate
from samapprox.results.dimension import WeakDimension
from samapprox.solvers.engine.portfolio import choose

MASKS = ("window:w={}", "strided:w={}", "fixed:w={}", "bigbird:w=3,g={},r=2", "star")
FAMILIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("all-subsets", {"n": 6, "k": 2}),
    ("all-subsets", {"n": 7, "k": 3}),
    ("hadamard", {"n": 8}),
    ("hadamard", {"n": 16}),
    ("projective-plane", {"q": 3}),
    ("disjointness", {"n": 4}),
    ("permutations", {"n": 40, "k": 3}),
    ("sparse-rows", {"rows": 60, "columns": 60, "k": 3}),
    ("arcs", {"rows": 40, "columns": 40, "d": 4}),
    ("halfspaces", {"rows": 60, "columns": 60, "d": 4}),
    ("halfspaces-flipped", {"rows": 60, "columns": 60, "d": 4, "flips": 20}),
)


def instances(folders: list[Path]) -> Iterator[tuple[str, Pattern]]:
    """Yield names and patterns."""
    sources = [files(name) for name in ("minilm", "oriented-matroids")]
    for source in (*sources, *(sorted(folder.rglob("*.npz")) for folder in folders)):
        for file in source:
            stack = np.load(file).get("S", np.empty((0, 1, 1)))
            for place, entries in enumerate(stack[:3] if stack.ndim == 3 else [stack]):
                if entries.size <= 20_000:
                    yield f"{file.stem} {place}", Pattern(entries)
    for graph, n in product(MASKS, (16, 24, 32, 48, 64)):
        for width in (2, 5) if "{}" in graph else (0,):
            spec = graph.format(width)
            yield f"{spec} n={n}", generate("mask", graph=spec, n=n).pattern
            yield f"{spec} n={n} causal", generate("mask", graph=spec, n=n).pattern.causal()
    for size, density, seed in product((12, 24, 40, 80), (0.05, 0.2, 0.5), range(2)):
        made = generate("random", rows=size, columns=size, density=density, seed=seed)
        yield f"random {size} {density} {seed}", made.pattern
    for name, options in FAMILIES:
        yield f"{name} {options}", generate(name, **options).pattern


def proved(found: WeakDimension) -> set[str]:
    """Return the strategies that proved a bound, the last one or an earlier one."""
    return {step.strategy for _, step in found.trail if step.outcome.startswith(("YES", "NO"))}


def main() -> None:
    """Print each loss, and a table at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = ",".join(record.name for record in choose())
    parser.add_argument("--strategies", default=every)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--first", type=int, help="patterns at most")
    options = parser.parse_args()
    names = options.strategies.split(",")
    totals = {name: [0, 0, 0.0, 0.0] for name in names}
    chosen = list(islice(instances(options.data), options.first))
    for title, pattern in chosen:
        started = process_time()
        found = weak_dimension(pattern, time_limit=options.seconds, threads=1)
        took = process_time() - started
        for name in sorted(proved(found) & set(names)):
            started = process_time()
            other = weak_dimension(pattern, time_limit=options.seconds, threads=1, without=[name])
            lost = other.lower < found.lower or other.upper > found.upper
            total = totals[name]
            total[0] += 1
            total[1] += lost
            total[2] += took
            total[3] += process_time() - started
            print(
                f"{'LOST' if lost else 'kept'} {title} without {name}: {found.lower}..{found.upper}"
                f" -> {other.lower}..{other.upper}",
                flush=True,
            )
    print(f"\n{len(chosen)} patterns, {options.seconds:g} s each\n")
    print("| strategy | patterns where it proved a bound | lost without it | seconds | without |")
    print("|---|---|---|---|---|")
    for name, (where, losses, with_it, without_it) in totals.items():
        print(f"| `{name}` | {where:.0f} | {losses:.0f} | {with_it:.0f} | {without_it:.0f} |")


if __name__ == "__main__":
    main()
