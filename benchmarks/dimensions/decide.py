"""d > 1: what is decided, how fast, and that nothing is decided wrongly.

    python benchmarks dimensions.decide [PART] [--topes FOLDER] [--patterns N]

FOLDER holds whole lists of tope patterns (npz stacks `S` with `realizable`, rank in the name); the
shipped sample is used without it. Every verdict's proof has passed the exact checker, whose time is
included. Small patterns are measured in processor seconds, which other processes change little.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import numpy as np

import samapprox
from samapprox import Pattern, Verdict, data, load_instance
from samapprox.proofs import Embedding
from samapprox.proofs.base import Obstruction
from samapprox.reductions.families import generate

Options = argparse.Namespace


def timed(
    pattern: Pattern, d: int, limit: float = 60.0, clock: Callable[[], float] = time.perf_counter
) -> tuple[Verdict, float]:
    start = clock()
    verdict = samapprox.decide(pattern, d, time_limit=limit)
    return verdict, clock() - start


def report(what: str, figure: str, goal: str) -> None:
    print(f"| {what} | {figure} | {goal} |", flush=True)


def topes(options: Options) -> None:
    """Tope patterns: rank r is dimension r - 1."""
    for name, d, cases in _tope_lists(options.topes):
        seconds, answers, wrong = [], Counter[str](), 0
        goal = 0.1 if any(realizable for _, realizable in cases) else 0.08
        for pattern, realizable in cases:
            verdict, took = timed(pattern, d, 5.0, time.process_time)
            seconds.append(took)
            answers[verdict.status.value] += 1
            wrong += verdict.status.value == ("NO" if realizable else "YES")
        report(
            f"topes {name}, d = {d}",
            f"{dict(answers)}, {wrong} wrong, mean {statistics.mean(seconds):.3f} s, median "
            f"{statistics.median(seconds):.3f} s",
            f"all decided, mean {goal} s",
        )


def _tope_lists(
    folder: str | None,
) -> Iterable[tuple[str, int, list[tuple[Pattern, bool]]]]:
    if folder is None:
        for rank in (3, 4):
            cases = []
            for path in data.files("oriented-matroids"):
                if path.name.startswith(f"rank{rank}"):
                    instance = load_instance(path)
                    realizable = any(f.d == rank - 1 and f.answer == "YES" for f in instance.facts)
                    cases.append((instance.pattern, realizable))
            yield f"rank {rank}, shipped", rank - 1, cases
        return
    for path in sorted(Path(folder).glob("rank?_*_open.npz")):
        stack = np.load(path)
        pairs = zip(stack["S"], stack["realizable"], strict=True)
        cases = [(Pattern.from_array(entries), bool(truth)) for entries, truth in pairs]
        yield path.stem, int(path.name[4]) - 1, cases


def random(_options: Options) -> None:
    """Dense random patterns are NO: how fast is the refutation?"""
    for rows, columns, d, goal in (
        (14, 14, 2, "refuted in 0.05 s each"),
        (16, 11, 3, "median 0.04 s"),
    ):
        runs = [
            timed(
                generate("random", rows=rows, columns=columns, seed=seed).pattern,
                d,
                clock=time.process_time,
            )
            for seed in range(20)
        ]
        answers = dict(Counter(verdict.status.value for verdict, _ in runs))
        seconds = [took for _, took in runs]
        report(
            f"20 random {rows} x {columns}, density 1/2, d = {d}",
            f"{answers}, median {statistics.median(seconds):.3f} s, max {max(seconds):.3f} s",
            goal,
        )


def mixed(_options: Options) -> None:
    """Small patterns in turn: random ones, halfspaces in R^d, nearly such ones, and in R^(d+1)."""
    rng = np.random.RandomState(0)
    answers, seconds = Counter[str](), []
    for number in range(60):
        d, rows, columns = 2 + number % 3, rng.randint(4, 18), rng.randint(4, 13)
        dimension = d + (number % 4 == 3)
        logits = rng.normal(size=(rows, dimension)) @ rng.normal(size=(dimension, columns))
        entries = logits > np.median(logits, axis=1)[:, None]
        entries ^= rng.random_sample(entries.shape) < (0.5, 0.0, 0.04, 0.0)[number % 4]
        entries[:, 0] |= ~entries.any(axis=1)
        verdict, took = timed(Pattern.from_array(entries), d, clock=time.process_time)
        answers[verdict.status.value] += 1
        seconds.append(took)
    report(
        "60 mixed patterns of at most 17 x 12, d = 2 to 4",
        f"{dict(answers)}, median {statistics.median(seconds):.4f} s, max {max(seconds):.3f} s",
        "median 0.04 s",
    )


def planted(_options: Options) -> None:
    for n, d, goal in ((500, 2, 2), (500, 3, 2), (500, 8, 2), (2000, 2, 60), (2000, 8, 60)):
        rng = np.random.RandomState(n + d)
        logits = rng.normal(size=(n, d)) @ rng.normal(size=(n, d)).T
        ranks = np.sort(logits, axis=1)
        places = rng.randint(n // 20, n - n // 20, size=n)
        levels = (ranks[range(n), places] + ranks[range(n), places - 1]) / 2
        verdict, took = timed(Pattern.from_array(logits > levels[:, None]), d)
        assert isinstance(verdict.proof, Embedding)
        bits = int(np.abs(verdict.proof.keys).max()).bit_length()
        report(
            f"planted halfspaces n = {n}, d = {d}",
            f"{verdict.status.value} in {took:.2f} s, keys of {bits} bits",
            f"YES within {goal} s",
        )


def limit(_options: Options) -> None:
    pattern = load_instance(data.path("limit/limit.npz")).pattern
    no, first = timed(pattern, 3)
    yes, second = timed(pattern, 4)
    assert isinstance(no.proof, Obstruction)
    columns = len(no.proof.columns)
    report(
        "LIMIT (1000 x 46)",
        f"d = 3 {no.status.value} on {columns} columns in {first:.2f} s, "
        f"d = 4 {yes.status.value} in "
        f"{second:.2f} s",
        "under 10 s together, 6 columns",
    )


def subsets(_options: Options) -> None:
    cases = [(n, 2, 3, "YES" if n == 5 else "NO") for n in (5, 6, 10, 20, 40, 60)]
    cases += [(n, 2, 4, "YES") for n in (6, 20, 60)]
    cases += [(7, 3, 5, "YES"), (8, 3, 5, "NO"), (12, 3, 5, "NO"), (12, 3, 6, "YES")]
    for n, k, d, expected in cases:
        verdict, took = timed(generate("all-subsets", n=n, k=k).pattern, d)
        kind = type(verdict.proof).__name__
        report(
            f"all {k}-subsets of {n}, d = {d}",
            f"{verdict.status.value} ({kind}) in {took:.2f} s",
            expected,
        )


def contradictions(options: Options) -> None:
    """YES in d must be YES in d + 1, and a pattern and its twin must agree; every answer proven."""
    rng = np.random.RandomState(0)
    answers, start = Counter[tuple[int, str]](), time.perf_counter()
    for _ in range(options.patterns):
        rows, columns = rng.randint(2, 9, size=2)
        entries = rng.randint(0, 2, size=(rows, columns))
        entries[entries.sum(axis=1) == 0, 0] = 1
        below = "NO"
        for d in range(1, 5):
            answer = samapprox.decide(entries, d, time_limit=2.0).status.value
            assert not (below == "YES" and answer == "NO"), (entries.tolist(), d)
            below = answer
            answers[d, answer] += 1
    counts = {f"d = {d}": answers[d, a] for d, a in product(range(1, 5), ["UNKNOWN"])}
    report(
        f"{options.patterns} random patterns up to 8 x 8, d = 1..4",
        f"no contradiction; UNKNOWN: {counts}; {time.perf_counter() - start:.0f} s",
        "0 wrong answers",
    )


PARTS: dict[str, Callable[[Options], None]] = {
    "topes": topes,
    "random": random,
    "mixed": mixed,
    "planted": planted,
    "limit": limit,
    "subsets": subsets,
    "contradictions": contradictions,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--topes", metavar="FOLDER")
    parser.add_argument("--patterns", type=int, default=2000)
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, numpy {np.__version__}\n")
    print("| what | figure | goal |\n|---|---|---|", flush=True)
    samapprox.decide(np.eye(3), 2)  # imports
    samapprox.decide(generate("random", rows=16, columns=11, seed=99).pattern, 3)  # compiled code
    for name in [chosen.part] if chosen.part else PARTS:
        PARTS[name](chosen)
