"""Furthest vectors: time against numpy, FAISS, scikit-learn and torch, and memory.

    python benchmarks papers.furthest [PART] [--sizes 2000,8000] [--dimensions 16,64] [--runs 5]

Needs the extra `peers`; a peer that is not installed is left out. All take turns within one
process, one for each number of threads. Ratios are of medians: of CPU seconds on one thread, which
neighbours on a shared machine disturb less, of wall seconds on two. GFLOP/s are nominal: 2 n^2 d
over those seconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
from shared.paths import command_of

from samapprox.attention.vectors.furthest_vectors import choose_kernel, distances, furthest

Options = argparse.Namespace
Vectors = np.ndarray[Any, np.dtype[Any]]
Peer = Callable[[Vectors], Vectors]

COMPILED = choose_kernel(10**6, 10**6, 64)  # for all sizes, once it is compiled
BLOCK = 1024
MOST_FULL = 1 << 32  # bytes of a whole matrix of inner products
SLOW = 1.0  # seconds, from which on a run is repeated less


def numpy_full(vectors: Vectors) -> Vectors:
    return np.asarray((vectors @ vectors.T).argmin(axis=1))


def numpy_blocked(vectors: Vectors) -> Vectors:
    parts = range(0, len(vectors), BLOCK)
    return np.concatenate([(vectors[i : i + BLOCK] @ vectors.T).argmin(axis=1) for i in parts])


def faiss_flat(vectors: Vectors) -> Vectors:
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return np.asarray(index.search(-vectors, 1)[1][:, 0])


def sklearn_argmin(vectors: Vectors) -> Vectors:
    from sklearn.metrics import pairwise_distances_argmin

    return np.asarray(pairwise_distances_argmin(-vectors, vectors))


def torch_blocked(vectors: Vectors) -> Vectors:
    import torch

    given = torch.from_numpy(vectors)
    parts = range(0, len(vectors), BLOCK)
    return np.asarray(torch.cat([(given[i : i + BLOCK] @ given.T).argmin(dim=1) for i in parts]))


def peers(vectors: Vectors) -> dict[str, Peer]:
    found: dict[str, Peer] = {"numpy, blocked": numpy_blocked}
    if len(vectors) ** 2 * vectors.itemsize <= MOST_FULL:
        found["numpy, whole"] = numpy_full
    if find_spec("faiss") and vectors.dtype == np.float32:
        found["FAISS IndexFlatIP"] = faiss_flat
    if find_spec("sklearn"):
        found["scikit-learn"] = sklearn_argmin
    if find_spec("torch"):
        found["torch, blocked"] = torch_blocked
    return found


def ours(vectors: Vectors, threads: int) -> Vectors:
    return np.asarray(furthest(vectors, threads=threads, kernel=COMPILED).indices)


def limit_threads(threads: int) -> None:
    if find_spec("torch"):
        import torch

        torch.set_num_threads(threads)
    if find_spec("faiss"):
        import faiss

        faiss.omp_set_num_threads(threads)


def unit_vectors(n: int, d: int, kind: type) -> Vectors:
    vectors = np.random.RandomState(n + d).standard_normal((n, d))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None], dtype=kind)


def medians(
    actions: dict[str, Callable[[], Vectors]], runs: int, clock: Callable[[], float]
) -> tuple[dict[str, float], dict[str, Vectors]]:
    """Interleaved; slow ones are run twice, very slow ones once."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    answers: dict[str, Vectors] = {}
    for run in range(runs + 1):
        for name, action in actions.items():
            taken = seconds[name]
            if taken and (taken[0] > 8 * SLOW or (len(taken) > 2 and taken[0] > SLOW)):
                continue
            start = clock()
            answers[name] = action()
            elapsed = clock() - start
            if run or elapsed > SLOW:  # a short first one warms up
                taken.append(elapsed)
    return {name: statistics.median(values) for name, values in seconds.items()}, answers


def same_distances(vectors: Vectors, ours: Vectors, theirs: Vectors) -> bool:
    """Equal answers, up to rounding where two are nearly as far."""
    apart = np.flatnonzero(ours != theirs)
    best = distances(vectors, None, ours)[apart]
    return bool(np.allclose(best, distances(vectors, None, theirs)[apart], rtol=1e-5))


def table(options: Options) -> None:
    threads = options.threads
    limit_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    for kind, n, d in product((np.float32, np.float64), options.sizes, options.dimensions):
        vectors = unit_vectors(n, d, kind)
        others = peers(vectors)
        actions: dict[str, Callable[[], Vectors]] = {
            "samapprox": partial(ours, vectors, threads),
            **{name: partial(peer, vectors) for name, peer in others.items()},
        }
        seconds, answers = medians(actions, options.runs, clock)
        own = seconds.pop("samapprox")
        assert all(same_distances(vectors, answers["samapprox"], answers[name]) for name in others)
        best = min(seconds, key=seconds.__getitem__)
        goal = 2.5 if d <= 64 and n >= 8000 else 1.3
        ratio = seconds[best] / own
        rates = ", ".join(f"{name} {2e-9 * n * n * d / s:.0f}" for name, s in seconds.items())
        print(
            f"| {kind.__name__}, n = {n:,}, d = {d}, {threads} thread{'s' * (threads > 1)} | "
            f"{1000 * own:.2f} ms, {2e-9 * n * n * d / own:.0f} GFLOP/s | {rates} | "
            f"**{ratio:.2f}** {'' if ratio >= goal else '(missed)'} | {goal} |",
            flush=True,
        )


def memory(_options: Options) -> None:
    # in float32 from the start, so that the peak is that of the search
    vectors = np.random.default_rng(0).standard_normal((200_000, 64), dtype=np.float32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    start = time.perf_counter()
    parts: list[float | None] = []
    answer = furthest(vectors, progress=lambda moment: parts.append(moment.share))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(
        f"| n = 200,000, d = 64, float32 | {time.perf_counter() - start:.1f} s, peak {peak:.0f} MB "
        f"of the process ({before:.0f} MB before), {len(parts)} reports of progress, "
        f"{answer.near_ties} near ties | under 500 MB |"
    )


PARTS: dict[str, Callable[[Options], None]] = {"table": table, "memory": memory}


def in_own_process(part: str, threads: int, arguments: list[str]) -> None:
    environment = dict(os.environ)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = str(threads)
    command = command_of("papers.furthest", part, "--threads", str(threads), *arguments)
    subprocess.run(command, check=True, env=environment)


def whole_numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--sizes", type=whole_numbers, default=[2000, 8000, 20_000, 50_000])
    parser.add_argument("--dimensions", type=whole_numbers, default=[16, 32, 64, 128, 256])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", type=int)
    chosen = parser.parse_args()
    if chosen.part and chosen.threads:
        PARTS[chosen.part](chosen)
    else:
        print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, numpy {np.__version__}\n")
        print("| what | samapprox | GFLOP/s of others | ratio to the best | goal |")
        print("|---|---|---|---|---|", flush=True)
        for threads in (1, 2):
            in_own_process("table", threads, sys.argv[1:])
        in_own_process("memory", 2, [])
