"""`samapprox cot locality`: what the tokens of a chain of thought depend on."""

from __future__ import annotations

from pathlib import Path

import click

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, Spec, read_attention
from samapprox.attention.reasoning.documents import parse_chain
from samapprox.attention.reasoning.known_tasks import TASKS
from samapprox.attention.reasoning.locality.dependencies import (
    leading_tokens,
    live_width,
    parse_needs,
    require_needs,
)
from samapprox.attention.reasoning.locality.dependencies import locality as measure_locality
from samapprox.attention.reasoning.locality.hearing import Hearing, SummaryLoad, hear, summary_load
from samapprox.attention.reasoning.locality.order import BestOrder
from samapprox.attention.reasoning.locality.report import LocalityReport
from samapprox.cli import options
from samapprox.cli.files import PICTURE, keep_apart, read_text
from samapprox.cli.options.masks import complete_mask
from samapprox.cli.options.tasks import choose_chain, task_or_file
from samapprox.cli.terminal import echo, echo_answer, paint_first, print_json, show_progress
from samapprox.errors import errors_within
from samapprox.support.text import plural

_LAYERS = 3  # of the models of Yang et al. (2024)


@click.command()
@task_or_file
@click.option("--given", type=int, help="Number of given tokens in a file of edges.")
@click.option(
    "--mask",
    shell_complete=complete_mask,
    help="Find out what each step can have heard of, on this mask: see `samapprox graph --help`.",
)
@click.option("--layers", type=int, help=f"With --mask: number of layers ({_LAYERS} by default).")
@click.option("--order", is_flag=True, help="Find an order of least live width.")
@options.time_limit(
    "Stop the search of --order after this many seconds, with bounds.", default=20.0
)
@click.option(
    "-o", "--output", type=PICTURE, help="Picture of needs and live width to write: png, svg, pdf."
)
@options.as_json
def locality(
    source: str,
    size: int | None,
    seed: int,
    text: str | None,
    given: int | None,
    mask: str | None,
    layers: int | None,
    order: bool,
    time_limit: float,
    output: str | None,
    as_json: bool,
) -> None:
    """Measure what the tokens of a chain depend on.

    TASK is a task with --size or --input, as for `samapprox cot generate`, a file with a chain, or
    a text file with a line `i j` for each token j that token i is computed from. In such a file,
    tokens count from 0, and the first tokens that need none are the given ones, unless --given says
    otherwise.

    The command prints the least m of m-locality (Yang et al. 2024, Definition 5.3), and the live
    width: the number of values that are needed later, at the place where it is greatest. With
    --mask, it finds a path through the layers from each needed token to the position that predicts
    the next token, or names the first step that lacks one. For block-sparse masks, it also counts
    the values that must pass the summary tokens.
    """
    keep_apart([source, mask], [output])
    if layers is not None and mask is None:
        raise InputError("--layers needs --mask")
    with show_progress(f"reading {source}"):
        needs, given = _read(source, size, seed, text, given)
    with show_progress("measuring the needs"):
        found, live = measure_locality(needs, given), live_width(needs)
    best = hearing = summaries = None
    if order:
        from samapprox.attention.reasoning.locality.order import best_order

        with show_progress("searching for the best order"):
            best = best_order(needs, given, time_limit=time_limit, seed=seed)
    if mask is not None:
        with show_progress("following the mask"):
            attention = read_attention(mask, needs.n)
            hearing = hear(needs, attention, _LAYERS if layers is None else layers)
            summaries = _summaries(needs, mask, hearing.layers)
    report = LocalityReport(
        source=source,
        size=size,
        seed=None if size is None else seed,
        needs=needs,
        given=given,
        locality=found,
        live=live,
        best=best,
        mask=mask,
        hearing=hearing,
        summaries=summaries,
    )
    if output is not None:
        _draw(report, output)
    if as_json:
        print_json(report.to_json())
        return
    for line in describe(report):
        echo_answer(line)
    if output is not None:
        echo(output)


