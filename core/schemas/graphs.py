"""Documents of the commands `graph ..`."""

from __future__ import annotations

from samapprox.support.documents import (
    Document,
    choice,
    constant,
    flag,
    indices,
    listed,
    nullable,
    number,
    one_of,
    record,
    text,
    whole,
)

_MASK = text("As it was given: a graph's name with parameters, or a file.")
_SIDE = choice("keys", "queries")
_LITERAL = whole(None) | {"not": {"const": 0}}
_DEGREES = record(least=whole(0), mean=number(), greatest=whole(0))
_BLOCKS = record(blocks=nullable(whole(0, "null: 2^53 or more.")), log10=number())
_BOUND = number(0, "The accuracy that the mask allows.", most=100)
_DISTANCE = {
    "lower": whole(0),
    "upper": whole(0),
    "pair": indices("A query and a key that it has not reached after lower - 1.", count=2),
}
_TREE = {
    "parents": indices("The parent of every token; the root is its own.", least=1),
    "patterns": indices(
        "The number of a pattern with the edge between a token and its parent; 0 for the root.",
        least=1,
    ),
}

GRAPH_BUILD = Document(
    "graph-build",
    "What `samapprox graph build --json` prints. Grid points and tokens are numbered from 0.",
    {
        "mask": _MASK,
        "tokens": whole(2),
        "d": whole(1),
        "steps": whole(2, "1 / delta."),
        "function": nullable(
            text("The file of its values, or an expression; null: random thousandths.")
        ),
        "seed": nullable(whole(0, "Of the random function; null for others.")),
        "construction": choice("walk", "printed", "star"),
        "walk": record(
            "The walk along which ids are shifted.",
            tokens=indices(least=2),
            patterns=indices(
                "The number of a pattern in which each token attends to the one before; "
                "0 for the first.",
                least=2,
            ),
        ),
        "layers": record(
            quantization=whole(1),
            contextual=whole(1, "Identity layers included."),
            contextual_as_printed=nullable(
                whole(
                    1,
                    "The number of Yun et al. (2020), 4.1; null: the walk is no Hamiltonian path.",
                )
            ),
            all_max=whole(1, "The all-max-shifts at the end of the contextual mapping."),
            values=whole(1),
        ),
        "parameters": whole(
            1, "Entries of E and of all weights and biases; identity layers have none."
        ),
        "id_bits": whole(1, "Bits of the greatest id, in units of delta."),
        "grid_points": whole(4),
        "verified": record(
            holds=flag(),
            same_within=nullable(
                indices("A grid point and two of its tokens with the same id: 7.1 fails.", count=3)
            ),
            same_between=nullable(
                listed(
                    indices(count=2),
                    "Two pairs (grid point, token) with the same id: 7.2 fails.",
                    count=2,
                )
            ),
            wrong=nullable(
                indices(
                    "A grid point and a token whose output is not the value of the function.",
                    count=2,
                )
            ),
        ),
        "approximation": nullable(
            record(
                "For an expression with --epsilon: what Theorem 1 needs, and the proven bounds on "
                "distances d_p; otherwise null.",
                map=text("The probability map."),
                epsilon=number(above=0),
                p=number(1),
                lemma_5=number(0, "Between the function and its steps; at most epsilon / 2."),
                scale_log2=number(-20, "Logarithm to base 2 of t."),
                id_error=number(
                    0, "Of all ids and outputs, in units of delta; at most.", most=0.25
                ),
                alpha_log2=whole(None, "Logarithm to base 2 of alpha.", most=-1),
                outputs_log2=whole(0, "All outputs are below 2 to this power."),
                softened=number(0, "Between the steps and the transformer; at most epsilon / 2."),
                bound=number(0, "Between the function and the transformer; at most epsilon."),
                sampled=record(
                    inputs=whole(1, "Random inputs at which the function was evaluated."),
                    distance=number(0, "The estimate of d_p between the function and its steps."),
                    deviation=number(0, "Its standard error."),
                    ran=whole(1, "Random inputs that ran through all layers."),
                    worst=number(0, "Their greatest error, in units of delta."),
                ),
            )
        ),
        "softening": nullable(
            record(
                "What --map measures; null without it. Errors are in units of delta.",
                map=text("As it was given."),
                least_scale_log2=number(
                    -20, "Logarithm to base 2 of the least t found; -20 if every t suffices."
                ),
                error=number(0, "At this t, below 1/4."),
                published_error=nullable(
                    number(
                        0,
                        "With eta of Yun et al. (2020), F.2, and zeta = delta^2 / 2; null: not "
                        "the printed construction.",
                    )
                ),
                misprinted_error=nullable(number(0, "With eta and zeta of F.2.")),
                sufficient_eta_log2=whole(
                    None,
                    "Logarithm to base 2 of an eta that suffices for every map of Assumption 2.",
                    most=0,
                ),
                sufficient_scale_log2=number(
                    -20,
                    "Logarithm to base 2 of the t that this map needs for this eta; -20 if "
                    "every t suffices.",
                ),
                sufficient_error=number(0, "At this t."),
            )
        ),
    },
)

