"""`samapprox cot generate`: instances with their chains of thought."""

from __future__ import annotations

import click

from samapprox.cli.completion import complete_names
from samapprox.cli.options.checked import together
from samapprox.cli.terminal import echo
from samapprox.errors import InputError
from samapprox.reductions.reasoning import TASKS, parse_task
from samapprox.support.plural import plural

__all__ = ["generate", "task_argument"]

task_argument = together(
    click.argument("task", shell_complete=complete_names(lambda: TASKS)),
    click.option("--size", type=int, help="Size of a random instance."),
    click.option("--seed", type=int, default=0, show_default=True, help="Chooses the instance."),
)
"""TASK with a random instance: parameters `task`, `size` and `seed`."""


@click.command()
@task_argument
def generate(task: str, size: int | None, seed: int) -> None:
    """Generate an instance of TASK with its chain of thought."""
    known = parse_task(task)
    if size is None:
        raise InputError("give the size of the instance with --size")
    [chain] = known.generate(size, seed)
    echo(f"{task}: {plural(len(chain), 'token')}, answer {chain.answer}")
    echo(" ".join(known.words(chain.tokens)))
