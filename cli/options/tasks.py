"""The argument TASK, and options that choose an instance of it."""

from __future__ import annotations

from pathlib import Path

import click

from samapprox.attention.reasoning.documents import Written, parse_chain
from samapprox.attention.reasoning.known_tasks import TASKS, parse_task
from samapprox.cli import options
from samapprox.cli.files import read_text
from samapprox.cli.terminal import show_progress
from samapprox.cli.values import complete_any, complete_files, complete_names, together
from samapprox.errors import InputError, errors_within
from samapprox.support.packages import suggestion

complete_task = complete_names(lambda: TASKS)
"""Complete the name of a task."""

_instance_options = together(
    click.option("--size", type=int, help="Size of a random instance."),
    options.seed("Seed of the random instance."),
    click.option(
        "--input", "text", help="An instance instead of a random one, such as 'kitten sitting'."
    ),
)
"""Options for an instance: parameters `size`, `seed` and `text`."""

task_argument = together(click.argument("task", shell_complete=complete_task), _instance_options)
"""TASK, with `_instance_options`: parameters `task`, `size`, `seed` and `text`."""

task_or_file = together(
    click.argument(
        "source",
        metavar="TASK",
        shell_complete=complete_any(complete_task, complete_files([".json", ".jsonl"])),
    ),
    _instance_options,
)
"""TASK or a file with a chain: parameters `source`, `size`, `seed` and `text`."""


def choose_chain(source: str, size: int | None, seed: int, text: str | None) -> Written:
    """Return the chain of an instance of a task, or read the one of a file.

    >>> choose_chain("lis", None, 0, "3 1 2").chain.answer
    2
    """
    if source.partition(":")[0] in TASKS:
        task = parse_task(source)
        if (size is None) == (text is None):
            raise InputError(f"{source}: give the instance by either --size or --input")
        with show_progress("writing the chain"):
            if size is not None:
                return Written(task, next(task.generate(size, seed)))
            with errors_within("--input"):
                return Written(task, task.chain(task.parse(text or "")))
    if source != "-" and not Path(source).exists():
        meant = suggestion(source.partition(":")[0], TASKS)
        there = f"known tasks: {', '.join(TASKS)}"
        raise InputError(f"{source}: neither a file nor a known task{meant}; {there}")
    if size is not None or text is not None:
        raise InputError(f"{source}: --size and --input are for tasks, and this is a file")
    with errors_within(source):
        return parse_chain(read_text(source))
