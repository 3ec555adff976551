"""The least dimension of queries and keys with few values: bounds, seconds, and other checkers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, product

import numpy as np
from shared.rows import Row

from practical.subjects import subjects
from samapprox import Certificate, Pattern, weak_dimension
from samapprox.proofs.base import Obstruction
from samapprox.reductions.exports import export
from samapprox.reductions.families import generate

__all__ = ["few_values"]

TOKENS, SECONDS = 17, 60.0
IDENTITIES, PAIRS, HADAMARD = (4, 8, 9, 16), (4, 5, 6, 7, 8), (4, 8)
MASKS = ("star", "window", "strided:w=4", "longformer")
SETS = ("binary", "ternary")
MOST_WORK = 100_000  # clauses times lemmas that drup checks in some seconds


def few_values() -> Iterator[Row]:
    """Bound the least dimension of each pattern with each set of values."""
    for values, (name, pattern) in product(SETS, list_patterns()):
        start = time.perf_counter()
        found = weak_dimension(pattern, similarity=values, time_limit=SECONDS)
        seconds = time.perf_counter() - start
        bounds = f"{found.lower}" if found.exact else f"{found.lower}..{found.upper}"
        refutation = None if found.no is None else found.no.proof
        by = ""
        if isinstance(refutation, Obstruction):
            size = len(getattr(refutation, "lemmas", ()))
            by = f", {refutation.KIND}" + (f" of {size} lemmas" if size else "")
            if size and found.no_certificate is not None:
                by += "".join(
                    f", accepted by {name}" for name in accept(pattern, found.no_certificate)
                )
        yield f"{name}, {values}", f"{bounds} in {seconds:.1f} s{by}", "exact"


def list_patterns(tokens: int = TOKENS) -> Iterator[tuple[str, Pattern]]:
    """Yield identities, all pairs, Hadamard matrices, masks of 16 tokens and small heads."""
    for n in IDENTITIES:
        yield f"identity {n}", Pattern(np.eye(n))
    for n in PAIRS:
        pairs = [[j in pair for j in range(n)] for pair in combinations(range(n), 2)]
        yield f"all pairs of {n}", Pattern.from_array(np.array(pairs))
    for n in HADAMARD:
        yield f"Hadamard {n}", generate("hadamard", n=n).pattern
    for graph in MASKS:
        yield f"mask {graph} 16", generate("mask", graph=graph, n=16).pattern
    for subject in subjects():
        if subject.part == "minilm" and subject.pattern.shape[0] <= tokens:
            yield subject.name, subject.pattern


def accept(pattern: Pattern, certificate: Certificate) -> Iterator[str]:
    """Yield the checkers of others, as far as they are installed, that accept the export."""
    written = export(pattern, certificate)
    with suppress(ImportError):
        import dratify

        if dratify.check_proof(dratify.parse_dimacs(written.formula), written.proof).ok:
            yield "dratify"
    with suppress(ImportError):
        import drup

        lines = [line for line in written.formula.splitlines() if line[:1] not in "cp"]
        clauses, lemmas = (
            [tuple(map(int, line.split()[:-1])) for line in part]
            for part in (lines, written.proof.splitlines())
        )
        is_short = len(clauses) * len(lemmas) <= MOST_WORK
        if is_short and drup.check_proof(clauses, lemmas).outcome is drup.Outcome.VALID:
            yield "drup"
