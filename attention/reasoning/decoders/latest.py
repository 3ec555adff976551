"""Reading the latest token of a class with linear attention: first its block, then its place."""

from __future__ import annotations

from samapprox.attention.reasoning.decoders.assembly import Assembly, aggregate
from samapprox.attention.reasoning.decoders.classes import find_marks, last_of
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    gate,
    is_zero,
    one_hot,
    pick,
    product,
    selection,
    spread,
)
from samapprox.attention.reasoning.decoders.recall import LinearRecall, Place


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
