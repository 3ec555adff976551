"""`samapprox cot run`: a decoder with weights given by formulas writes a chain of thought."""

from __future__ import annotations

import sys

import click

from samapprox.attention.reasoning.decoders.program import BITS, MODELS, Run, run_decoder
from samapprox.cli import options
from samapprox.cli.options.tasks import choose_chain, task_argument
from samapprox.cli.terminal import echo, echo_answer, print_json, show_progress
from samapprox.schemas.chains import COT_RUN


@click.command()
@task_argument
@click.option(
    "--model",
    type=click.Choice(list(MODELS)),
    default="sparse",
    show_default=True,
    help="Attention of the decoder: to all tokens before (standard), block-sparse, block-sparse "
    "with blocks as long as the needs reach (local), or linear.",
)
@click.option(
    "--side",
    type=int,
    help="Tokens of a block; by default the square root of the length, rounded up, or (local) the "
    "distance to the furthest token that is needed.",
)
@click.option(
    "--bits",
    type=click.Choice([str(bits) for bits in BITS]),
    default="64",
    show_default=True,
    help="Bits of weights and states.",
)
@options.as_json
def run(
    task: str,
    size: int | None,
    seed: int,
    text: str | None,
    model: str,
    side: int | None,
    bits: str,
    as_json: bool,
) -> None:
    """Generate the chain of an instance by a decoder.

    TASK is a task, with parameters if wanted, or a file with a chain, of which only the input is
    used. Edit distance and arithmetic have decoders of all four models, lis and turing-machine
    standard and local ones. The weights follow from the task and the length of the chain by
    formulas; nothing is trained. The decoder receives the input alone, and writes one token after
    the other: its outputs are rounded to whole numbers, which are the next token. Every token is
    then computed again from those that it needs. Exit status: 0 all tokens are right, 1 one is
    wrong.
    """
    written = choose_chain(task, size, seed, text)
    with show_progress() as progress:
        found = run_decoder(
            written.task, written.chain, model, side=side, bits=int(bits), progress=progress
        )
    if as_json:
        origin = {"task": task, "size": size, "seed": None if size is None else seed, "input": text}
        print_json(COT_RUN.write(**origin, model=model, **found.to_json()))
    else:
        _print(found, model)
    sys.exit(0 if found.mistake is None else 1)


def _print(found: Run, model: str) -> None:
    decoder = found.decoder
    if found.mistake is None:
        echo_answer(f"VALID: all {found.generated} generated tokens are right")
    else:
        echo_answer(
            f"NOT VALID: {found.right} of {found.generated} generated tokens are right; "
            f"{found.mistake}"
        )
    echo(
        f"{model} decoder for {decoder.length} tokens: width {decoder.width}, depth "
        f"{decoder.depth}, {decoder.heads} heads, at most {decoder.hidden} hidden units"
    )
    bits = decoder.positions.dtype.itemsize * 8
    echo(f"{bits}-bit numbers, largest weight {decoder.largest_weight:.3g}")
    echo(f"least distance of an output from a half-integer: {found.generation.margin:.6f}")
