"""Measure the time to make a report of many results, and to open it in a browser.

    python benchmarks commands.report [--results N ..] [--opened K]

Random results in a result file, 24 families of heads by layer; needs chromium and chromedriver
(Debian: apt-get install chromium chromium-driver) and selenium.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from samapprox import Pattern, weak_dimension
from samapprox.batch import Outcome, Question, Store
from samapprox.batch.report import write_report
from samapprox.batch.results.outcome import packed_certificate, packed_pattern, packed_trail

FLAGS = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"


def outcomes(count: int) -> Iterator[Outcome]:
    """Results as a study of heads leaves them: patterns and proofs with each."""
    rng = np.random.RandomState(0)
    kinds = []
    for text in ("100\n010\n001", "1000\n0100\n0011", "100\n110\n111"):
        pattern = Pattern.from_text(text)
        found = weak_dimension(pattern)
        sides = [None if s is None else s.certificate for s in (found.yes, found.no)]
        yes, no = (packed_certificate(side) for side in sides)
        kinds.append((pattern, packed_pattern(pattern), yes, no, packed_trail(found.trail)))
    seconds = rng.lognormal(-3, 2, size=count)
    lower = rng.randint(1, 6, size=count)
    width = rng.choice(4, size=count, p=[0.85, 0.1, 0.03, 0.02])
    for k in range(count):
        own, entries, yes, no, trail = kinds[k % 3]
        rows, columns = own.shape
        low, high = int(lower[k]), int(lower[k] + width[k])
        verdict = "EXACT" if low == high else "INTERVAL"
        if k % 5000 == 77:
            verdict = "ERROR"
        failed = verdict == "ERROR"
        yield Outcome(
            name=f"text{k // 2304:04d}/L{k % 6}_H{k // 6 % 16:02d}_{k}.npz",
            stamp="1-1",
            family=f"rule {k // 96 % 24:02d}",
            layer=k % 6,
            head=k // 6 % 16,
            sha256=own.sha256,
            rows=rows,
            columns=columns,
            ones=own.count,
            verdict=verdict,
            lower=None if failed else low,
            upper=None if failed else high,
            known=None,
            known_lower=None,
            known_upper=None,
            seconds=float(seconds[k]),
            memory=100 << 20,
            host="here",
            error="it was ended" if failed else None,
            pattern=entries,
            yes=yes,
            no=no,
            trail=trail,
        )


def opened(page: Path, times: int) -> list[tuple[float, float]]:
    """Seconds until the page is loaded and drawn, and until a details window is open."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS.split(), f"user-data-dir={profile}"):
            options.add_argument(f"--{flag}")
        driver = Chrome(options=options, service=Service(shutil.which("chromedriver")))
        found = []
        try:
            driver.get("about:blank")
            for _ in range(times):
                start = time.perf_counter()
                driver.get(page.as_uri())
                driver.execute_async_script(
                    "const done = arguments[0];"
                    "requestAnimationFrame(() => requestAnimationFrame(() => done()));"
                )
                shown = time.perf_counter() - start
                start = time.perf_counter()
                driver.execute_async_script(
                    "const done = arguments[0];"
                    "document.querySelector('#list tbody a').click();"
                    "const look = () => document.querySelector('#detail').open ? done()"
                    " : requestAnimationFrame(look); look();"
                )
                found.append((shown, time.perf_counter() - start))
                driver.get("about:blank")
        finally:
            driver.quit()
    return found


def measure(count: int, times: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "r.sqlite", write=True) as store:
            number = store.question(Question("dim", time_limit=60.0))
            store.save(number, outcomes(count))
        start = time.perf_counter()
        write_report(folder / "r.sqlite", folder / "r.html")
        made = time.perf_counter() - start
        size = (folder / "r.html").stat().st_size
        stored = (folder / "r.sqlite").stat().st_size
        both = opened(folder / "r.html", times)
        load, click = (statistics.median(values) for values in zip(*both, strict=True))
        print(
            f"| {count:,} | {stored / 2**20:,.0f} | {made:.1f} | {size / 2**20:.2f} | {load:.2f} | "
            f"{click:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, nargs="+", default=[1_000, 1_000_000])
    parser.add_argument("--opened", type=int, default=5)
    chosen = parser.parse_args()
    print(
        "| results | file, MiB | report made, s | page, MiB | opened, s | a result's details, s |"
    )
    print("|---|---|---|---|---|---|")
    for number in chosen.results:
        measure(number, chosen.opened)
