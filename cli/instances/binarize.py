"""`samapprox binarize`."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import click
import numpy as np

from samapprox import InputError, Instance, Pattern, save
from samapprox.attention.weights.layouts import Place
from samapprox.attention.weights.rows import RowCount, is_causal
from samapprox.attention.weights.rules import Rule
from samapprox.attention.weights.sets import SetEntry, binarize_matrix, binarize_set
from samapprox.attention.weights.sources import safe_name
from samapprox.attention.weights.tensors import open_tensor, open_tensors
from samapprox.cli.files import keep_apart, make_folder
from samapprox.cli.options.weights import (
    echo_rows,
    recognised_causal_option,
    rule_options,
    ties_option,
    weights_options,
)
from samapprox.cli.terminal import count_items, echo
from samapprox.support.text import plural

_FILE_ENDINGS = (".npz", ".npy", ".csv", ".txt")


@click.command()
@click.argument("attention")
@rule_options
@recognised_causal_option
@ties_option
@weights_options
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="File for one pattern, folder for several; standard output by default.",
)
def binarize(
    attention: str,
    rules: list[Rule],
    causal: bool | None,
    ties: str | None,
    reading: dict[str, Any],
    output: str | None,
) -> None:
    """Turn ATTENTION into patterns.

    ATTENTION is an npy, npz, safetensors or torch.save file with weights of shape (.., queries,
    keys), or a folder of such files. Exactly one rule is needed. One pattern is printed, or saved
    to the file --output; several go to the folder --output, one npz each, named after the file, the
    tensor if --key names it, the position on the leading axes and the rule.

    The tensors of a folder, or of a file with several, become a set of instances, and so do those
    of any file with --axes. A set may have several rules. The folder --output then contains a
    folder for each tensor, with patterns named by layer and head. Only one matrix at a time is in
    memory. In a set, --select names a layer and head; in a single tensor, it names positions on the
    leading axes.

    Rows that cannot be used (padding, or weights that do not sum to 1) are masked and counted.
    """
    output = None if output == "-" else output
    keep_apart([attention], [output])
    if not rules:
        raise InputError("name one rule: --top-k K, --threshold T, --uniform or --mass P")
    rows = RowCount()
    options = {"causal": causal, "ties": ties, **reading}
    if _is_set(attention, options):
        if output is None:
            raise InputError(
                f"{attention}: many patterns; name a folder by --output, or one tensor by --key"
            )
        folder = _require_folder(Path(output))
        entries = binarize_set(attention, rules, rows=rows, **options)
        echo(f"{output}: {plural(_save_set(entries, folder), 'pattern')}")
    elif len(rules) > 1:
        raise InputError("name one rule: only sets (a folder, or --axes) take several")
    else:
        del options["axes"]
        _binarize_tensor(attention, rules[0], output, rows, **options)
    echo_rows(rows, ties)


def _is_set(attention: str, options: dict[str, Any]) -> bool:
    """Whether the source is a folder, has several tensors, or more leading axes than two."""
    key, select = options["key"], options["select"]
    if options["axes"] is not None or Path(attention).is_dir():
        return True
    if attention == "-":  # can be read only once
        return False
    with open_tensors(attention) as file:
        if len(file.names) > 1 and key not in file.names:
            return True
        shape = file.tensor(key if key in file.names else file.names[0]).shape
    return len(shape) > 4 and prod(shape[len(select) : -2]) > 1


def _require_folder(output: Path) -> Path:
    """Refuse the name of a file where a folder is needed."""
    if output.suffix.lower() in _FILE_ENDINGS and not output.is_dir():
        raise InputError(
            f"{output}: several patterns go to a folder, not to a file; name one without the "
            f"ending {output.suffix}"
        )
    return output


def _save_set(entries: Iterator[SetEntry], folder: Path) -> int:
    """Write the set; return the number of its patterns."""
    count = 0
    with count_items(entries, "pattern") as counted:
        for entry in counted:
            target = folder / entry.path
            make_folder(target.parent)
            save(entry.instance, target)
            count += 1
    return count


def _binarize_tensor(
    attention: str,
    rule: Rule,
    output: str | None,
    rows: RowCount,
    *,
    causal: bool | None,
    logits: bool,
    ties: str | None,
    key: str | None,
    select: tuple[int, ...],
) -> None:
    """Print the pattern of one tensor, or save its patterns one by one."""
    with open_tensor(attention, key) as tensor:
        leading = tensor.shape[len(select) : -2]
        count = prod(leading)
        if count == 0:
            raise InputError(f"a tensor of shape {tensor.shape} holds no matrix")
        if count > 1 and output is None:
            raise InputError(
                f"{count} matrices of shape {tensor.shape[-2:]}; name a folder by --output, or one "
                "matrix by --select"
            )
        folder = None
        if output is not None and (
            count > 1 or Path(output).is_dir() or (leading and not Path(output).suffix)
        ):
            folder = _require_folder(Path(output))
        if causal is None:
            causal = is_causal(tensor.matrices(select), logits=logits)
            rows.causal += causal
        options: dict[str, Any] = {"causal": causal, "logits": logits, "ties": ties}
        matrices = zip(np.ndindex(leading), tensor.matrices(select), strict=True)
        with count_items(matrices, "pattern", count, prints=output is not None) as counted:
            for index, weights in counted:
                position = (*select, *index)
                origin = _origin(attention, key, position, rule, options)
                for entry in binarize_matrix(
                    weights,
                    Place("", {}),
                    [rule],
                    folder="",
                    origin=origin,
                    rows=rows,
                    where=f"matrix {list(position)}" if position else "",
                    roundoff=tensor.roundoff,
                    **options,
                ):
                    pattern = entry.instance.pattern
                    if output is None:
                        click.echo(pattern.to_text())
                        continue
                    target = Path(output)
                    if folder is not None:
                        target = _target(folder, attention, key, position, rule)
                    save(Instance(pattern, origin=origin), target)
                    echo(_line(target, pattern))
        if not rows.patterns:
            raise rows.nothing_left()


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
    attention: str, key: str | None, position: tuple[int, ...], rule: Rule, options: dict[str, Any]
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
