"""`samapprox heads`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from samapprox import InputError, Instance
from samapprox.attention import RowCount, Rule, SetEntry, Uniform, binarize_set
from samapprox.batch import Failure, Outcome, Question, Run, Store, failures_of, run, spool
from samapprox.batch.report import write_report
from samapprox.batch.report.heads import HeadMap, head_maps_of
from samapprox.cli.batch_progress import follow_run
from samapprox.cli.files import FILE, read_text
from samapprox.cli.options import json_option, keep_apart, time_limit_option
from samapprox.cli.options.weights import (
    echo_rows,
    recognised_causal_option,
    rule_options,
    ties_option,
    weights_options,
)
from samapprox.cli.progress import count_items, show_progress
from samapprox.cli.terminal import echo, print_json, terminal_width
from samapprox.support.json_text import document_head
from samapprox.support.text import lay_out, plural

__all__ = [
    "heads",
    "print_heads",
]


@click.command()
@click.argument("source", required=False)
@click.option("--model", type=click.Path(), help="Run the model in this local folder instead.")
@click.option("--texts", type=click.Path(), help="Texts for --model, one per line.")
@rule_options
@recognised_causal_option
@ties_option
@weights_options
@time_limit_option(
    "Seconds for each pattern; slower patterns keep the bounds found so far.", default=10.0
)
@click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Number of processes; by default one per core."
)
@click.option(
    "--results", type=FILE, help="The result file.  [default: NAME.heads.sqlite in this folder]"
)
@click.option("-o", "--output", type=FILE, help="Write the report page to this file.")
@json_option
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
        results = f"{_stem(named)}.heads.sqlite"
    keep_apart([source, texts], [results, output])
    if Path(results).exists():
        Store(results).close()  # refuses another program's file before any work
    rules = rules or [Uniform()]
    dimension, rows = None, RowCount()
    options: dict[str, Any] = {"causal": causal, "ties": ties, "rows": rows}
    if source is not None:
        entries = binarize_set(source, rules, **options, **reading)
    else:
        assert model is not None
        assert texts is not None
        dimension, entries = _run_model(model, _read_texts(texts), rules, options)
    question = Question("dim", time_limit=time_limit)
    done = _measure(entries, question, results, jobs)
    with Store(results) as store:
        own = [one for one in store.outcomes(done.question) if one.name in done.names]
    echo_rows(rows, ties)
    maps = head_maps_of(own)
    failures = [failure for one in own for failure in failures_of(one)]
    if output is not None:
        with show_progress("writing the page") as show:
            write_report(results, output, progress=show)
    if as_json:
        print_json(
            _document(named, rules, question, results, done, maps, failures, rows, dimension)
        )
    else:
        for found in maps:
            print_heads(
                found,
                dimension,
                masked=rows.masked.total(),
                skipped=rows.skipped,
                unanswered=_count_unanswered(own, found.family),
                without_zeros=rows.without_zeros[str(found.family)],
            )
        if not maps:
            echo("No head has an answer.")
        echo(f"Results in {results}" + ("" if output is None else f", page in {output}"))
    return 1 if failures else 0


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


def _stem(named: str) -> str:
    """A name for the result file: of the source, without folder and ending."""
    if named == "-":
        return "stdin"
    path = Path(named)
    return (path.resolve().name if path.is_dir() else path.stem) or "heads"


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
    folder: str, texts: list[str], rules: Sequence[Rule], options: dict[str, Any]
) -> tuple[int | None, Iterator[SetEntry]]:
    """The dimension of the model's heads, and their patterns."""
    from samapprox.attention.weights.models import LanguageModel
    from samapprox.attention.weights.sets import binarize_model

    model = LanguageModel(folder)
    return model.head_dimension, binarize_model(model, texts, rules, **options)


