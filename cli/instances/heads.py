"""`samapprox heads`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from samapprox import InputError
from samapprox.attention import RowCount, Rule, SetEntry, Uniform, binarize_set
from samapprox.batch import Store
from samapprox.batch.heads.measure import measure
from samapprox.batch.report import Report, write_report
from samapprox.cli import options
from samapprox.cli.files import FILE, keep_apart, read_text, stem_of
from samapprox.cli.instances.batch_progress import follow_run
from samapprox.cli.options.weights import (
    echo_rows,
    head_size_option,
    recognised_causal_option,
    rule_options,
    ties_option,
    weights_options,
)
from samapprox.cli.terminal import count_items, echo, print_json, show_progress, terminal_width


@click.command()
@click.argument("source", required=False)
@click.option("--model", type=click.Path(), help="Run the model in this local folder instead.")
@click.option("--texts", type=click.Path(), help="Texts for --model, one per line.")
@rule_options
@recognised_causal_option
@ties_option
@weights_options
@options.time_limit(
    "Seconds for each pattern; slower patterns keep the bounds found so far.", default=10.0
)
@click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Number of processes; by default one per core."
)
@click.option(
    "--results", type=FILE, help="The result file.  [default: NAME.heads.sqlite in this folder]"
)
@click.option("-o", "--output", type=FILE, help="Write the report page to this file.")
@head_size_option
@options.as_json
def heads(
    source: str | None,
    model: str | None,
    texts: str | None,
    rules: list[Rule],
    causal: bool | None,
    ties: str | None,
    reading: dict[str, Any],
    time_limit: float,
    jobs: int | None,
    results: str | None,
    output: str | None,
    head_size: int | None,
    as_json: bool,
) -> int:
    """Measure the heads of a model: from attention weights to least dimensions.

    SOURCE holds attention weights: an npy, npz, safetensors or torch.save file, or a folder of such
    files. With --model and --texts, a local model is run on texts instead; this needs the packages
    torch and transformers.

    The weights of each head become a pattern under each rule (--uniform by default). A table for
    each rule shows the least dimension by layer and head, the largest over all texts. --output
    writes a page with every pattern and proof.

    Every answer is kept in the result file at once. After an interrupt, the same command continues.
    """
    named = _require_one_source(source, model, texts, reading)
    if results is None:
        results = f"{stem_of(named)}.heads.sqlite"
    keep_apart([source, texts], [results, output])
    if Path(results).exists():
        Store(results).close()  # refuses another program's file before any work
    rules = rules or [Uniform()]
    rows = RowCount()
    making: dict[str, Any] = {"causal": causal, "ties": ties, "rows": rows}
    if source is not None:
        entries = binarize_set(source, rules, **making, **reading)
    else:
        assert model is not None
        assert texts is not None
        known_size, entries = _run_model(model, _read_texts(texts), rules, making)
        head_size = head_size or known_size
    with _say_where_to_continue(results), follow_run(log_json=False, quiet=False) as listener:
        found = measure(
            _count(entries),
            results,
            source=named,
            rules=rules,
            rows=rows,
            head_size=head_size,
            time_limit=time_limit,
            jobs=jobs,
            listener=listener,
        )
    echo_rows(rows, ties)
    if output is not None:
        with show_progress("writing the page") as show:
            write_report(results, output, Report(head_size=head_size), progress=show)
    if as_json:
        print_json(found.to_json())
    else:
        echo(f"{found.text(terminal_width())}\n")
        echo(f"Results in {results}" + ("" if output is None else f", page in {output}"))
    return 1 if found.failures else 0


def _require_one_source(
    source: str | None, model: str | None, texts: str | None, reading: dict[str, Any]
) -> str:
    """The file or folder that the question is about."""
    if source is None and model is None:
        raise InputError("name a SOURCE of attention weights, or --model DIR with --texts FILE")
    if source is not None and (model is not None or texts is not None):
        raise InputError(f"{source}: give either SOURCE or --model with --texts, not both")
    if source is not None:
        if reading["key"] is None and _holds_model(Path(source)):
            raise InputError(
                f"{source}: holds a model, not attention weights; run it on texts, one per line: "
                f"--model {source} --texts FILE"
            )
        return source
    if texts is None:
        raise InputError("--model needs --texts FILE, with one text per line")
    given = [f"--{name}" for name, value in reading.items() if value]
    if given:
        raise InputError(f"{given[0]} is about files of attention weights, not about --model")
    assert model is not None
    return model


def _holds_model(folder: Path) -> bool:
    """Whether `save_pretrained` wrote the folder."""
    weights = (*folder.glob("model*.safetensors"), *folder.glob("pytorch_model*.bin"))
    return bool(weights) and (folder / "config.json").is_file()


def _read_texts(path: str) -> list[str]:
    """One text a line."""
    lines = re.split(r"\r\n?|\n", read_text(path).rstrip())  # U+2028 stands within texts
    if lines == [""]:
        raise InputError(f"{path}: holds no text; write one per line")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise InputError(f"{path}: line {number} is empty; write one text per line")
    return lines


def _run_model(
    folder: str, texts: list[str], rules: Sequence[Rule], making: dict[str, Any]
) -> tuple[int | None, Iterator[SetEntry]]:
    """The dimension of the model's heads, and their patterns."""
    from samapprox.attention.weights.models import LanguageModel
    from samapprox.attention.weights.sets import binarize_model

    model = LanguageModel(folder)
    return model.head_dimension, binarize_model(model, texts, rules, **making)


def _count(entries: Iterator[SetEntry]) -> Iterator[SetEntry]:
    """Show how many patterns are made; the thread ends with them, before processes are forked."""
    with count_items(entries, "pattern") as counted:
        yield from counted


@contextmanager
def _say_where_to_continue(results: str) -> Iterator[None]:
    """After an interrupt, say that the answers so far are kept."""
    try:
        yield
    except KeyboardInterrupt:
        if Path(results).exists():
            echo(f"samapprox: what is finished is in {results}; run again to continue", err=True)
        raise
