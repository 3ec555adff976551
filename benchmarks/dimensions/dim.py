"""The least dimension of real patterns: how many are exact, and how soon.

    python benchmarks dimensions.dim [PART] [--seconds S] [--patterns FOLDER] [--tokens N ..]

Every bound has passed the exact checker, whose time is included. FOLDER holds patterns beyond
the shipped ones. Part `long` makes the table of masks of 1,024 to 65,536 tokens in
docs/studies/dimensions.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from math import isqrt
from pathlib import Path

import numpy as np

import samapprox
from samapprox import Pattern, WeakDimension, data, load
from samapprox.proofs.base import Obstruction
from samapprox.reductions.families import family, generate
from samapprox.reductions.families.mask import mask_facts

Options = argparse.Namespace


def timed(pattern: Pattern, seconds: float) -> tuple[WeakDimension, float]:
    start = time.perf_counter()
    found = samapprox.weak_dimension(pattern, time_limit=seconds)
    return found, time.perf_counter() - start


def interval(lower: int, upper: int) -> str:
    """Bounds as tables show them: one number where they meet."""
    return str(lower) if lower == upper else f"{lower}..{upper}"


def proofs(found: WeakDimension) -> str:
    """The kinds of both proofs, and the size of the core."""
    parts = []
    if found.no is not None:
        proof = found.no.proof
        assert isinstance(proof, Obstruction)
        rows, columns = len(proof.rows), len(proof.columns)
        parts.append(f"{type(proof).__name__} {rows} x {columns}")
    parts.append("trivial" if found.yes is None else "embedding")
    return ", ".join(parts)


def table(cases: Iterable[tuple[str, Pattern]], seconds: float) -> None:
    """A row for each pattern, and a summary."""
    print("| pattern | shape | least d | s | proofs |\n|---|---|---|---|---|", flush=True)
    exact, total, taken = 0, 0, []
    for name, pattern in cases:
        found, took = timed(pattern, seconds)
        bounds = interval(found.lower, found.upper)
        shape = " x ".join(map(str, pattern.shape))
        print(f"| {name} | {shape} | {bounds} | {took:.2f} | {proofs(found)} |", flush=True)
        exact, total = exact + found.exact, total + 1
        taken.append(took)
    print(f"\nexact: {exact} of {total}; median {statistics.median(taken):.2f} s\n", flush=True)


def minilm(options: Options) -> None:
    paths = data.files("minilm")
    if options.patterns is not None:
        paths = sorted(Path(options.patterns).glob("*.npz"))
    table(((path.stem, load(path)) for path in paths), options.seconds)


def limit(options: Options) -> None:
    table([("LIMIT", load(data.path("limit/limit.npz")))], options.seconds)


def families(options: Options) -> None:
    cases: list[tuple[str, dict[str, int]]] = [
        ("all-subsets", {"n": 12, "k": 2}),
        ("all-subsets", {"n": 8, "k": 3}),
        ("random", {"rows": 12, "columns": 12}),
        ("random", {"rows": 20, "columns": 20}),
        ("halfspaces", {"rows": 60, "columns": 60, "d": 3}),
        ("halfspaces-flipped", {"rows": 60, "columns": 60, "d": 2}),
        ("arcs", {"rows": 100, "columns": 100}),
        ("stretch", {}),
        ("hadamard", {"n": 16}),
    ]
    table(
        (
            (
                " ".join([name, *(f"{k}={v}" for k, v in given.items())]),
                family(name)(**given).pattern,
            )
            for name, given in cases
        ),
        options.seconds,
    )


MASKS = (
    "window:w=3",
    "dilated",
    "star",
    "strided",
    "fixed",
    "random",
    "longformer",
    "bigbird:w=3,g=2,r=3",
    "block-sparse",
)


def masks(options: Options) -> None:
    """Published masks with their default parameters, free and causal."""
    cases = [
        (
            f"{graph}, n = {n}{', causal' * causal}",
            generate("mask", causal=causal, graph=graph, n=n),
        )
        for n in options.tokens or [32, 64, 128]
        for graph in MASKS
        for causal in (False, True)
    ]
    table(((name, instance.pattern) for name, instance in cases), options.seconds)


LONG_MASKS = (
    "window:w=5",
    "dilated",
    "longformer",
    "star",
    "fixed:w={root}",
    "strided:w={root}",
    "block-sparse:b={root}",
    "bigbird:w=3,g=2,r=3",
    "bigbird-block:b=32",
    "random-keys:r=3",
)
"""Masks for long inputs: blocks, segments and strides of sqrt(n) tokens, as published."""

MOST_CAUSAL = 4096
"""Tokens of the longest causal views: their don't-cares are stored one by one."""


def long(options: Options) -> None:
    """Bounds proven for all n beside those that `dim` finds and certifies."""
    print("| mask | tokens | proven for all n | `dim` | s | proofs |\n|---|---|---|---|---|---|")
    for n in options.tokens or [1024, 4096, 16384, 65536]:
        for name in LONG_MASKS:
            graph = name.format(root=isqrt(n))
            for causal in (False, True)[: 1 + (n <= MOST_CAUSAL)]:
                instance = generate("mask", causal=causal, graph=graph, n=n)
                found, took = timed(instance.pattern, options.seconds)
                known = {fact.answer: fact.d for fact in mask_facts(graph, n, causal=causal)}
                print(
                    f"| {graph}{', causal' * causal} | {n:,} "
                    f"| {interval(known.get('NO', 0) + 1, known['YES'])} "
                    f"| {interval(found.lower, found.upper)} | {took:.1f} | {proofs(found)} |",
                    flush=True,
                )


PARTS: dict[str, Callable[[Options], None]] = {
    "minilm": minilm,
    "limit": limit,
    "families": families,
    "masks": masks,
    "long": long,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tokens", type=int, nargs="+")
    parser.add_argument("--patterns", metavar="FOLDER")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, numpy {np.__version__}\n")
    samapprox.decide(np.eye(3), 2)  # imports
    for part in [chosen.part] if chosen.part else PARTS:
        PARTS[part](chosen)
