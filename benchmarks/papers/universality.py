"""The universality theorems as transformers that run: what is measured, beside the goals.

    python benchmarks papers.universality [PART ...]

Times are processor seconds of one core where nothing else is said; constructions are verified on
every grid point.
"""

from __future__ import annotations

from shared.rows import print_parts

PARTS = {
    "construction": "papers.universal.construction:constructions",
    "contextual": "papers.universal.construction:contextual_mappings",
    "walks": "papers.universal.walks:walks",
    "checks": "papers.universal.masks:checks",
    "paths": "papers.universal.masks:paths",
    "maps": "papers.universal.maps:maps",
    "softening": "papers.universal.softening:softenings",
    "copying": "papers.universal.copying:copying",
}
"""Part -> the module and the function that yields its rows."""

if __name__ == "__main__":
    print_parts(__doc__, PARTS)
