"""`samapprox generate`: a sub-command for each family, with the parameters of its function."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, get_type_hints

import click

from samapprox import InputError, Instance, Problem, save
from samapprox.cli.files import make_folder
from samapprox.cli.main import LazyGroup
from samapprox.cli.terminal import count_items, echo
from samapprox.formats import save_vectors
from samapprox.formats.vectors import write_text
from samapprox.reductions import vectors
from samapprox.reductions.families import (
    COUNTED,
    FAMILIES,
    causal_view,
    count_from,
    family,
    successor,
)
from samapprox.vectors import VectorSet


def _make(name: str) -> click.Command:
    """Make the command of a family."""
    return _command(name, family(name) if name in FAMILIES else vectors.family(name))


@click.group(cls=LazyGroup, table={**FAMILIES, **vectors.FAMILIES}, make=_make)
def generate() -> None:
    """Generate instances with known answers, the same on every machine.

    One pattern or set of vectors is printed, with the known answers in lines that begin with #, or
    saved to the file --output. Several instances (--count, with successive seeds) go to the folder
    --output.
    """


def _command(name: str, make: Callable[..., Instance | VectorSet]) -> click.Command:
    signature = inspect.signature(make).parameters
    types = get_type_hints(make)
    described = _descriptions(make)
    options: list[click.Parameter] = [
        _option(parameter.name, types[parameter.name], parameter.default, described)
        for parameter in signature.values()
    ]
    counted = successor(name) if name in FAMILIES else "seed" if "seed" in signature else None
    if counted is not None:
        options.append(_count_option(name))
    if name in FAMILIES:
        options.append(
            click.Option(
                ["--causal"],
                is_flag=True,
                help="Put * above the diagonal of a square pattern; known YES answers stay valid.",
            )
        )
    options.append(
        click.Option(
            ["-o", "--output"], type=click.Path(), help="File for one instance, folder for several."
        )
    )

    def run(
        output: str | None, count: int | None = 1, causal: bool = False, **parameters: Any
    ) -> None:
        output = None if output == "-" else output
        count = count_from(name, parameters) if count is None else count
        if count > 1 and output is None:
            raise InputError("several instances need a folder: name one with --output")
        first = 0 if counted is None else parameters[counted]
        with count_items(range(count), "instance", count, prints=count > 1) as steps:
            for step in steps:
                if counted is not None:
                    parameters[counted] = first + step
                instance = make(**parameters)
                _write(causal_view(cast(Instance, instance)) if causal else instance, output, count)

    summary = inspect.getdoc(make) or ""
    return click.Command(
        name, params=options, callback=run, help=summary.partition("\n\nParameters")[0]
    )


def _count_option(name: str) -> click.Option:
    if name in COUNTED:
        kind: dict[str, Any] = {"help": "Number of instances.  [default: all from --number on]"}
    else:
        kind = {"default": 1, "show_default": True, "help": "Number of instances."}
    return click.Option(["--count"], type=click.IntRange(1, 10**9), **kind)


def _write(instance: Instance | VectorSet, output: str | None, count: int) -> None:
    """Print an instance, or save it and print what is known about it."""
    if output is None:
        click.echo(_text(instance))
        return
    target = Path(output)
    if count > 1 or target.is_dir():
        target = make_folder(target) / _file_name(instance)
    if isinstance(instance, VectorSet):
        save_vectors(instance, target)
    else:
        save(instance, target)
    echo(f"{target}: {_truth(instance)}")


def _option(name: str, kind: type, default: object, described: dict[str, str]) -> click.Option:
    flag = name.replace("_", "-")
    return click.Option(
        [f"--{flag}/--not-{flag}" if kind is bool else f"--{flag}"],
        type=kind,
        default=default,
        show_default=True,
        help=described[name],
    )


def _descriptions(make: Callable[..., Instance | VectorSet]) -> dict[str, str]:
    """Return the description of each parameter in the docstring."""
    section = (inspect.getdoc(make) or "").partition("Parameters\n----------\n")[2]
    section = section.partition("\n\n")[0]
    found = re.findall(r"^(\w+) : .*\n((?:    .*\n?)+)", section, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def _file_name(instance: Instance | VectorSet) -> str:
    origin = dict(instance.origin)
    values = [f"{name}{value}" for name, value in origin.items() if name != "family"]
    return "_".join([str(origin["family"]), *values]) + ".npz"


def _truth(instance: Instance | VectorSet) -> str:
    """Describe the known answers in one line."""
    if isinstance(instance, VectorSet):
        known = [f"{name}: {value}" for name, value in instance.known.items()]
        known += ["furthest vectors known"] * (instance.furthest is not None)
    else:
        known = [
            f"{fact.answer} for {Problem(instance.pattern, fact.d, fact.d_hid)}"
            for fact in instance.facts
        ]
    return "; ".join(known) or "nothing known"


def _text(instance: Instance | VectorSet) -> str:
    """Write an instance as text that `samapprox` reads."""
    origin = " ".join(f"{name}={value}" for name, value in instance.origin.items())
    content = (
        write_text(instance) if isinstance(instance, VectorSet) else instance.pattern.to_text()
    )
    return f"# {origin}\n# {_truth(instance)}\n{content}"
