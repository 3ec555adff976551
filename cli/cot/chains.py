"""`samapprox cot generate`, `show` and `replay`: chains of thought themselves."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from samapprox.attention.reasoning.documents import Written, mistake_of, parse_chains, write_chain
from samapprox.attention.reasoning.known_tasks import parse_task, task_class
from samapprox.attention.reasoning.replay import Mistake
from samapprox.cli import options
from samapprox.cli.files import FILE, read_text
from samapprox.cli.options.tasks import choose_chain, task_argument, task_or_file
from samapprox.cli.terminal import (
    count_items,
    echo,
    echo_answer,
    print_json,
    print_table,
    show_progress,
)
from samapprox.cli.values import complete_files
from samapprox.errors import InputError, errors_within
from samapprox.schemas.chains import COT_REPLAY
from samapprox.support.atomic import replacing
from samapprox.support.documents import dump_json
from samapprox.support.text import plural


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
@options.as_json
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
    with count_items(known.generate(size, seed, count), "chain", count) as chains:
        for chain in chains:
            yield Written(known, chain)


def _line(one: Written, size: int | None, seed: int) -> str:
    """Write a chain as a document on one line."""
    origin = {} if size is None else {"size": size, "seed": seed}
    return dump_json(write_chain(one.task, one.chain, **origin))


_MOST_NEEDS = 8  # that a line shows


@click.command()
@task_or_file
def show(source: str, size: int | None, seed: int, text: str | None) -> None:
    """Print a chain, one token on each line.

    A line shows the parts of the token and the tokens that it needs. TASK is a task with --size or
    --input, as for `samapprox cot generate`, or a file with a chain.
    """
    written = choose_chain(source, size, seed, text)
    task, chain = written.task, written.chain
    rows = [
        [str(position), word, *map(str, parts), _needs(chain.needs.keys(position).tolist())]
        for position, (word, parts) in enumerate(
            zip(task.words(chain.tokens), chain.tokens.tolist(), strict=True)
        )
    ]
    title = f"{plural(len(chain), 'token')}, {chain.given} of them given; answer {chain.answer}"
    print_table(["token", "word", *task.parts, "needs"], rows, title=title)


def _needs(needs: list[int]) -> str:
    shown = " ".join(map(str, needs[:_MOST_NEEDS]))
    return shown if len(needs) <= _MOST_NEEDS else f"{shown} .. ({len(needs)})"


@click.command()
@click.argument("file", type=click.Path(), shell_complete=complete_files([".json", ".jsonl"]))
@options.as_json
def replay(file: str, as_json: bool) -> None:
    """Compute chains again and find the first mistake.

    FILE holds what `samapprox cot generate --json` prints, one document on each line; - is standard
    input. Each token is computed from the tokens that it needs. The replay compares the tokens,
    their needs, the answer, and what a document says for people (words, size and seed). It stops at
    the first mistake. Exit status: 0 all valid, 1 not valid.
    """
    text = read_text(file)
    chains = tokens = 0
    mistake: Mistake | None = None
    with errors_within(file), show_progress("replaying"):
        for one in parse_chains(text):
            chains += 1
            tokens += len(one.chain)
            mistake = mistake_of(one)
            if mistake is not None:
                break
    if as_json:
        print_json(
            COT_REPLAY.write(
                source=file,
                valid=mistake is None,
                chains=chains,
                tokens=tokens,
                mistake=None if mistake is None else _to_json(mistake, chains - 1),
            )
        )
    elif mistake is None:
        echo_answer(f"VALID: {plural(chains, 'chain')}, {plural(tokens, 'token')}")
    else:
        place = "" if chains == 1 else f"chain {chains - 1}: "
        echo_answer(f"NOT VALID: {place}{mistake}")
    sys.exit(0 if mistake is None else 1)


def _to_json(mistake: Mistake, chain: int) -> dict[str, object]:
    return {
        "chain": chain,
        "token": mistake.position,
        "found": None if mistake.found is None else list(mistake.found),
        "expected": None if mistake.expected is None else list(mistake.expected),
        "needs": list(mistake.needs),
        "text": mistake.text,
    }
