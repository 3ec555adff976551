"""`samapprox cot show`: a chain of thought, one token on a line."""

from __future__ import annotations

import click

from samapprox.cli.options.tasks import choose_chain, task_or_file
from samapprox.cli.tables import print_table
from samapprox.support.plural import plural

__all__ = ["show"]

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