def _read(
    source: str, size: int | None, seed: int, text: str | None, given: int | None
) -> tuple[AttentionGraph, int]:
    """Return the needs of a task or a file, and the number of given tokens."""
    is_task = source.partition(":")[0] in TASKS
    is_file = source == "-" or Path(source).exists()
    if is_task or size is not None or text is not None or not is_file:
        chain = choose_chain(source, size, seed, text).chain
    else:
        content = read_text(source)
        with errors_within(source):
            if not content.lstrip().startswith("{"):
                needs = parse_needs(content)
                given = leading_tokens(needs) if given is None else given
                require_needs(needs, given)
                return needs, given
            chain = parse_chain(content).chain
    if given is not None:
        raise InputError("--given is for files of edges; a chain has its own given tokens")
    return chain.needs, chain.given


def _summaries(needs: AttentionGraph, mask: str, layers: int) -> SummaryLoad | None:
    """Return the load of summary tokens, for block-sparse masks."""
    if mask.partition(":")[0] != "block-sparse":
        return None
    sizes = {name: int(value) for name, value in Spec.parse(mask).parameters.items()}
    return summary_load(needs, layers=layers, **sizes)


def _draw(report: LocalityReport, output: str) -> None:
    from samapprox.attention.reasoning.locality.report import draw_needs
    from samapprox.pictures import save_picture

    with show_progress("drawing"):
        title = f"{report.source}, {plural(report.needs.n, 'token')}"
        figure = draw_needs(report.needs, report.given, best=report.best, title=title)
        save_picture(figure, output)


def describe(report: LocalityReport) -> list[str]:
    """Describe the measures, one on a line."""
    lines = [
        f"tokens: {report.needs.n}, {report.given} of them given",
        f"needs: {report.needs.edges}",
        f"locality: {_locality(report)}",
        f"live width: {report.live.greatest} of {report.needs.n}, before token {report.live.place}",
    ]
    if report.best is not None:
        lines.append(f"best order: {_order(report.best)}")
    if report.hearing is not None:
        layers = plural(report.hearing.layers, "layer")
        lines.append(f"{report.mask}, {layers}: {paint_first(_heard(report.hearing))}")
    if report.summaries is not None:
        lines += _load(report.summaries)
    return lines


def _locality(report: LocalityReport) -> str:
    found = report.locality
    own = f"m = {found.generated} among generated tokens{_edge(found.generated_edge)}"
    return f"{own}, {found.everything} with the input{_edge(found.everything_edge)}"


def _edge(edge: tuple[int, int] | None) -> str:
    return "" if edge is None else " (token {} needs {})".format(*edge)


def _order(best: BestOrder) -> str:
    searched = f"{plural(best.sets, 'down-set')} searched"
    if best.width == best.lower:
        return f"live width {best.width}, the least possible ({searched})"
    if best.optimal:
        return (
            f"live width {best.width}, the least possible as CP-SAT claims "
            f"(proven: at least {best.lower}; {searched})"
        )
    claimed = "" if best.claimed == best.lower else f", CP-SAT claims at least {best.claimed}"
    return f"live width {best.width}; proven: at least {best.lower} ({searched}){claimed}"


def _heard(hearing: Hearing) -> str:
    if hearing.complete:
        depth = plural(hearing.depth, "layer")
        return f"YES, each step can have heard of all that it needs (after {depth})"
    token, need = hearing.missing[0].tolist()
    steps = len({step for step, _ in hearing.missing.tolist()})
    lost = f"{plural(len(hearing.missing), 'need')} of {plural(steps, 'step')}"
    return (
        f"NO, position {token - 1}, which predicts token {token}, cannot have heard of token "
        f"{need}, which it needs ({lost} in all)"
    )


def _load(found: SummaryLoad) -> list[str]:
    if not found.far.size:
        return [f"summary tokens: no value must pass; windows alone reach {found.reach} positions"]
    lost = f"; {len(found.lost)} cannot" if found.lost.size else ""
    lines = [
        f"summary tokens: {plural(len(found.far), 'value')} must pass, at most "
        f"{found.blocks.max()} of a block (needed over more than {found.reach} positions{lost})"
    ]
    if found.crowd is not None:
        crowd = found.crowd
        lines.append(
            f"load of a summary token: at least {found.load} "
            f"({plural(crowd.values, 'value')} of the tokens {crowd.first} to {crowd.last} reach "
            f"{plural(crowd.carriers, 'summary token')})"
        )
    return lines
