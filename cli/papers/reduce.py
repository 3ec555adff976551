"""`samapprox reduce`: a sub-command for each reduction, with the fields of the reduction."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import numpy as np

from samapprox import Certificate, Embedding, InputError, Instance, Pattern, Problem, save
from samapprox.attention import load_attention
from samapprox.attention.weights.rules import Rule, parse_rule
from samapprox.cli.files import FILE_OR_STDOUT, keep_apart, load_certificate, read_text
from samapprox.cli.main import LazyGroup
from samapprox.cli.options.given_vectors import VECTOR_ENDINGS
from samapprox.cli.terminal import echo, print_json, show_progress
from samapprox.cli.values import PATTERN_ENDINGS, complete_files, complete_names
from samapprox.errors import errors_within
from samapprox.formats import load_instance, load_judgements, load_vectors, save_vectors
from samapprox.formats.vectors import write_text
from samapprox.instance import Fact
from samapprox.proofs.base import Witness
from samapprox.reductions import REDUCTIONS, Entry, reduction
from samapprox.reductions.to_pattern import load_arrangement
from samapprox.support.text import plural
from samapprox.vectors import VectorSet

SOURCES: dict[str, Callable[[str], Any]] = {
    "vectors": load_vectors,
    "attention": load_attention,
    "judgements": load_judgements,
    "arrangement": load_arrangement,
    "pattern": load_instance,
}
"""Kinds of instances, and the functions that read them from files."""

ENDINGS = {
    "vectors": VECTOR_ENDINGS,
    "attention": (".npy", ".npz", ".safetensors"),
    "judgements": PATTERN_ENDINGS,
    "arrangement": ("",),
    "pattern": PATTERN_ENDINGS,
}
"""Kinds of instances, and the endings of their files that shells complete."""

_HELP = {
    "causal": "Ignore entries above the diagonal (causal attention).",
    "logits": "Read the numbers as logits, not probabilities.",
    "ties": "Which tied keys to keep: first, last, all or none.",
    "times": "Number of dimensions to add; each doubles the number of rows.",
    "relevant": "The least grade that counts as relevant (1).",
    "unjudged": "Whether unjudged pairs are 0 or *.",
}
"""The fields of reductions, and their help."""

_RULES = ("top5", "min0.1", "unif", "mass90")


@click.group(cls=LazyGroup, table=REDUCTIONS, make=lambda name: _command(name, REDUCTIONS[name]))
def reduce() -> None:
    """Turn an instance of one problem into an instance of another, and map answers back.

    The target instance is printed or saved to the file --output. With --answer, the command reads
    an answer about the target (the certificate of a pattern, or the output of `furthest --json`)
    and prints the answer about the source instead, as JSON.
    """


def _command(name: str, entry: Entry) -> click.Command:
    """Make the command of a reduction."""
    kind = reduction(name)
    hints = get_type_hints(kind)
    options: list[click.Parameter] = [
        click.Argument(
            ["source"],
            metavar=entry.source.upper(),
            shell_complete=complete_files(ENDINGS[entry.source]),
        )
    ]
    options += [_option(field.name, hints[field.name], field) for field in dataclasses.fields(kind)]
    options += [
        click.Option(
            ["-o", "--output"],
            type=FILE_OR_STDOUT,
            help="File for the target instance; standard output by default.",
        ),
        click.Option(
            ["--answer"],
            type=click.Path(),
            shell_complete=complete_files([".json"]),
            help="File with an answer about the target instance, to map back.",
        ),
    ]

    def run(source: str, output: str | None, answer: str | None, **parameters: Any) -> None:
        keep_apart([source, answer], [output])
        chosen = kind(**parameters)
        try:
            instance = SOURCES[entry.source](source)
            with show_progress("reducing"):
                asked = instance.pattern if isinstance(instance, Instance) else instance
                target, back = chosen.apply(asked)
        except InputError as error:
            raise error if str(error).startswith(source) else error.within(source) from None
        if answer is not None:
            with show_progress("mapping the answer back"):
                lifted = chosen.lift(_answer(answer, target), back)
            print_json(_plain(lifted, asked))
        elif output is not None and output != "-":
            known = instance.facts if isinstance(instance, Instance) else ()
            _save(target, chosen.carry_facts(known), output)
            echo(f"{output}: {_size(target)}")
        else:
            click.echo(target.to_text() if isinstance(target, Pattern) else write_text(target))

    summary = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    return click.Command(
        name,
        params=options,
        callback=run,
        help=f"{summary}\n\nWhat it preserves: {kind.preserves}.",
    )


def _option(name: str, kind: Any, field: Any) -> click.Option:
    flag = f"--{name.replace('_', '-')}"
    if kind is bool:
        return click.Option([flag], is_flag=True, help=_HELP[name])
    if kind is Rule:
        return click.Option(
            [flag],
            required=True,
            shell_complete=complete_names(lambda: _RULES),
            help="Rule that makes the pattern, such as top5, min0.1, unif or mass90.",
            callback=lambda _ctx, _parameter, value: parse_rule(value),
        )
    default = None if field.default is dataclasses.MISSING else field.default
    choices = click.Choice(get_args(kind)) if get_origin(kind) is Literal else None
    number = click.INT if kind is int else None
    shown = default is not None
    return click.Option(
        [flag],
        type=choices or number or click.STRING,
        default=default,
        show_default=shown,
        help=_HELP[name],
    )


def _size(target: Pattern | VectorSet) -> str:
    """Describe the size of a target."""
    if isinstance(target, Pattern):
        return f"{target.shape[0]} x {target.shape[1]}, {plural(target.count, 'one')}"
    return f"{' x '.join(map(str, target.shape))} numbers"


def _save(target: Pattern | VectorSet, facts: tuple[Fact, ...], output: str) -> None:
    if isinstance(target, Pattern):
        save(Instance(target, facts), output)
    else:
        save_vectors(target, output)


def _answer(path: str, target: Pattern | VectorSet) -> Any:
    """Read an embedding from a certificate of the target, or indices of furthest vectors."""
    if isinstance(target, Pattern):
        certificate = load_certificate(path)
        check = certificate.verify(target)
        if not check:
            raise InputError(f"{path}: {check.reason}")
        if not isinstance(certificate.proof, Witness):
            raise InputError(
                f"{path}: this certificate of a NO has no embedding to map back; give that of a YES"
            )
        with errors_within(path):
            return certificate.proof.embedding(target)
    text = read_text(path)
    try:
        return np.array(json.loads(text)["furthest"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{path}: not the output of `samapprox furthest --json`") from None


def _plain(value: Any, instance: Any) -> Any:
    """Return a value that JSON can hold: for an embedding, a certificate of the source pattern."""
    if isinstance(value, Embedding):
        return Certificate.of(Problem(instance, value.dimension), value).to_json()
    return value.tolist() if isinstance(value, np.ndarray) else value
