"""Documents of the commands `cot ..`."""

from __future__ import annotations

from samapprox.support.documents import (
    Document,
    choice,
    flag,
    indices,
    listed,
    mapping,
    nullable,
    number,
    one_of,
    record,
    text,
    whole,
)

_PARAMETERS = mapping(whole(None), "The parameters of the task.") | {
    "properties": {"machine": text()}
}
_OPERATIONS = record(
    multiplications=whole(0), additions=whole(0), divisions=whole(0), functions=whole(0)
)
_ARCHITECTURE = choice("standard", "sparse", "linear")
_NEED = nullable(indices("The first such need; null if there is none.", count=2))

COT = Document(
    "cot",
    "What `samapprox cot generate --json` prints, one document on each "
    "line: an instance of a reasoning task with its chain of thought. "
    "Indices are 0-based.",
    {
        "task": text("The name of the task."),
        "parameters": _PARAMETERS,
        "size": nullable(whole(1, "The size of a random instance; null: the input was given.")),
        "seed": nullable(whole(0, "The seed of a random instance; null: the input was given.")),
        "parts": listed(
            text(),
            "Names of the parts of a token: input, state (one or more), value, answer.",
            least=4,
        ),
        "given": whole(1, "The number of tokens that are the input."),
        "answer": whole(None),
        "tokens": listed(
            listed(whole(None), least=4),
            "The parts of each token; 0 where a part is not defined. The input part "
            "of a separator is -1, that of the separator that ends a row of a table "
            "is -2.",
            least=1,
        ),
        "words": listed(text(), "Each token as people read it.", least=1),
        "needs": listed(
            indices(),
            "The earlier tokens that each token is computed from, ascending.",
            least=1,
        ),
    },
)

COT_BOUND = Document(
    "cot-bound",
    "What `samapprox cot bound --json` prints: how many different chains a "
    "task has, and the least dimension D of a model that generates all of "
    "them.",
    {
        "task": text("The name of the task."),
        "parameters": _PARAMETERS,
        "size": whole(1, "The size of the inputs."),
        "chains": record(
            log2=number(0, "The binary logarithm of the number of different chains."),
            exact=flag("Whether this is their number; else it is a lower bound."),
            reason=text("The chains that are counted, in words."),
        ),
        "model": record(
            "",
            ["block", "given", "summaries"],
            kind=choice("linear", "sparse"),
            layers=whole(1, "The number of layers M."),
            heads=whole(1, "The number of heads H."),
            bits=whole(1, "The bits of each stored number."),
            block=whole(1, "Sparse model: the tokens of a block B."),
            given=whole(1, "Sparse model: the tokens of the input."),
            summaries=whole(
                0, "Sparse model: the tokens of each block that all later tokens attend to."
            ),
        ),
        "least_dimension": whole(
            1, "The least multiple of the number of heads that the bound does not exclude."
        ),
        "tried": listed(
            record(
                dimension=whole(1, "The dimension D."),
                numbers=whole(0, "The stored numbers that determine the generated tokens."),
                bits=whole(0, "The bits of these numbers."),
                excluded=flag("Whether the bound excludes this dimension."),
            ),
            "Dimensions to compare with the bound.",
        ),
    },
)

COT_COST = Document(
    "cot-cost",
    "What `samapprox cot cost --json` prints: counts, or a table of Yang et "
    "al. (2024) beside counts.",
    {
        "table": choice(None, 1, 2),
        "rows": listed(
            one_of(
                record(
                    "A count.",
                    architecture=_ARCHITECTURE,
                    tokens=whole(1),
                    width=whole(1),
                    layers=whole(1),
                    heads=whole(1),
                    hidden=whole(1),
                    block=whole(1, "Of the sparse transformer."),
                    linear_maps=_OPERATIONS,
                    attention=_OPERATIONS,
                ),
                record(
                    "A row of Table 1.",
                    architecture=_ARCHITECTURE,
                    tasks=choice("general", "arithmetic", "locality"),
                    exponent=number(),
                    width=text(),
                    block=nullable(text()),
                    fitted=number(),
                    least=nullable(text()),
                    fitted_least=nullable(
                        number(0, "For the least width, of the cost times log L.")
                    ),
                    source=text(),
                ),
                record(
                    "A cell of Table 2; counts are in GFLOPs.",
                    architecture=_ARCHITECTURE,
                    tokens=whole(1),
                    gflops=number(),
                    width=whole(1),
                    linear_maps=number(),
                    with_attention=number(),
                ),
            ),
            least=1,
        ),
    },
)

