"""The universality theorems as transformers that run: what is measured, beside the goals.

    python benchmarks/universality.py [PART ...]

Times are processor seconds of one core where nothing else is said; constructions are verified on
every grid point.
"""

from __future__ import annotations

from shared.rows import print_parts

PARTS = {
    "construction": "universal.construction:constructions",
    "contextual": "universal.construction:contextual_mappings",
    "walks": "universal.walks:walks",
    "checks": "universal.masks:checks",
    "paths": "universal.masks:paths",
    "maps": "universal.maps:maps",
    "softening": "universal.softening:softenings",
    "copying": "universal.copying:copying",
}
"""Part -> the module and the function that yields its rows."""

if __name__ == "__main__":
    print_parts(__doc__, PARTS)
