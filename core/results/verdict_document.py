"""The document of a verdict, which `decide --json` prints."""

from __future__ import annotations

from samapprox.results.members import ANSWER, ATTEMPT, OTHER_SIMILARITY, SECONDS, describe_matrix
from samapprox.support.documents import (
    Document,
    flag,
    listed,
    mapping,
    nullable,
    number,
    record,
    reference,
    text,
    whole,
)

_PRECISION = record(
    "Room that an embedding leaves; null where there is none, or it is too large to be measured "
    "unasked.",
    least=number(
        about="Least share of a row's range of logits that lies between its ones and zeros.",
        above=0,
        most=1,
    ),
    lowest=nullable(whole(None, "Least integer logit; null where it has more than 4,300 digits.")),
    highest=nullable(
        whole(None, "Greatest integer logit; null where it has more than 4,300 digits.")
    ),
    bits=whole(0, "Of the largest coordinate."),
    rows_lost=mapping(
        listed(whole(0)), "For each arithmetic tested, the rows that it does not show."
    ),
)

DOCUMENT = Document(
    "verdict",
    "What `samapprox decide --json` prints. Indices are 0-based, times in seconds.",
    {
        "pattern": describe_matrix(judged=True, ones=whole(1), unspecified=whole(0)),
        "problem": record(
            "",
            ["similarity"],
            d=whole(1),
            d_hid=nullable(whole(1, "null: queries and keys are independent.")),
            similarity=OTHER_SIMILARITY,
            causal=flag(),
        ),
        "answer": ANSWER,
        "weak_dimension": record(
            "Proven bounds on the least d of the free case.", lower=whole(1), upper=whole(1)
        ),
        "below": reference(
            "certificate",
            "The certificate for `lower`, where it is a refuted smaller d that gives it.",
        ),
        "above": reference(
            "certificate", "The certificate for `upper`, where it is a larger d that gives it."
        ),
        "proof": nullable(reference("proof", "null for UNKNOWN.")),
        "explanation": listed(text()),
        "trail": listed(record(**ATTEMPT)),
        "seconds": SECONDS,
        "precision": nullable(_PRECISION),
    },
    optional=("below", "above"),
)
