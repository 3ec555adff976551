"""Members that the documents of several results share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samapprox.results import Status
from samapprox.similarities import SIMILARITIES, VALUE_SETS
from samapprox.support.documents import (
    Schema,
    choice,
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
