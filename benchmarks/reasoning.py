"""Chains of thought: tasks, locality, bounds, costs and decoders, beside the goals.

    python benchmarks/reasoning.py [PART ...]

One core; some two minutes. Each part prints rows of one table.
"""

from __future__ import annotations

from shared.rows import print_parts

PARTS = {
    "lengths": "chains.tasks:lengths",
    "speed": "chains.tasks:speed",
    "replays": "chains.tasks:replays",
    "locality": "chains.locality:locality_of_chains",
    "bounds": "chains.bounds:bounds",
    "costs": "chains.costs:costs",
    "lemmas": "chains.decoders:lemmas",
    "decoders": "chains.decoders:decoders",
}
"""Part -> the module and the function that yields its rows."""

if __name__ == "__main__":
    print_parts(__doc__, PARTS)
