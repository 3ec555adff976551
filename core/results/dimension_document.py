"""The document of a least dimension, which `dim --json` prints."""

from __future__ import annotations

from samapprox.results.members import (
    ATTEMPT,
    CERTIFICATE,
    OTHER_SIMILARITY,
    SECONDS,
    SIDES,
    describe_matrix,
)
from samapprox.support.documents import (
    Document,
    flag,
    listed,
    nullable,
    number,
    record,
    text,
    whole,
)

HIDDEN_DIMENSION = {
    "d": whole(1),
    "lower": whole(1),
    "upper": nullable(whole(1)),
    "yes": nullable(CERTIFICATE | {"description": "For d_hid = upper."}),
    "no": nullable(CERTIFICATE | {"description": "For d_hid = lower - 1."}),
}

ARITHMETIC = {
    "format": text(),
    "lower": whole(1, "No smaller d represents the pattern, in exact arithmetic."),
    "d": whole(1, "The least d that was found in the format."),
    "yes": CERTIFICATE,
}

MARGIN = {
    "margin": number(0, "The margin that is wanted."),
    "lower": nullable(whole(1, "No smaller d has the margin; null if no d has it.")),
    "upper": nullable(whole(1, "This d has the margin; null if none was found.")),
    "yes": nullable(CERTIFICATE),
    "no": nullable(CERTIFICATE),
}

DOCUMENT = Document(
    "dimension",
    "What `samapprox dim --json` prints. Times in seconds.",
    {
        "pattern": describe_matrix(judged=True, causal=flag()),
        "similarity": OTHER_SIMILARITY,
        "lower": whole(1, "No smaller d shows the pattern."),
        "upper": whole(1, "This d does."),
        "exact": flag(),
        **SIDES,
        "hidden_dimensions": nullable(
            listed(record(**HIDDEN_DIMENSION), "The least d_hid for each d; null if not asked for.")
        ),
        "arithmetic": record(
            "With --arithmetic: an embedding that represents the pattern in a number format. "
            "A smaller d may do as well.",
            **ARITHMETIC,
        ),
        "margin": record(
            "With --margin: bounds on the least d whose unit queries and keys have a margin.",
            **MARGIN,
        ),
        "trail": listed(record("", d=whole(1), **ATTEMPT)),
        "seconds": SECONDS,
    },
    optional=("similarity", "arithmetic", "margin"),
)