GRAPH_CHECK = Document(
    "graph-check",
    "What `samapprox graph check --json` prints: conditions under which "
    "sparse attention is universal, each with its witness. Indices are "
    "0-based.",
    {
        "mask": _MASK,
        "tokens": whole(1),
        "universal": nullable(flag("null: not known.")),
        "assumption_1": nullable(flag("null: not known.")),
        "without_loop": listed(
            indices(),
            "For every pattern that a layer can follow alone, the tokens that do "
            "not attend to themselves (1.1).",
            least=1,
        ),
        "hamiltonian_path": nullable(
            indices(
                "gamma of 1.2: each token attends to the one before it; null: none is "
                "known, see no_path.",
                least=1,
            )
        ),
        "no_path": nullable(
            one_of(
                record(
                    "Neither of two tokens reaches the other.",
                    tokens=indices(count=2),
                    kind=constant("apart"),
                    text=text(),
                ),
                record(
                    "k tokens with at most k - 2 other tokens as keys (queries).",
                    tokens=indices(least=2),
                    side=_SIDE,
                    kind=constant("crowded"),
                    text=text(),
                ),
                record(
                    "k tokens without which there are more than k + 1 strongly connected "
                    "components without keys (queries) in others.",
                    tokens=indices(),
                    side=_SIDE,
                    pieces=whole(1),
                    kind=constant("pieces"),
                    text=text(),
                ),
                record(
                    "A refutation by unit propagation of one arc to and from every token "
                    "and arcs over the border of every set; the variables are those of "
                    "samapprox.attention.graphs.hamilton_refutations.arcs.",
                    sets=listed(indices(least=1)),
                    lemmas=listed(listed(_LITERAL)),
                    kind=constant("uncrossable"),
                    text=text(),
                ),
                record(
                    "Neither a path nor a proof of none was found.",
                    reason=text(),
                    kind=constant("unknown"),
                    text=text(),
                ),
                about="Why there is no path, or that none was found; null where there is one, "
                "or where it was not sought.",
            )
        ),
        "layers": nullable(
            record("s of 1.3; null: not finite, or not sought for want of self-loops.", **_DISTANCE)
        ),
        "unreachable": nullable(indices("A query and a key that it never hears of.", count=2)),
        "witness": nullable(
            one_of(
                record(
                    "A walk through all tokens: each attends to the one before it.",
                    kind=constant("walk"),
                    tokens=indices(least=1),
                    patterns=indices(
                        "The number of a pattern with the step to a token; 0 for the first.",
                        least=1,
                    ),
                ),
                record(
                    "Two spanning trees, from which a long walk follows: from the root to a "
                    "leaf of the out-tree, back along the in-tree, and so on.",
                    kind=constant("trees"),
                    root=whole(0),
                    out_tree=record("Each token attends to its parent.", **_TREE),
                    in_tree=record("Each token is attended to by its parent.", **_TREE),
                ),
                about="Shows that every token hears of every other; null where one does not.",
            )
        ),
        "star": nullable(whole(0, "The centre of a star that every pattern contains.")),
        "mixed_heads": flag("Whether heads of one layer have different patterns."),
        "assumption_2": nullable(
            record(
                "null: not asked for.",
                map=text(),
                keys=whole(1, "Most keys of a query."),
                zeta=number(above=0),
                eta=number(most=1, above=0),
                least=number(0, "The least t by its closed form; 0: every t > 0 will do."),
                published=number(0, "By appendix B of Yun et al."),
                searched=nullable(
                    number(0, "By bisection on the worst row; null: too long to run.")
                ),
                rows=whole(0, "Adversarial rows that the map was run on."),
                greatest_rest=nullable(
                    number(0, "The most that all keys but the first got, with t just above least.")
                ),
                rest_below=nullable(
                    number(0, "What they get in the worst row, with t just below.")
                ),
                confirmed=nullable(flag()),
            )
        ),
        "depth": nullable(
            record(
                "Blocks of the construction; null: not asked for, self-loops are "
                "missing, or some token never hears of another.",
                d=whole(1),
                steps=whole(2, "1 / delta."),
                quantization=_BLOCKS,
                contextual=nullable(
                    listed(
                        _BLOCKS,
                        "As printed in 4.1, for both bounds on s; null: no Hamiltonian path is "
                        "known, or heads of one layer differ.",
                        count=2,
                    )
                ),
                along_walk=listed(
                    _BLOCKS,
                    "One wide window for each step of the walk; for both bounds on s and on "
                    "the walk.",
                    count=2,
                ),
                dense_contextual=_BLOCKS,
                value=_BLOCKS,
            )
        ),
    },
    version=2,
)

