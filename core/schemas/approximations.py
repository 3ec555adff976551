"""Documents of the command `approximate`."""

from __future__ import annotations

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
    text,
    whole,
)

_FORMAT = choice("float64", "float32", "bfloat16", "float16")
_EPS1 = number(above=0, below=1)


def _describe_worst(about: str) -> Schema:
    return nullable(
        record(
            f"{about}: the row and two columns nearest to breaking it; null: nothing to compare.",
            row=whole(0),
            columns=indices(count=2),
            log_ratio=nullable(number(None, "null is infinite.")),
        )
    )


APPROXIMATION = Document(
    "approximation",
    "What `samapprox approximate --json` prints. Indices are 0-based.",
    {
        "method": text(),
        "n": whole(1),
        "k": whole(1, "The most nonzeros in a row or column of A."),
        "gamma": number(1, "The greatest ratio of two nonzeros of a row of A."),
        "causal": flag(),
        "eps1": _EPS1,
        "eps2": number(above=0),
        "rank": whole(0, "Of W_Q W_K^T."),
        "d": whole(1),
        "d_hid": whole(1),
        "arithmetic": text("In which the conditions were verified: float64, .., or exact."),
        "verified": flag("Conditions (7) and (8) hold in this arithmetic."),
        "proven": flag("They hold in real numbers, by more than rounding can be wrong."),
        "zeros": _describe_worst("Of condition (7), log(M_ij1 / M_ij2)"),
        "ratios": _describe_worst("Of condition (8), the same minus log(A_ij1 / A_ij2)"),
        "spread": nullable(
            number(None, "The greatest difference of two logits of a row; null is infinite.")
        ),
        "rounding": nullable(
            number(None, "A bound on the error of a computed logit; null: none is known.")
        ),
        "facts": mapping({}, "What the method has to say: seeds, the number of draws for each d."),
    },
)

FRONTIER = Document(
    "frontier",
    "What `samapprox approximate --frontier --json` prints.",
    {
        "n": whole(1),
        "k": whole(1),
        "gamma": number(1),
        "causal": flag(),
        "eps1": _EPS1,
        "eps2": number(above=0),
        "points": listed(
            record(
                method=text(),
                rank=whole(0),
                d=whole(1),
                d_hid=whole(1),
                spread=number(0, "Greatest minus least logit of a row, at most."),
                bits=nullable(
                    whole(None, "Fewest bits of whole numbers in which it holds; null above 26.")
                ),
                arithmetics=listed(_FORMAT, "Types in which it holds, stored and computed."),
                checked_in=choice("exact", "float64"),
                proven=flag("Both conditions hold in real numbers for the numbers as stored."),
                seconds=number(),
            ),
            "Layers for which the checker found conditions (7) and (8) to hold.",
        ),
        "left_out": mapping(text(), "Methods without a layer, and why."),
        "bounds": record(
            pattern_rank=whole(0, "Least rank of every layer for this A, by its pattern."),
            matrices_rank=whole(0, "Least rank for some A with as many nonzeros (Warren)."),
            fixed_keys_rank=whole(0, "Least rank of keys that serve every A (Radon)."),
            rank_times_bits=number(0, "Least rank times bits an entry, for some A."),
        ),
        "theorem_d": whole(0, "d of Equation (6); the rank is half of it."),
    },
)

PATTERN_LAYER = Document(
    "pattern-layer",
    "What `samapprox approximate --weak --json` prints.",
    {
        "pattern": text("The file."),
        "n": whole(1),
        "d": whole(1),
        "lower": whole(1, "No smaller d shows the pattern."),
        "d_hid": whole(1),
        "causal": flag(),
        "arithmetic": _FORMAT,
        "verified": flag("Running the layer shows the pattern."),
        "rows_lost": indices(),
        "sharpness": nullable(
            number(
                None,
                "Least ratio of what a one and a zero of its row get; null where zeros "
                "get nothing.",
            )
        ),
    },
)
