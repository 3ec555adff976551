"""Reading earlier tokens by the classes that they belong to, with sparse or linear attention.

Softmax over all tokens finds a token by its content. These heads need a coordinate for each class
instead: widths grow with the number of classes, but not with the length of the chain.
"""

from __future__ import annotations

from math import log

import numpy as np

from samapprox.attention.reasoning.decoders.assembly import (
    Assembly,
    Functions,
    aggregate,
    copy_best,
)
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    Mlp,
    at_least,
    gate,
    is_zero,
    one_hot,
    pick,
    product,
    selection,
    spread,
)
from samapprox.attention.reasoning.decoders.recall import LinearRecall, Place
from samapprox.support.parameters import require

MOST_CLASSES = 512
"""Most classes: the weights take some megabytes for each."""


def require_classes(count: int, what: str) -> None:
    """Refuse more classes than decoders are built for."""
    require(
        count <= MOST_CLASSES,
        f"sparse and linear decoders have a coordinate for each of {count} {what}; at most "
        f"{MOST_CLASSES} are built: choose the model standard or local",
    )


def find_greatest(
    assembly: Assembly,
    scores: Functions,
    contents: Functions,
    wanted: Functions,
    *,
    keys: int,
    bound: float,
    error: float,
) -> Affine:
    """Add blocks of sparse attention that read the token with the greatest score of a class.

    `scores` are the whole numbers of a token in each class, 0 if it does not belong to it, and
    `contents` are what is read of the token with the greatest one, 0 as well. `wanted` is the unit
    vector of a class. Without a token of this class, the result is 0. `keys` bounds the number of
    tokens, `bound` the absolute values of scores and contents, and `error` that of the result.

    In the first layer, a head for each class copies the best token that a token attends to; its own
    block so far is among these tokens. In the second layer, one head copies what the token found
    whose copy is best in the wanted class. A token attends to itself and to the ends of all
    earlier blocks, which found the best ones of all blocks.
    """
    one = [Affine(constant=1)]
    copies = [
        copy_best(assembly, one, [score], [score, content], keys=keys, bound=bound, error=error / 2)
        for score, content in zip(scores, contents, strict=True)
    ]
    assembly.end_block()
    query = [2 * entry for entry in wanted]  # Copied scores differ by at least 1 - error
    best = [score for score, _ in copies]
    values = [content for _, content in copies]
    found = copy_best(
        assembly, query, best, values, keys=keys, bound=bound + error, error=error / 2
    )
    [content] = assembly.feed(pick(len(scores), bound + error), [*found, *wanted])
    assembly.end_block()
    return content


def find_marks(
    assembly: Assembly,
    member: Functions,
    wanted: Functions,
    marks: Functions,
    *,
    keys: int,
) -> list[Affine]:
    """Add a head of linear attention and networks: which marks do tokens of some classes have?

    `member` is the unit vector of a token's class, or 0; `wanted` has a 1 for each class that is
    asked about; `marks` are indicators. Some token without marks must be of a class that is always
    asked about. `keys` bounds the number of tokens. The results are indicators for the next block.

    Queries are mu w - mu and keys mu m - mu, as in `assembly.aggregate`. With phi = elu + 1, a
    token of a wanted class weighs at least 1 and any other one at most (c + 2) exp(-mu), for c
    classes. So the mean of a mark is at least nearly 1/keys if a token of a wanted class has it,
    and otherwise at most keys (c + 2) exp(-mu) = 1/(6 keys).
    """
    mu = log(6 * keys**2 * (len(wanted) + 2))
    query, key = ([mu * entry - mu for entry in vector] for vector in (wanted, member))
    means = assembly.attend(query, key, marks)
    return [assembly.feed(at_least(1), [float(keys) * mean])[0] for mean in means]


def last_of(n: int) -> Mlp:
    """Make the map of n indicators to the unit vector of the last one that is 1, or to 0.

    >>> last_of(3)([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]).T.tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    later = np.triu(np.ones((n, n)), 1)
    return Mlp.from_lists(np.eye(n) - later, np.zeros(n), np.eye(n))


def read_latest(
    assembly: Assembly,
    recall: LinearRecall,
    own: Affine,
    wanted: Affine,
    content: Affine,
    default: Affine,
    *,
    classes: int,
    keys: int,
    bound: float,
) -> Affine:
    """Add blocks that read the content of the latest token of a class, or 0 without one.

    One head tells which blocks of `recall.side` tokens have tokens of the class; the last of them
    is read as a whole, as `LinearRecall` does it, and a network compares the classes of its tokens.

    Parameters
    ----------
    assembly : Assembly
        The transformer that is built.
    recall : LinearRecall
        Its blocks, and its precision.
    own, wanted : Affine
        The class of a token and that which it asks for, 1 to `classes`.
    content : Affine
        What is read.
    default : Affine
        An indicator of one token that is of no class, before all tokens that read.
    classes : int
        The number of classes.
    keys : int
        A bound on the number of tokens.
    bound : float
        A bound on the absolute value of contents.
    """
    side = recall.side
    place = Place.locate(assembly, side, assembly.positions[0])
    classed, asked = (assembly.feed(one_hot(classes), [one]) for one in (own, wanted))
    assembly.end_block()
    place = place.mark(assembly, side)
    assembly.end_block()
    marks = assembly.feed(
        gate(classes + side, 1, 0.5),
        [*classed, *place.block_vector, Affine(constant=0.5) - default],
    )
    assembly.end_block()
    spread_classes = assembly.feed(spread(side, classes), [own, *place.offset_vector])
    spread_contents = assembly.feed(spread(side, bound), [content, *place.offset_vector])
    blocks = find_marks(
        assembly,
        [default, *marks[:classes]],
        [Affine(constant=1), *asked],
        marks[classes:],
        keys=keys,
    )
    assembly.end_block()
    block = assembly.feed(last_of(side), blocks)
    assembly.end_block()
    precision = {"bound": float(max(classes, bound)), "error": 1 / (64 * side)}
    means = aggregate(
        assembly, block, place.block_vector, [*spread_classes, *spread_contents], **precision
    )
    number = sum((float(k) * one for k, one in enumerate(block, 1)), Affine())
    [count] = assembly.feed(
        selection(1, side, 0.5), [place.offset, Affine(constant=side), number - place.block + 0.5]
    )
    assembly.end_block()
    multiply = product(classes + side + 1, 1 / 16)
    found = [assembly.feed(multiply, [mean, count])[0] for mean in means[:side]]
    assembly.end_block()
    equal = [assembly.feed(is_zero(), [one - wanted])[0] for one in found]
    assembly.end_block()
    latest = assembly.feed(last_of(side), equal)
    assembly.end_block()
    [share] = assembly.feed(pick(side, bound), [*means[side:], *latest])
    assembly.end_block()
    [read] = assembly.feed(product(bound + side + 1, 1 / 16), [share, count])
    known = sum(block, Affine(constant=-0.5))
    assembly.end_block()
    [read] = assembly.feed(gate(1, bound, 0.5), [read, known])
    assembly.end_block()
    return read
