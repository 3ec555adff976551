"""The documents of fits, which `fit --json` prints."""

from __future__ import annotations

from samapprox.results.members import CERTIFICATE, SECONDS, SIMILARITY, describe_matrix
from samapprox.support.documents import (
    Document,
    choice,
    flag,
    listed,
    nullable,
    number,
    record,
    whole,
)

_PATTERN = describe_matrix(causal=flag())
SUMMARY = {
    "d": whole(1),
    "unit": choice("rows", "entries"),
    "similarity": SIMILARITY,
    "total": whole(1, "The number of rows, or of specified entries."),
    "lower": whole(0, "A proven lower bound on the number of wrong rows or entries."),
    "upper": whole(0, "The number of wrong rows or entries of the embedding."),
    "exact": flag(),
    "seconds": SECONDS,
    "at": nullable(whole(1, "K: rows are right if their ones are among the first K keys.")),
    "least_recall": nullable(number(0, "The mean recall at K that an embedding reaches.")),
    "most_recall": nullable(number(0, "A proven upper bound on the mean recall at K.")),
}

FIT = Document(
    "fit",
    "What `samapprox fit --json` prints. Times in seconds.",
    {
        "pattern": _PATTERN,
        **SUMMARY,
        "wrong": listed(
            whole(0),
            "The wrong rows of the embedding, or its wrong entries: entry (i, j) has the number "
            "i n + j.",
        ),
        "yes": nullable(CERTIFICATE),
        "no": nullable(CERTIFICATE),
        "recall_yes": nullable(CERTIFICATE),
        "recall_no": nullable(CERTIFICATE),
    },
)

FIT_CURVE = Document(
    "fit-curve",
    "What `samapprox fit --curve --json` prints: one fit for each d from 1 on. Times in seconds.",
    {"pattern": _PATTERN, "fits": listed(record(**SUMMARY), least=1)},
)
