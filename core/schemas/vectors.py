"""Documents of the commands `furthest` and `orthogonal`."""

from __future__ import annotations

from samapprox.support.documents import (
    Document,
    choice,
    flag,
    indices,
    listed,
    nullable,
    number,
    record,
    text,
    whole,
)

FURTHEST = Document(
    "furthest",
    "What `samapprox furthest --json` prints. Indices are 0-based, times in seconds.",
    {
        "source": text(),
        "queries": whole(1),
        "keys": whole(1),
        "d": whole(1),
        "sets": choice(1, 2, about="1: the queries are the keys, and none is an answer to itself."),
        "furthest": indices(
            "The key at the greatest distance from each query; the first of several.", least=1
        ),
        "near_ties": whole(
            0, "Queries for which rounding could not tell, so that a second look was taken."
        ),
        "agrees": nullable(flag("Whether the file says the same; null: it says nothing.")),
        "kernel": choice("tiles", "plain", "numpy"),
        "threads": whole(1),
        "seconds": number(),
        "pairs_per_second": number(),
    },
)

FURTHEST_LAYERS = Document(
    "furthest-layers",
    "What `samapprox furthest --graph --json` prints. Indices are 0-based, "
    "layers count from 1, times in seconds.",
    {
        "source": text(),
        "n": whole(2),
        "d": whole(1),
        "orthogonal": flag(
            "The vectors are Boolean ones, normalised, among which an orthogonal pair is sought."
        ),
        "relabel": nullable(
            whole(None, "Seed of the places that tokens take anew in every layer; null: they stay.")
        ),
        "threads": whole(1),
        "graphs": listed(
            record(
                graph=text(),
                edges=listed(whole(1), "Of the graphs that layers take in turn.", least=1),
                bound=number(0, "n (n - 1) / (2 |E|), |E| the mean number of edges."),
                possible_pairs=whole(1),
                pairs_exact=flag("false: pairs are estimates."),
                settled=flag("No further layer changes anything."),
                pair=nullable(
                    indices(
                        "Orthogonal vectors that candidates show at the end (of two sets, one "
                        "of each).",
                        count=2,
                    )
                ),
                needed=listed(
                    record(
                        recall=number(most=1),
                        layers=nullable(whole(1, "null: not within these layers.")),
                    )
                ),
                layers=listed(
                    record(
                        layer=whole(1),
                        recall=nullable(
                            number(
                                0,
                                "Share of tokens whose candidate is as far as the furthest; null: "
                                "the answers are not known, as for the next two.",
                                most=1,
                            )
                        ),
                        mean_regret=nullable(number()),
                        worst_regret=nullable(number(0, "In distance.")),
                        pairs=whole(0, "Distinct unordered pairs compared so far."),
                        inner_products=whole(
                            0,
                            "Computed so far: for every edge one with the neighbour's vector, and "
                            "from the second layer on one with its candidate.",
                        ),
                        replaced=whole(0, "Tokens that took another candidate."),
                        near_ties=whole(
                            0,
                            "Tokens for which rounding could not tell, so that a second look was "
                            "taken.",
                        ),
                        reached=nullable(
                            flag("Whether an orthogonal pair has been found; null: none is sought.")
                        ),
                    ),
                    least=1,
                ),
            ),
            least=1,
        ),
        "seconds": number(),
    },
)

ORTHOGONAL = Document(
    "orthogonal",
    "What `samapprox orthogonal --json` prints. Indices are 0-based, times in seconds.",
    {
        "source": text(),
        "shape": listed(whole(1), "(n, d), or (m, n, d) for two sets.", least=2, most=3),
        "sets": choice(1, 2),
        "answer": choice("YES", "NO", about="Whether a pair is orthogonal."),
        "pair": nullable(indices("The first orthogonal pair; null: there is none.", count=2)),
        "pairs": nullable(whole(0, "How many; null: not asked for.")),
        "least": nullable(
            record(
                "The least inner product and the first pair that has it; null: not asked for.",
                value=whole(0),
                pair=indices(count=2),
            )
        ),
        "seconds": number(),
    },
)
