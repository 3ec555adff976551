"""Documents of other commands."""

from __future__ import annotations

from samapprox.similarities import SIMILARITIES, VALUE_SETS
from samapprox.support.documents import (
    Document,
    choice,
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

_SIZE = "^[0-9]+ x [0-9]+$"

BATCH = Document(
    "batch",
    "What `samapprox batch --json` prints. Times in seconds, memory in bytes.",
    {
        "results": text("The result file."),
        "question": record(
            "",
            [
                "similarity",
                "arithmetic",
                "unit",
                "at",
                "kind",
                "graph",
                "layers",
                "relabel",
                "relevant",
                "unjudged",
                "embeddings",
                "runs",
            ],
            task=choice(
                *("decide", "dim", "evaluate", "fit", "margin", "rank", "verify"),
                *("orthogonal", "furthest"),
            ),
            d=nullable(whole(1)),
            d_hid=nullable(whole(1)),
            similarity=choice(*SIMILARITIES, *VALUE_SETS),
            arithmetic=nullable(text("For dim: the number format of embeddings; otherwise null.")),
            unit=choice("rows", "entries", None, about="For fit: what is counted; otherwise null."),
            at=nullable(whole(1, "K, if rows are to be right at K; otherwise null.")),
            embeddings=nullable(text("For evaluate: the folder of vectors; otherwise null.")),
            runs=nullable(text("For evaluate: the folder of runs; otherwise null.")),
            kind=choice("sign", "global", "row", None, about="For rank: its kind; otherwise null."),
            graph=nullable(text("For furthest: the mask, or null for full attention.")),
            layers=nullable(whole(1, "On a mask: the most layers; otherwise null.")),
            relabel=nullable(
                whole(None, "Seed of new places for the tokens in every layer; null: they stay.")
            ),
            causal=flag(),
            relevant=whole(1, "Of retrieval judgements: the least grade that makes a 1."),
            unjudged=choice(
                "zero",
                "unspecified",
                about="Of retrieval judgements: what nobody judged is 0 or *.",
            ),
            time_limit=number(above=0),
            memory_limit=nullable(whole(1)),
            seed=whole(None),
        ),
        "instances": whole(0),
        "skipped": whole(0, "Instances that the result file held already."),
        "verdicts": mapping(
            whole(0),
            "Instances by verdict.",
            names=[
                "YES",
                "NO",
                "UNKNOWN",
                "EXACT",
                "UNBOUNDED",
                "INTERVAL",
                "VALID",
                "INVALID",
                "NONE",
                "ERROR",
            ],
        ),
        "values": listed(
            record(lower=whole(0), upper=whole(0), instances=whole(1)),
            about="Instances by proven bounds, for tasks that ask for a whole number.",
        ),
        "recall": nullable(
            record(
                "On a mask: the shares of the furthest vectors that its layers find.",
                mean=number(0, "Over all instances.", most=1),
                least=number(0, "Of one instance.", most=1),
            )
        ),
        "seconds": number(0, "Of all instances together."),
        "failures": listed(
            record(
                name=text(),
                kind=choice("contradiction", "invalid", "lost", "slow", "recall", "error"),
                reason=text(),
            )
        ),
    },
)

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

HEADS = Document(
    "heads",
    "What `samapprox heads --json` prints. Layers and heads are 0-based.",
    {
        "source": text("The file or folder of attention weights, or the folder of the model."),
        "rules": listed(
            text(), "How weights became patterns: top5, min0.1, unif or mass90.", least=1
        ),
        "time_limit": number(about="Seconds for each pattern.", above=0),
        "head_dimension": nullable(
            whole(1, "The dimension that the model gives to its heads; null where it is not known.")
        ),
        "results": nullable(text("The result file, if it was kept.")),
        "patterns": whole(1),
        "skipped": whole(0, "Patterns that the result file held already."),
        "rows": record(
            "Rows of all patterns.",
            all=whole(1),
            masked=whole(
                0, "Rows that are * because their weights cannot be used, such as padding."
            ),
            tied=whole(0, "Rows with several keys of equal weight for the last places."),
        ),
        "skipped_matrices": whole(0, "Matrices without any usable row."),
        "families": listed(
            record(
                family=text(),
                lower=whole(1, "Some head needs at least this dimension."),
                upper=whole(
                    1, "For these texts and this rule, every head fits into it, by some embedding."
                ),
                without_zeros=whole(0, "Patterns without any 0, which ask nothing of their heads."),
                heads=listed(
                    record(
                        layer=whole(0),
                        head=whole(0),
                        lower=whole(1, "The greatest lower bound among the head's patterns."),
                        upper=whole(1, "The greatest upper bound among the head's patterns."),
                        patterns=whole(1),
                    ),
                    least=1,
                ),
            ),
            "One for each rule, and for each part of an encoder-decoder model.",
        ),
        "failures": listed(
            record(name=text(), kind=choice("contradiction", "error"), reason=text())
        ),
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
