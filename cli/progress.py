"""What a decision is at, on standard error, once it takes longer than two seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from samapprox.solvers.decide import Progress

__all__ = ["shown"]


@contextmanager
def shown(time_limit: float) -> Iterator[Progress]:
    """A bar of the time used, with the strategy that runs and what the last one said."""
    with tqdm(
        total=time_limit,
        delay=2,
        disable=None,
        leave=False,
        bar_format="{l_bar}{bar}| {elapsed} of {total:.0f} s {postfix}",
    ) as bar:
        said = {"outcome": ""}

        def progress(strategy: str, outcome: str | None) -> None:
            if outcome is not None:
                said["outcome"] = f"; {strategy}: {outcome}"
            bar.set_postfix_str(f"{strategy}{said['outcome']}", refresh=False)
            bar.update(min(time_limit, bar.format_dict["elapsed"]) - bar.n)

        yield progress
