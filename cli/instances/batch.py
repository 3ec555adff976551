"""`samapprox batch`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import click

from samapprox import InputError
from samapprox.attention.graphs import require_mask
from samapprox.batch import (
    TASKS,
    Failure,
    Junit,
    Question,
    Run,
    Store,
    Summary,
    Task,
    export,
    judge,
    markdown,
    require_match,
    run,
    summarize,
    with_earlier,
)
from samapprox.batch.results.known_tasks import KNOWN_TASKS
from samapprox.batch.results.question import PARAMETERS
from samapprox.batch.workers.vectors import require_graph
from samapprox.cli import options
from samapprox.cli.files import FILE, FileToWrite, keep_apart
from samapprox.cli.instances.batch_progress import follow_run
from samapprox.cli.main import SectionedCommand
from samapprox.cli.options.masks import complete_mask
from samapprox.cli.terminal import echo, echo_answer, paint, print_json, print_table
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    Decorator,
    complete_any,
    complete_files,
    complete_names,
)
from samapprox.errors import file_errors
from samapprox.proofs.questions import RANK_KINDS
from samapprox.reductions import vectors
from samapprox.reductions.families import FAMILIES
from samapprox.similarities import ATTENTION, SIMILARITIES
from samapprox.support.text import percent, plural

_MOST_SHOWN = 20
"""The most failures printed at the end."""

_SECTIONS = {
    "The question": (
        *("task", "d", "d_hid", "similarity", "arithmetic", "entries", "at", "kind"),
        *("certificates", "embeddings", "runs"),
    ),
    "On masks, for furthest": ("graphs", "layers", "relabel"),
    "Entries of patterns": ("relevant", "unjudged", "causal"),
    "Limits": ("time_limit", "memory_limit", "seed"),
    "The run": ("results", "resume", "jobs", "scheduler", "cluster"),
    "Expectations": ("expected", "slower", "recall"),
    "Output": ("as_json", "junit", "summary_file", "exports", "log_json", "quiet"),
}
"""The headings of the help, and the parameters below each."""


def _option(name: str, *more: str, **settings: Any) -> Decorator[Any]:
    """Make the option of a parameter of questions, whose help is beside its other facts."""
    known = PARAMETERS[name]
    return click.option(known.option, *more, help=known.help, **settings)


@click.command(cls=SectionedCommand, sections=_SECTIONS)
@click.argument(
    "sources",
    metavar="SET...",
    nargs=-1,
    required=True,
    shell_complete=complete_any(
        complete_files((*PATTERN_ENDINGS, ".json")),
        complete_names(lambda: {**FAMILIES, **vectors.FAMILIES}),
    ),
)
@click.option(
    "--task",
    type=click.Choice(TASKS),
    metavar="TASK",
    default="decide",
    show_default=True,
    help=f"Question to ask: {', '.join(TASKS[:-1])} or {TASKS[-1]}.",
)
@_option("d", type=options.DIMENSION)
@_option("d_hid", type=options.HIDDEN_DIMENSION)
@_option("similarity", type=click.Choice(SIMILARITIES), default=ATTENTION.name, show_default=True)
@options.batch_arithmetic
@_option("unit", is_flag=True)
@_option("at", type=click.IntRange(min=1), metavar="K")
@_option("kind", type=click.Choice(RANK_KINDS))
@options.causal
@options.judgements
@_option("certificates", type=click.Path(), shell_complete=complete_files([".sqlite"]))
@_option("embeddings", metavar="FOLDER", type=click.Path())
@_option("runs", metavar="FOLDER", type=click.Path())
@_option("graph", "graphs", multiple=True, shell_complete=complete_mask)
@_option("layers", type=click.IntRange(1, 10**6))
@_option("relabel", type=int, metavar="SEED")
@options.time_limit("Seconds for each instance; slower instances are stopped.")
@options.memory_limit
@options.seed()
@click.option(
    "--results",
    type=click.Path(dir_okay=False),
    shell_complete=complete_files([".sqlite"]),
    default="results.sqlite",
    show_default=True,
    help="Result file to write or continue.",
)
@click.option(
    "--resume/--no-resume",
    default=True,
    show_default=True,
    help="Skip instances that the result file already answers (same question and version).",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    help="Number of processes; one for each core by default.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Send the work to this Dask scheduler.")
@click.option(
    "--cluster", is_flag=True, help="Start --jobs Dask workers on this machine and use them."
)
@click.option(
    "--expect",
    "expected",
    multiple=True,
    type=click.Path(dir_okay=False),
    shell_complete=complete_files([".json", ".sqlite"]),
    help="Compare with the facts of a manifest or an earlier result file (may be repeated).",
)
@click.option(
    "--slower",
    type=click.FloatRange(min=1.0),
    metavar="FACTOR",
    help="With --expect: fail if an instance takes more than FACTOR times as long as before.",
)
@click.option(
    "--recall",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="For furthest: fail if an instance finds less than this share of the furthest vectors.",
)
@click.option("--junit", type=FILE, help="Write JUnit XML to this file.")
@click.option(
    "--summary",
    "summary_file",
    type=FILE,
    envvar="GITHUB_STEP_SUMMARY",
    help="Append a summary in Markdown to this file.  [default: $GITHUB_STEP_SUMMARY]",
)
@click.option(
    "--export",
    "exports",
    multiple=True,
    type=FileToWrite("samapprox.batch:require_exportable", (".parquet", ".csv", ".jsonl")),
    help="Write all results to a .parquet, .csv or .jsonl file (may be repeated).",
)
@options.as_json
@click.option("--log-json", is_flag=True, help="Print progress as lines of JSON on standard error.")
@click.option("--quiet", is_flag=True, help="Print no progress; failures are still printed.")
def batch(
    sources: tuple[str, ...],
    task: Task,
    d: int | None,
    similarity: str,
    arithmetic: str | None,
    entries: bool,
    certificates: str | None,
    graphs: tuple[str, ...],
    embeddings: str | None,
    runs: str | None,
    results: str,
    resume: bool,
    jobs: int | None,
    scheduler: str | None,
    cluster: bool,
    expected: tuple[str, ...],
    slower: float | None,
    recall: float | None,
    junit: str | None,
    summary_file: str | None,
    exports: tuple[str, ...],
    as_json: bool,
    log_json: bool,
    quiet: bool,
    **parameters: Any,
) -> int:
    """Answer one question about every instance of SET, and store each result at once.

    Tasks about patterns: decide a dimension; find the least dimension (dim), the least number of
    wrong rows in a dimension (fit), the largest margin, or the least rank; count the wrong rows of
    given vectors or runs (evaluate); verify certificates.

    Tasks about sets of vectors: find and count orthogonal pairs (orthogonal); find the furthest
    vector of each (furthest), or with --graph how many of them the layers of a sparse mask find.

    SET is a folder of patterns or judgement sets (qrels, tsv, jsonl) or of vectors, a manifest, a
    file with a stack of patterns, or a family of `samapprox generate`, such as
    line:rows=8,columns=8,count=100,seed=1.

    Exit status: 0 if all results are as expected; 1 after a failure (an unusable instance, an
    answer that contradicts a known fact, a regression to UNKNOWN, an invalid certificate, a
    slowdown, too small a recall, more dimensions in a number format than a manifest expects); 2 for
    bad usage (or an --expect file that matches no instance).
    """
    similarity, formats = options.choose_similarity(
        similarity, [] if arithmetic is None else [arithmetic]
    )
    questions = [
        Question(
            task,
            similarity=similarity,
            arithmetic=formats[0] if formats else None,
            d=1 if task == "decide" and d is None else d,
            unit="entries" if entries else None,
            **parameters,
            graph=graph,
            certificates=None if certificates is None else str(Path(certificates).absolute()),
            embeddings=None if embeddings is None else str(Path(embeddings).absolute()),
            runs=None if runs is None else str(Path(runs).absolute()),
        )
        for graph in dict.fromkeys(map(_absolute, graphs)) or (None,)
    ]
    if slower is not None and not expected:
        raise InputError("--slower compares with an earlier result file: name one with --expect")
    if recall is not None and task != "furthest":
        raise InputError("--recall is for the task furthest")
    outputs = [*exports, junit, summary_file]
    keep_apart([results, certificates, *expected, *sources, *graphs], outputs)
    keep_apart([*sources, *graphs], [results])
    for question in questions:  # Refuse bad masks and unreadable files now, not hours later
        if question.graph is not None:
            require_graph(question.graph)
        with_earlier(expected, question, results)
    document = None if junit is None else Junit()
    failed = False
    answered: list[tuple[Question, set[str]]] = []
    for question in questions:
        try:
            with follow_run(log_json=log_json, quiet=quiet) as listener:
                done = run(
                    sources,
                    question,
                    results,
                    jobs=jobs,
                    scheduler=scheduler,
                    cluster=cluster,
                    resume=resume,
                    listener=listener,
                )
        except KeyboardInterrupt:
            echo(
                f"samapprox: finished results are in {results}; run the same command again to "
                "continue",
                err=True,
            )
            raise
        summary = _judged(done, question, results, expected, slower, recall, document)
        failed |= bool(summary.failures)
        if summary_file is not None:
            with file_errors(summary_file), Path(summary_file).open("a", encoding="utf-8") as page:
                page.write(markdown(summary) + os.linesep)
        if as_json:
            print_json(summary.to_json(results=results, skipped=done.skipped))
        else:
            _print(summary, done, results, listener.printed)
        answered.append((question, done.names))
    if junit is not None and document is not None:
        document.write(junit)
    with Store(results) as store:
        for path in exports:
            export(store, path)
    for question, names in answered:
        require_match(expected, question, results, names)
    return 1 if failed else 0


def _absolute(graph: str) -> str:
    """The name of a mask, or the whole path of its file, which results are stored with."""
    return graph if graph == "-" or require_mask(graph) else str(Path(graph).absolute())


def _judged(
    done: Run,
    question: Question,
    results: str,
    expected: Iterable[str],
    slower: float | None,
    recall: float | None,
    document: Junit | None,
) -> Summary:
    """Compare the results with the expected ones, and summarize them."""
    inform, earlier = with_earlier(expected, question, results)
    with Store(results) as store:
        own = (one for one in store.outcomes(done.question) if one.name in done.names)
        judged = judge(
            map(inform, own),
            earlier,
            slower=slower,
            recall=recall,
            number_format=question.number_format if question.task == "dim" else None,
        )
        return summarize(question, judged if document is None else document.add(question, judged))


def _print(summary: Summary, done: Run, results: str, printed: Collection[Failure]) -> None:
    """Print the counts, and the failures that were not printed during the run."""
    verdicts = ", ".join(
        f"{summary.verdicts[verdict]} {paint(verdict)}"
        for verdict in summary.columns
        if summary.verdicts[verdict]
    )
    before = f" ({done.skipped} from earlier runs)" if done.skipped else ""
    failures = f"; {plural(len(summary.failures), 'failure')}" if summary.failures else ""
    instances = plural(summary.verdicts.total(), "instance")
    echo_answer(f"{summary.question}: {instances}{before}: {verdicts}{failures}; in {results}")
    if summary.values:
        print_table(
            (KNOWN_TASKS[summary.question.task].short, "instances"),
            [(answer, str(count)) for answer, count in summary.answers],
        )
    if summary.recall is not None:
        echo(
            f"{percent(summary.recall.mean)} of the furthest vectors are found on average, "
            f"{percent(summary.recall.least)} at least"
        )
    unseen = [failure for failure in summary.failures if failure not in printed]
    for failure in unseen[:_MOST_SHOWN]:
        echo(str(failure))
    if len(unseen) > _MOST_SHOWN:
        more = plural(len(unseen) - _MOST_SHOWN, "more failure")
        echo(f".. {more}; --json prints all")
