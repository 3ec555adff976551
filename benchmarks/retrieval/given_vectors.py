"""Evaluation of given vectors at the sizes of retrieval, beside numpy's product alone.

    python benchmarks retrieval.given_vectors [--documents N] [--queries M] [--dimension D]
                                       [--judged-queries Q] [--judged-documents K]

Vectors are float32 in a mapped file, in another order than the judgements, and joined by ids. The
time of the product of all queries with all documents, in blocks of 4,096, is the unit. Memory is
what is private to the process, without the mapped file. Then judgements of Q queries, each with a
pair of K documents, are read from a file in the format of TREC. Files are temporary.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from samapprox import Pattern, evaluate, load

_BLOCK = 4096


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--judged-queries", type=int, default=100_000)
    parser.add_argument("--judged-documents", type=int, default=10_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        evaluate_vectors(Path(folder), options.documents, options.queries, options.dimension)
        read_judgements(Path(folder), options.judged_queries, options.judged_documents)


def evaluate_vectors(folder: Path, n: int, m: int, d: int) -> None:
    keys = map_keys(folder / "keys.npy", n, d)
    random = np.random.default_rng(1)
    relevant = random.choice(n, m, replace=False)
    queries = keys[relevant] + np.float32(0.3) * random.standard_normal((m, d), dtype=np.float32)
    document_ids = [f"d{document}" for document in range(n)]
    query_ids = [f"q{query}" for query in range(m)]
    columns = [document_ids[document] for document in relevant.tolist()]
    pattern = Pattern.from_csr(
        np.arange(m + 1), np.arange(m), None, (m, m), row_names=query_ids, column_names=columns
    )
    unit, _ = measure(lambda: multiply(queries, keys))
    print(f"{n} documents, {m} queries, d = {d}: product alone {unit:.1f} s")
    for similarity in ("dot", "cosine", "l2"):
        with watch_memory() as peak:
            seconds, found = measure(
                lambda: evaluate(
                    pattern,
                    queries,
                    keys,
                    query_ids=query_ids,
                    document_ids=document_ids,
                    similarity=similarity,  # noqa: B023
                )
            )
        print(
            f"{similarity}: {seconds:.1f} s, {seconds / unit:.2f} times the product, "
            f"{peak[0] >> 20} MB, {found.count} rows right"
        )


def map_keys(path: Path, n: int, d: int) -> Any:
    random = np.random.default_rng(0)
    keys = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    for start in range(0, n, _BLOCK):
        part = keys[start : start + _BLOCK]
        part[...] = random.standard_normal(part.shape, dtype=np.float32)
    keys.flush()
    return np.load(path, mmap_mode="r")


def multiply(queries: Any, keys: Any) -> None:
    for start in range(0, len(keys), _BLOCK):
        (queries @ keys[start : start + _BLOCK].T).max()


def read_judgements(folder: Path, queries: int, documents: int) -> None:
    path = folder / "judgements.qrels"
    with path.open("w") as file:
        for document in range(documents):
            file.write(f"q{document % queries} 0 d{document} 1\n")
    seconds, found = measure(lambda: load(path))
    print(f"judgements of {found.shape[0]} x {found.shape[1]}: read in {seconds:.1f} s")


def measure(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


@contextmanager
def watch_memory() -> Iterator[list[int]]:
    """Watch the bytes that are private to the process; yields a list that holds the peak."""
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    peak[0] = max(peak[0], 1024 * int(line.split()[1]))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    main()