COT_LOCALITY = Document(
    "cot-locality",
    "What `samapprox cot locality --json` prints: how far back the tokens "
    "of a chain of thought depend on others, how many values it must hold "
    "at once, and what a mask lets through. Indices are 0-based.",
    {
        "source": text("As it was given: a task with parameters, or a file."),
        "size": nullable(whole(1, "Size of a task's random instance; null for a file.")),
        "seed": nullable(whole(0, "Seed of a task's random instance; null for a file.")),
        "tokens": whole(1, "Number of tokens."),
        "given": whole(0, "The first tokens, which are the input."),
        "needs": whole(0, "Number of pairs (i, j): token i is computed from token j."),
        "locality": record(
            "The least m of m-locality: Yang et al. (2024), Definition 5.3, without "
            "its demand m >= n.",
            generated=whole(0, "The greatest i - j over the needs (i, j) among generated tokens."),
            generated_edge=_NEED,
            everything=whole(0, "The same over all needs, given tokens included."),
            everything_edge=_NEED,
        ),
        "live_width": record(
            greatest=whole(0, "The maximum of the widths."),
            place=whole(0, "The first place where the width is greatest."),
            widths=listed(
                whole(0),
                "For each place t, the number of tokens before t that token t or a "
                "later one needs.",
                least=1,
            ),
        ),
        "best_order": nullable(
            record(
                "null: not requested.",
                width=whole(0, "The live width of the order."),
                lower=whole(
                    0, "No order has a smaller live width: an exhaustive search proves it."
                ),
                claimed=whole(
                    0, "The lower bound that CP-SAT claims without a proof, at least lower."
                ),
                optimal=flag("Whether width = claimed."),
                down_sets=whole(0, "Number of down-sets searched."),
                order=indices("All tokens; the given ones come first.", least=1),
            )
        ),
        "mask": nullable(text("The mask as it was given; null: none.")),
        "hearing": nullable(
            record(
                "null: no mask was given.",
                layers=whole(1, "Number of layers."),
                complete=flag(
                    "Whether each token i > 0 can have heard, at position i - 1, of all "
                    "that it needs."
                ),
                depth=whole(
                    0,
                    "The least number of layers after which all needs are met that are met at all.",
                ),
                missing=listed(indices(count=2), "The needs (i, j) that are not met, ascending."),
                paths=listed(
                    indices(least=2),
                    "For each other need (i, j), ascending: the position that holds token j "
                    "before each layer and after the last, from j to i - 1. Each position "
                    "attends to the one before it, or equals it.",
                ),
            )
        ),
        "summaries": nullable(
            record(
                "The values that must pass the summary tokens of a block-sparse mask; "
                "null for other masks.",
                reach=whole(0, "Windows alone carry a value this far through all layers."),
                far=whole(0, "Number of values that some step further away needs."),
                lost=indices("Those that reach no summary token in time."),
                blocks=listed(whole(0), "Number of far values in each block.", least=1),
                load=whole(
                    0,
                    "Some summary token carries at least so many of the values that are not "
                    "lost; in some way, none carries more.",
                ),
                crowd=nullable(
                    record(
                        "The proof that load cannot be less: values / carriers, rounded up; "
                        "null if no value is passed on.",
                        first=whole(0, "The first of the values."),
                        last=whole(0, "The last of the values."),
                        values=whole(1, "Number of far values from first to last."),
                        carriers=whole(
                            1, "Number of summary tokens that any of them can reach in time."
                        ),
                    )
                ),
            )
        ),
    },
)

COT_REPLAY = Document(
    "cot-replay",
    "What `samapprox cot replay --json` prints. Indices are 0-based.",
    {
        "source": text(),
        "valid": flag(),
        "chains": whole(
            1, "The number of chains that were replayed; the last one is not valid, or all are."
        ),
        "tokens": whole(1, "The number of tokens of these chains."),
        "mistake": nullable(
            record(
                "The first mistake; null: all chains are valid.",
                chain=whole(0, "The chain with the mistake."),
                token=whole(0, "The first token that differs from the replay."),
                found=nullable(listed(whole(None), "Its parts; null: the chain ends too early.")),
                expected=nullable(
                    listed(
                        whole(None),
                        "The parts that the step computes; null: the chain should have ended.",
                    )
                ),
                needs=indices("The tokens that the step needs."),
                text=text(),
            )
        ),
    },
)

COT_RUN = Document(
    "cot-run",
    "What `samapprox cot run --json` prints. Indices are 0-based.",
    {
        "task": text("The task with its parameters, or the file, as given."),
        "size": nullable(whole(1, "Of a random instance.")),
        "seed": nullable(whole(0, "Of a random instance.")),
        "input": nullable(text("The instance, if it is not random.")),
        "model": choice("standard", "sparse", "local", "linear"),
        "tokens": whole(1, "L, the length of the chain."),
        "given": whole(1, "The tokens of the input."),
        "right": whole(0, "Generated tokens that equal those of the chain."),
        "mistake": nullable(
            record(
                "The first generated token that differs from its replay; null: all are right.",
                token=whole(0),
                text=text(),
            )
        ),
        "margin": number(None, "The least distance of an output from a half-integer.", most=0.5),
        "width": whole(1, "D, the dimension of tokens."),
        "depth": whole(1, "M, the number of blocks."),
        "heads": whole(1, "H, the most heads of a block."),
        "hidden": whole(1, "The most hidden units of a feed-forward layer."),
        "bits": choice(32, 64, about="Of weights and states."),
        "largest_weight": number(
            about="The largest absolute value of all weights and positions.", above=0
        ),
    },
)
