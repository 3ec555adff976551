"""Constructions and optimised layers against the random projection of Theorem 0.4.

    python benchmarks papers.approximate [exact|floats|float32|half|rank] ..

Without names all parts run. Every layer is judged by `samapprox.attention.approximation.check`.

exact   rank 2k on the line, n = 3,072, in fractions
floats  rank 2k on the circle and rank 3 on the sphere, n = 512 .. 3,072, in float64 and float32
float32 rank 2 for k = 1, gamma = 1, eps1 = 0.1: up to which n float32 is enough
half    low ranks whose logits float16 holds
rank    least rank at the projection's own logit spread
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from shared.parts import parse_parts

from samapprox import InputError
from samapprox.attention.approximation import Approximation, Request, approximate, sample
from samapprox.attention.approximation.methods.projection import theorem_d
from samapprox.attention.approximation.precision import report_in

Row = tuple[object, ...]


def main(names: list[str]) -> None:
    for name in names or PARTS:
        heads, part = PARTS[name]
        print(f"\n{name}\n\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
        for row in part():
            print(f"| {' | '.join(map(str, row))} |", flush=True)


def asked(n: int, k: int, gamma: float, eps1: float = 0.1, eps2: float = 1.0) -> Request:
    return Request(target=sample(n, k, gamma), eps1=eps1, eps2=eps2)


def timed(request: Request, method: str) -> tuple[Approximation, float]:
    start = time.perf_counter()
    found = approximate(request, method)
    return found, time.perf_counter() - start


def verdict(holds: bool, proven: bool) -> str:
    return "proven" if proven else "holds" if holds else "fails"


def exact() -> Iterator[Row]:
    for n, k, gamma in ((512, 1, 1.0), (3072, 1, 1.0), (512, 2, 1.0), (3072, 2, 1.0)):
        found, seconds = timed(asked(n, k, gamma), "line")
        report, layer = found.report, found.layer
        told = verdict(report.holds, report.is_proven)
        shape = (layer.rank, layer.d, 2 * layer.rank, layer.d_hid)
        yield (n, k, gamma, *shape, told, f"{report.spread:.3g}", f"{seconds:.1f}")


def floats() -> Iterator[Row]:
    settings = [(512, 1, 1.0), (3072, 1, 1.0), (6144, 1, 1.0), (512, 2, 2.0), (1024, 2, 2.0),
                (3072, 2, 2.0), (512, 3, 2.0), (1024, 3, 2.0), (3072, 3, 2.0)]  # fmt: skip
    for n, k, gamma in settings:
        for method in ("circle", "rings"):
            request = asked(n, k, gamma)
            try:
                found, seconds = timed(request, method)
            except InputError:  # rings serve k <= 2
                continue
            kinds = []
            for kind in ("float64", "float32"):
                report = report_in(kind, found.layer, request.target, 0.1, 1.0)
                assert report is not None
                kinds.append(verdict(report.holds, report.is_proven))
            spread = f"{found.report.spread:.3g}"
            yield n, k, gamma, method, found.layer.rank, *kinds, spread, f"{seconds:.1f}"


def float32() -> Iterator[Row]:
    for n in (512, 3072, 4096, 6144, 8192, 12288):
        request = asked(n, 1, 1.0)
        try:
            found, seconds = timed(replace(request, arithmetic="float32"), "circle")
        except InputError:
            yield n, 2, "fails", "-", "-"
            continue
        yield n, 2, "holds", f"{found.report.spread:.3g}", f"{seconds:.0f}"


def half() -> Iterator[Row]:
    for n, gamma, eps1 in ((512, 2.0, 0.5), (1024, 2.0, 0.5), (1024, 1.0, 0.1)):
        request = asked(n, 2, gamma, eps1)
        for method, wanted in (
            ("rings", request),
            ("optimised", replace(request, d=4, arithmetic="float16")),
        ):
            try:
                found, seconds = timed(wanted, method)
            except InputError as error:
                yield n, 2, gamma, eps1, method, 4, "-", "fails", str(error), "-"
                continue
            told = []
            for kind in ("float16", "bfloat16"):
                report = report_in(kind, found.layer, request.target, eps1, 1.0)
                told.append("fails" if report is None or not report.holds else "holds")
            spread = f"{found.report.spread:.3g}"
            yield n, 2, gamma, eps1, method, found.layer.rank, spread, *told, f"{seconds:.0f}"


def rank() -> Iterator[Row]:
    settings = [(1, 1.0, 0.1, 1.0), (1, 1.0, 0.5, 1.0), (2, 1.0, 0.1, 1.0), (2, 2.0, 0.5, 1.0),
                (3, 2.0, 0.5, 1.0)]  # fmt: skip
    for n in (256, 512):
        for k, gamma, eps1, eps2 in settings:
            request = asked(n, k, gamma, eps1, eps2)
            drawn, first = timed(replace(request, least=True), "projection")
            spread = drawn.report.spread
            found, second = timed(replace(request, spread=spread), "optimised")
            assert found.report.holds
            assert found.report.spread <= spread
            ranks = (drawn.layer.rank, found.layer.rank)
            ratio = f"{ranks[0] / ranks[1]:.1f}"
            bound = theorem_d(n, k, gamma, eps1, eps2) // 2
            seconds = f"{first:.0f}", f"{second:.0f}"
            yield n, k, gamma, eps1, eps2, f"{spread:.3g}", bound, *ranks, ratio, *seconds


PARTS: dict[str, tuple[tuple[str, ...], Callable[[], Iterator[Row]]]] = {
    "exact": (
        ("n", "k", "gamma", "rank", "d", "d, theorem's form", "d_hid", "exactly", "spread", "s"),
        exact,
    ),
    "floats": (
        ("n", "k", "gamma", "method", "rank", "float64", "float32", "spread", "s"),
        floats,
    ),
    "float32": (("n", "rank", "float32", "spread", "s"), float32),
    "half": (
        ("n", "k", "gamma", "eps1", "method", "rank", "spread", "float16", "bfloat16", "s"),
        half,
    ),
    "rank": (
        ("n", "k", "gamma", "eps1", "eps2", "spread", "Equation (6)", "projection", "optimised",
         "ratio", "s", "s"),
        rank,
    ),
}  # fmt: skip


if __name__ == "__main__":
    np.seterr(over="ignore")
    main(parse_parts(__doc__, PARTS))
