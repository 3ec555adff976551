"""`samapprox cot generate`: instances with their chains of thought."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from samapprox.attention.reasoning.documents import Written, write_chain
from samapprox.attention.reasoning.known_tasks import parse_task, task_class
from samapprox.cli.bars import tqdm
from samapprox.cli.options import json_option
from samapprox.cli.options.tasks import choose_chain, task_argument
from samapprox.cli.terminal import echo
from samapprox.cli.written import FILE
from samapprox.errors import InputError
from samapprox.support.atomic import replacing
from samapprox.support.json_text import dump_json
from samapprox.support.plural import plural

__all__ = ["generate"]


@click.command()
@task_argument
@click.option(
    "--count",
    type=click.IntRange(1, 10**9),
    default=1,
    show_default=True,
    help="Number of random instances, with successive seeds.",
)
@click.option(
    "-o", "--output", type=FILE, help="JSON file to write, with one document on each line."
)
@json_option
def generate(
    task: str,
    size: int | None,
    seed: int,
    text: str | None,
    count: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Generate instances with their chains of thought.

    TASK is lis, edit-distance, banded-edit-distance, arithmetic or turing-machine, with parameters
    if wanted, such as edit-distance:insert=1,delete=1. The size is the number of numbers, of
    letters of the first string, of operators, or of tape cells. Random instances are the same on
    every machine.

    --input gives an instance instead: numbers as in '3 1 4 1 5', two strings as in
    'kitten sitting', an expression as in '2*(1+5)/4', or the symbols on the tape as in '0110'.
    """
    task_class(task.partition(":")[0])  # a task, whatever files there are
    if text is not None and count > 1:
        raise InputError("--count is for random instances; --input gives one")
    chains = _chains(task, size, seed, text, count)
    if output is None:
        for number, one in enumerate(chains):
            if as_json:
                echo(_line(one, size, seed + number))
            else:
                echo(f"{plural(len(one.chain), 'token')}, answer {one.chain.answer}:")
                echo(" ".join(one.task.words(one.chain.tokens)))
        return
    with replacing(Path(output)) as stream:
        for number, one in enumerate(chains):
            stream.write(f"{_line(one, size, seed + number)}\n".encode())
    echo(f"{output}: {plural(count, 'chain')}")


def _chains(
    task: str, size: int | None, seed: int, text: str | None, count: int
) -> Iterator[Written]:
    """Yield the chains that the options ask for."""
    if size is None or text is not None or count == 1:
        yield choose_chain(task, size, seed, text)
        return
    known = parse_task(task)
    with tqdm(total=count, delay=2, disable=None, leave=False, unit="chain") as bar:
        for chain in known.generate(size, seed, count):
            yield Written(known, chain)
            bar.update()


def _line(one: Written, size: int | None, seed: int) -> str:
    """Write a chain as a document on one line."""
    origin = {} if size is None else {"size": size, "seed": seed}
    return dump_json(write_chain(one.task, one.chain, **origin))
