"""Result files for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from samapprox import Pattern, WeakDimension, weak_dimension
from samapprox.batch import Outcome, Question, Store
from samapprox.batch.results.outcome import packed_certificate, packed_pattern, packed_trail

HOSTILE = '</script><img src=x onerror=alert(1)> & "quotes" $title ${style}'
DIM = Question("dim", time_limit=2.0)


def outcome(name: str, **given: Any) -> Outcome:
    """A result without evidence."""
    values: dict[str, Any] = {
        "stamp": "",
        "sha256": "0" * 64,
        "rows": 3,
        "columns": 3,
        "ones": 3,
        "verdict": "EXACT",
        "lower": 2,
        "upper": 2,
        "seconds": 0.5,
        "memory": 1 << 20,
        "host": "here",
    }
    return Outcome(name=name, **{**values, **given})


def solved(name: str, pattern: Pattern, **given: Any) -> Outcome:
    """A result with all of its evidence."""
    found: WeakDimension = weak_dimension(pattern, time_limit=10.0)
    sides = {
        key: packed_certificate(None if side is None else side.certificate)
        for key, side in (("yes", found.yes), ("no", found.no))
    }
    return outcome(
        name,
        rows=pattern.shape[0],
        columns=pattern.shape[1],
        lower=found.lower,
        upper=found.upper,
        verdict="EXACT" if found.exact else "INTERVAL",
        pattern=packed_pattern(pattern),
        trail=packed_trail(found.trail),
        **sides,
        **given,
    )


def stored(path: Path, outcomes: list[Outcome], question: Question = DIM) -> Path:
    with Store(path, write=True) as store:
        store.save(store.question(question), outcomes)
    return path


def many(path: Path, count: int, seed: int = 0) -> list[Outcome]:
    """Random results, stored; some are errors."""
    rng = np.random.RandomState(seed)
    outcomes = []
    for k in range(count):
        lower = int(rng.randint(1, 6))
        upper = lower + int(rng.randint(0, 3))
        error = rng.random_sample() < 0.1
        verdict = "ERROR" if error else "EXACT" if lower == upper else "INTERVAL"
        outcomes.append(
            outcome(
                f"i{k:05d}",
                family=[None, "a", "b", "c"][int(rng.randint(4))],
                layer=int(rng.randint(3)),
                head=int(rng.randint(4)),
                verdict=verdict,
                lower=None if error else lower,
                upper=None if error else upper,
                seconds=float(np.round(rng.exponential(), 6)),
                error="no pattern" if error else None,
            )
        )
    stored(path, outcomes)
    return outcomes