GRAPH_COPY = Document(
    "graph-copy",
    "What `samapprox graph copy --json` prints. Accuracies are in percent. Indices are 0-based.",
    {
        "mask": _MASK,
        "tokens": whole(4),
        "autoregressive": flag(),
        "targets": whole(1, "Tokens n/2 + 1 to n - 1; the source of token i is i - n/2."),
        "column": nullable(
            text(
                "The column of Yun et al. (2020), Table 1 (Table 2 if autoregressive), "
                "that has these masks."
            )
        ),
        "layers": listed(
            record(
                layers=whole(1),
                heard=whole(0, "Targets that can have heard of their source."),
                share=number(most=1),
                bound=_BOUND,
                unheard=nullable(
                    whole(3, "The first target that cannot have heard of its source.")
                ),
                measured=nullable(number(0, "The accuracy in the column.", most=100)),
            ),
            least=1,
        ),
    },
)

GRAPH_COPY_TABLES = Document(
    "graph-copy-tables",
    "What `samapprox graph copy-tables --json` prints: Tables 1 and 2 of "
    "Yun et al. (2020) beside their bounds. Accuracies are in percent.",
    {
        "tables": listed(
            record(
                table=choice(1, 2),
                cells=listed(
                    record(
                        column=text(),
                        mask=text(),
                        layers=whole(1, most=4),
                        share=number(
                            0,
                            "Of the targets that can have heard of their source; of RANDOM, the "
                            "mean over draws.",
                            most=1,
                        ),
                        deviation=number(0, "Standard deviation of the share over the draws."),
                        bound=_BOUND,
                        measured=number(most=100),
                        log10_tail=number(
                            None,
                            "Decimal logarithm of a bound on the probability of the measured "
                            "accuracy.",
                            most=0,
                        ),
                        exceeds=flag(
                            "Whether the measured accuracy exceeds the bound by more than chance "
                            "explains."
                        ),
                    ),
                    least=1,
                ),
            ),
            count=2,
        )
    },
)

GRAPH_INFO = Document(
    "graph-info",
    "What `samapprox graph info --json` prints. Degrees, components and the "
    "diameter are of the union of the patterns. Indices are 0-based.",
    {
        "mask": _MASK,
        "tokens": whole(1),
        "edges": listed(whole(0), "Of every pattern.", least=1),
        "union_edges": whole(0),
        "sparsity": number(most=1),
        "keys_a_query": _DEGREES,
        "queries_a_key": _DEGREES,
        "without_loop": listed(
            whole(0), "For every pattern, how many tokens do not attend to themselves.", least=1
        ),
        "components": whole(1),
        "largest_component": whole(1),
        "diameter": nullable(record("null: some token never reaches another.", **_DISTANCE)),
        "unreachable": nullable(indices("A token and another that it never reaches.", count=2)),
    },
)
