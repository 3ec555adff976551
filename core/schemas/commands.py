"""Documents of other commands."""

from __future__ import annotations

from samapprox.support.documents import (
    Document,
    flag,
    listed,
    nullable,
    number,
    record,
    reference,
    text,
    whole,
)

_SIZE = "^[0-9]+ x [0-9]+$"

EVALUATIONS = Document(
    "evaluations",
    "What `samapprox fit --embeddings --json` prints: one evaluation for each similarity.",
    {
        "embeddings": listed(
            text(), "The files of queries and keys, or one file of both.", least=1, most=2
        ),
        "evaluations": listed(reference("evaluation"), least=1, most=3),
    },
)

IDS = Document(
    "ids",
    "What `samapprox show --ids --json` prints: ids in the order of the pattern.",
    {
        "rows": nullable(listed(text(), "Null where rows have none.")),
        "columns": nullable(listed(text(), "Null where columns have none.")),
    },
)

RUN_EVALUATIONS = Document(
    "run-evaluations",
    "What `samapprox fit --run --json` prints: one evaluation for each run.",
    {
        "judgements": text("The file of judgements."),
        "evaluations": listed(reference("run-evaluation"), least=1),
    },
)

SHOW = Document(
    "show",
    "What `samapprox show --json` prints.",
    {
        "rows": whole(1),
        "columns": whole(1),
        "ones": whole(0, "In a matrix of signs, the number of +; it may be 0."),
        "unspecified": whole(0, "Don't-care entries."),
        "density": number(
            0, "Share of ones among the specified entries, rounded to 6 digits.", most=1
        ),
        "ones a row": text("Least and greatest number.", pattern="^[0-9]+\\.\\.[0-9]+$"),
        "merged": nullable(
            text(
                "Rows and columns that are left when those that make no difference are "
                "merged; null if no row is left, the pattern is too large, or it is a "
                "matrix of signs.",
                pattern=_SIZE,
            )
        ),
        "parts": nullable(
            record(
                "The parts into which the merged pattern falls at its components and "
                "cut columns; null if there is one alone, the pattern is too large, or "
                "it is a matrix of signs.",
                number=whole(1),
                different=whole(1, "Up to the order of rows and columns, as far as is found."),
                largest=listed(
                    text(pattern=_SIZE),
                    "Rows and columns of at most five parts, without their borders.",
                ),
                **{"cut columns": whole(0, "Columns that several parts share.")},
            )
        ),
        "sha256": text(
            "Fingerprint of shape and entries; certificates name it.", pattern="^[0-9a-f]{64}$"
        ),
        "known": listed(
            text(pattern="^(YES|NO) for d = [0-9]+"),
            "Facts that the file states, unchecked: answer, question and reason.",
        ),
        "origin": listed(
            text(pattern=" = "), "name = value: family and parameters, or file and rule."
        ),
    },
)

VERIFY = Document(
    "verify",
    "What `samapprox verify --json` prints.",
    {
        "valid": flag("Whether the certificate proves its answer for this very pattern."),
        "reason": text("What is proven, or where the proof fails."),
        "precision": reference(
            "verdict",
            "That of the certificate's embedding; null if it is not valid.",
            part="#/properties/precision",
        ),
    },
)