def _measure(
    entries: Iterator[SetEntry], question: Question, results: str, jobs: int | None
) -> Run:
    """Answer the question about all patterns; each answer is kept as soon as it is there."""
    with ExitStack() as stack:
        with count_items(entries, "pattern") as counted:
            named = ((entry.path, _placed(entry.instance)) for entry in counted)
            instances = stack.enter_context(spool(named))
        try:
            with follow_run(log_json=False, quiet=False) as listener:
                return run(instances, question, results, jobs=jobs, listener=listener)
        except KeyboardInterrupt:
            echo(f"samapprox: what is finished is in {results}; run again to continue", err=True)
            raise


def _count_unanswered(outcomes: Sequence[Outcome], family: str | None) -> int:
    """The patterns of a family without bounds, which its map leaves out."""
    return sum(one.family == family and None in (one.lower, one.upper) for one in outcomes)


def _placed(instance: Instance) -> Instance:
    """The instance with a layer and a head, which are 0 where the source has no such axis."""
    origin = {"layer": 0, "head": 0, **instance.origin}
    return Instance(instance.pattern, instance.facts, origin)


def _document(
    named: str,
    rules: Sequence[Rule],
    question: Question,
    results: str,
    done: Run,
    maps: Sequence[HeadMap],
    failures: Sequence[Failure],
    rows: RowCount,
    dimension: int | None,
) -> dict[str, Any]:
    """The document of `heads --json`: see `samapprox schema heads`."""
    return {
        **document_head("heads"),
        "source": named,
        "rules": [rule.name for rule in rules],
        "time_limit": question.time_limit,
        "head_dimension": dimension,
        "results": results,
        "patterns": len(done.names),
        "skipped": done.skipped,
        "rows": {
            "all": rows.rows,
            "masked": rows.masked.total(),
            "tied": rows.tied,
        },
        "skipped_matrices": rows.skipped,
        "families": [
            {
                "family": found.family,
                "lower": found.bounds.lower,
                "upper": found.bounds.upper,
                "without_zeros": rows.without_zeros[str(found.family)],
                "heads": [
                    {
                        "layer": layer,
                        "head": head,
                        "lower": cell.bounds.lower,
                        "upper": cell.bounds.upper,
                        "patterns": cell.count,
                    }
                    for (layer, head), cell in sorted(found.cells.items())
                ],
            }
            for found in maps
        ],
        "failures": list(map(asdict, failures)),
    }


def print_heads(
    found: HeadMap,
    head_dimension: int | None,
    *,
    masked: int = 0,
    skipped: int = 0,
    unanswered: int = 0,
    without_zeros: int = 0,
) -> None:
    """Print a table of layers by heads and a line that says what it means."""
    most = max(cell.count for cell in found.cells.values())
    over = f" (the largest over {most} patterns)" if most > 1 else ""
    echo(f"Least d by layer and head, {found.family}{over}:")
    right = [False] + [True] * len(found.heads)
    for line in lay_out(list(_rows(found)), right, width=terminal_width()):
        echo(line)
    left_out = {
        f"masked {'row' if masked == 1 else 'rows'}": masked,
        f"skipped {'matrix' if skipped == 1 else 'matrices'}": skipped,
        f"{'pattern' if unanswered == 1 else 'patterns'} without an answer": unanswered,
    }
    named = ", ".join(f"{count} {thing}" for thing, count in left_out.items() if count)
    every = "every measured head" if skipped or unanswered else "every head"
    if without_zeros == found.patterns:
        echo("Nothing was asked of the heads: no pattern has a 0, so any embedding represents all.")
    else:
        echo(found.claim(every, f" (left out: {named})" if named else "", head_dimension))
    unsettled = sum(not cell.bounds.is_exact for cell in found.cells.values())
    if unsettled:
        heads = plural(len(found.cells), "head")
        echo(f"{unsettled} of {heads} not settled; a longer --time-limit may settle more.")
    echo()


def _rows(found: HeadMap) -> Iterator[list[str]]:
    yield ["", *(f"H{head}" for head in found.heads)]
    for layer in found.layers:
        cells = (found.cells.get((layer, head)) for head in found.heads)
        yield [f"L{layer}", *("" if cell is None else str(cell.bounds) for cell in cells)]
