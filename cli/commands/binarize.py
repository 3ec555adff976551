"""`samapprox binarize`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from tqdm import tqdm

from samapprox import InputError, Instance, Pattern, save
from samapprox.attention.binarization import TIES, Mass, Rule, Threshold, TopK, Uniform
from samapprox.attention.binarization import binarize as binarize_matrix
from samapprox.attention.set_binarization import SetEntry, binarize_set, safe_name
from samapprox.attention.weights import load_attention
from samapprox.attention.weights.naming import parse_axes
from samapprox.cli.options import causal_option, keep_apart, make_folder
from samapprox.support.plural import plural

__all__ = ["binarize"]


@click.command()
@click.argument("attention")
@click.option("--top-k", type=int, multiple=True, help="The K heaviest keys of every row.")
@click.option("--threshold", type=float, multiple=True, help="Keys of at least this probability.")
@click.option("--uniform", is_flag=True, help="Keys with at least 1/n (causal: 1/(i+1)).")
@click.option("--mass", type=float, multiple=True, help="The fewest heaviest keys with this sum.")
@causal_option
@click.option("--logits", is_flag=True, help="The numbers are logits, not probabilities.")
@click.option("--ties", type=click.Choice(TIES), help="Which tied keys to keep.")
@click.option("--key", help="Which tensor of a file; of a folder, names such as '*attn*'.")
@click.option("--select", default="", help="Positions on the leading axes: layer, or LAYER,HEAD.")
@click.option(
    "--axes", help="What the leading axes are, as in text,layer,head: names the patterns by them."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="File for one pattern, folder for several; standard output by default.",
)
def binarize(
    attention: str,
    top_k: tuple[int, ...],
    threshold: tuple[float, ...],
    uniform: bool,
    mass: tuple[float, ...],
    causal: bool,
    logits: bool,
    ties: str | None,
    key: str | None,
    select: str,
    axes: str | None,
    output: str | None,
) -> None:
    """Turn ATTENTION (npy, npz or safetensors; any leading axes) into patterns.

    Name one rule. One pattern is printed, or saved to the file --output; several go to the folder
    --output, one npz each, named after the file, the tensor if --key names it, the position on the
    leading axes and the rule.

    Of a folder, or with --axes, all tensors become a set of instances, under one or more rules:
    --output has a folder for each tensor, the patterns are named by layer and head, and only one
    matrix at a time is in memory.
    """
    output = None if output == "-" else output
    keep_apart([attention], [output])
    rules = _rules(top_k, threshold, uniform, mass)
    chosen = _positions(select)
    options: dict[str, Any] = {"causal": causal, "logits": logits, "ties": ties}
    if axes is not None or Path(attention).is_dir():
        if output is None:
            raise InputError(f"{attention}: many patterns; name a folder by --output")
        named = None if axes is None else parse_axes(axes)
        entries = binarize_set(attention, rules, axes=named, key=key, select=chosen, **options)
        click.echo(f"{output}: {plural(_save_set(entries, Path(output)), 'pattern')}")
        return
    if len(rules) != 1:
        raise InputError("name one rule: only sets (a folder, or --axes) take several")
    _binarize_file(attention, rules[0], chosen, key, output, options)


def _save_set(entries: Iterator[SetEntry], folder: Path) -> int:
    """Write the set; how many there are."""
    count = 0
    for entry in tqdm(entries, delay=2, disable=None, unit="pattern"):
        target = folder / entry.path
        make_folder(target.parent)
        save(entry.instance, target)
        count += 1
    return count


def _binarize_file(
    attention: str,
    rule: Rule,
    chosen: tuple[int, ...],
    key: str | None,
    output: str | None,
    options: dict[str, Any],
) -> None:
    """The patterns of one tensor, printed or saved one by one."""
    weights = load_attention(attention, key=key, select=chosen)
    leading = weights.shape[:-2]
    if 0 in leading:
        raise InputError(f"{attention}: a tensor of shape {weights.shape} holds no matrix")
    if leading and output is None:
        count = int(np.prod(leading))
        matrices = "1 matrix" if count == 1 else f"{count} matrices"
        raise InputError(
            f"{attention}: {matrices} of shape {weights.shape[-2:]}; name a folder by --output, or "
            "one matrix by --select"
        )
    for index in tqdm(list(np.ndindex(leading)), delay=2, disable=None, unit="pattern"):
        position = (*chosen, *index)
        try:
            pattern = binarize_matrix(weights[index], rule, **options)
        except InputError as error:
            place = f"{attention}: matrix {list(position)}" if position else attention
            raise error.within(place) from None
        if output is None:
            click.echo(pattern.to_text())
            continue
        target = Path(output)
        if leading or target.is_dir():
            target = _target(target, attention, key, position, rule)
        origin = _origin(attention, key, position, rule, options)
        save(Instance(pattern, origin=origin), target)
        click.echo(_line(target, pattern))


def _rules(
    top_k: tuple[int, ...], threshold: tuple[float, ...], uniform: bool, mass: tuple[float, ...]
) -> list[Rule]:
    rules: list[Rule] = [*map(TopK, top_k), *map(Threshold, threshold)]
    rules += [Uniform()] * uniform
    rules += map(Mass, mass)
    if not rules:
        raise InputError("name one rule: --top-k K, --threshold T, --uniform or --mass P")
    return list(dict.fromkeys(rules))


def _positions(select: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in select.split(",") if part.strip())
    except ValueError:
        raise InputError(f"--select takes whole numbers as in 0,8, not {select!r}") from None


def _target(
    folder: Path, attention: str, key: str | None, position: tuple[int, ...], rule: Rule
) -> Path:
    """Named after all that was chosen, so that one choice does not overwrite another."""
    stem = "stdin" if attention == "-" else Path(attention).stem
    tensor = [] if key is None else [safe_name(key)]
    return make_folder(folder) / (
        "_".join([stem, *tensor, *map(str, position), rule.name]) + ".npz"
    )


def _origin(
    attention: str,
    key: str | None,
    position: tuple[int, ...],
    rule: Rule,
    options: dict[str, Any],
) -> dict[str, int | float | str]:
    origin: dict[str, int | float | str] = {"attention": Path(attention).name, "rule": rule.name}
    if key is not None:
        origin["key"] = key
    if position:
        origin["position"] = ",".join(map(str, position))
    origin.update({name: value for name, value in options.items() if value})
    return origin


def _line(target: Path, pattern: Pattern) -> str:
    rows, columns = pattern.shape
    return f"{target}: {rows} x {columns}, {plural(pattern.count, 'one')}"
