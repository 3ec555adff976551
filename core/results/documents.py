"""The documents of verdicts, dimensions and fits, and members that all documents share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samapprox.results import Status
from samapprox.similarities import SIMILARITIES, VALUE_SETS
from samapprox.support.documents import (
    Document,
    Schema,
    choice,
    flag,
    indices,
    listed,
    mapping,
    nullable,
    number,
    record,
    reference,
    text,
    whole,
)

if TYPE_CHECKING:
    from samapprox.instance import Grading


CERTIFICATE, SECONDS = reference("certificate"), number()
ANSWER = choice(*(answer.value for answer in Status))
ATTEMPT = {"strategy": text(), "seconds": SECONDS, "outcome": text()}
SIMILARITY = choice(*SIMILARITIES)
OTHER_SIMILARITY = choice(
    *(name for name, similarity in SIMILARITIES.items() if not similarity.is_attention),
    *VALUE_SETS,
    about="How queries and keys are compared; dot products if it is left out. A set of values: dot "
    "products of queries and keys with such entries.",
)
SIDES = {
    "yes": nullable(
        reference(
            "certificate", "The certificate for `upper`; null where that is the trivial bound."
        )
    ),
    "no": nullable(reference("certificate", "The certificate against `lower` - 1; null for 1.")),
}
"""The certificates of both bounds."""

_JUDGEMENTS = record(
    "Of retrieval judgements: the rule that made the entries.",
    relevant=whole(1, "Least grade that makes a 1."),
    unjudged=choice("zero", "unspecified", about="Pairs that nobody judged are 0 or *."),
)


def describe_matrix(*, what: str = "pattern", judged: bool = False, **facts: Schema) -> Schema:
    """Return the schema of `write_matrix`: of which facts, and whether it may be judged."""
    judgements = {"judgements": _JUDGEMENTS} if judged else {}
    origin = f"Where the {what} comes from; null if it is not from a file."
    return record(
        "",
        tuple(judgements),
        source=nullable(text(origin)),
        rows=whole(1),
        columns=whole(1),
        **facts,
        **judgements,
    )


def write_matrix(
    shape: tuple[int, int], source: str | None, *, grading: Grading | None = None, **facts: int
) -> dict[str, Any]:
    """Return the member that names the pattern or matrix of a document.

    `source`: the origin of the matrix. `grading`: the rule that made entries of retrieval
    judgements. `facts`: more members, which follow the shape.

    >>> write_matrix((2, 3), "a.csv", causal=False)
    {'source': 'a.csv', 'rows': 2, 'columns': 3, 'causal': False}
    """
    rows, columns = shape
    judgements = {} if grading is None else {"judgements": grading.origin}
    return {"source": source, "rows": rows, "columns": columns, **facts, **judgements}


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
    rows_lost=mapping(indices(), "For each arithmetic tested, the rows that it does not show."),
)

VERDICT = Document(
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

DIMENSION = Document(
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

_FITTED = describe_matrix(causal=flag())
FIT_SUMMARY = {
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
        "pattern": _FITTED,
        **FIT_SUMMARY,
        "wrong": indices(
            "The wrong rows of the embedding, or its wrong entries: entry (i, j) has the number "
            "i n + j."
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
    {"pattern": _FITTED, "fits": listed(record(**FIT_SUMMARY), least=1)},
)
