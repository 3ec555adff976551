"""Chains of thought: tasks, locality, bounds, costs and decoders, beside the goals.

    python benchmarks papers.reasoning [PART ...]

One core; some two minutes. Each part prints rows of one table.
"""

from __future__ import annotations

from shared.rows import print_parts

PARTS = {
    "lengths": "papers.chains.tasks:lengths",
    "speed": "papers.chains.tasks:speed",
    "replays": "papers.chains.tasks:replays",
    "locality": "papers.chains.locality:locality_of_chains",
    "bounds": "papers.chains.bounds:bounds",
    "costs": "papers.chains.costs:costs",
    "lemmas": "papers.chains.decoders:lemmas",
    "decoders": "papers.chains.decoders:decoders",
}
"""Part -> the module and the function that yields its rows."""

if __name__ == "__main__":
    print_parts(__doc__, PARTS)
