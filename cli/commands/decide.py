"""`samapprox decide`."""

from __future__ import annotations

import json
from typing import Any, cast

import click

from samapprox import InputError, Problem, Verdict
from samapprox import decide as decide_pattern
from samapprox.cli.document import document_head
from samapprox.cli.options import (
    arithmetic_option,
    causal_option,
    keep_apart,
    memory_limit_option,
    pattern_argument,
    read_pattern,
)
from samapprox.cli.precision import in_words, precision
from samapprox.cli.progress import show_progress
from samapprox.cli.written import FILE
from samapprox.pictures.headline import headline
from samapprox.proofs.words import explain
from samapprox.verdict import Interrupted, Status

__all__ = ["EXIT_CODES", "decide", "print_verdict"]

EXIT_CODES = {Status.YES: 10, Status.NO: 20, Status.UNKNOWN: 30}


@click.command()
@pattern_argument
@click.option("-d", "d", type=int, default=1, show_default=True, help="Query/key dimension.")
@click.option("--d-hid", type=int, help="Hidden dimension of X; below 2d queries and keys share X.")
@causal_option
@click.option(
    "--only", "--method", multiple=True, help="Use this strategy alone (may be repeated)."
)
@click.option("--without", multiple=True, help="Leave this strategy out (may be repeated).")
@click.option(
    "--time-limit", type=float, default=60.0, show_default=True, help="Seconds until UNKNOWN."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same choices.")
@memory_limit_option
@arithmetic_option
@click.option("--certificate", type=FILE, help="Save the certificate to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.option("--exit-code", is_flag=True, help="Exit with 10 for YES, 20 for NO, 30 for UNKNOWN.")
@click.pass_context
def decide(
    ctx: click.Context,
    source: str,
    file_format: str | None,
    key: str | None,
    d: int,
    d_hid: int | None,
    causal: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    time_limit: float,
    seed: int,
    memory_limit: int | None,
    arithmetics: tuple[str, ...],
    certificate: str | None,
    as_json: bool,
    exit_code: bool,
) -> None:
    """Can attention with query/key dimension d show PATTERN?

    Prints YES or NO with the reason, checked exactly; UNKNOWN with the bounds that are proven.
    PATTERN is a file (npz, npy, csv or txt of 0/1/*, mtx, qrels, tsv, jsonl) or - for standard
    input.
    """
    keep_apart([source], [certificate])
    pattern = read_pattern(source, file_format, key, causal)
    try:
        with show_progress(time_limit) as progress:
            verdict = decide_pattern(
                pattern,
                d,
                d_hid,
                time_limit=time_limit,
                seed=seed,
                only=only,
                without=without,
                memory_limit=memory_limit,
                progress=progress,
            )
    except InputError as error:
        raise error.within(source) from None
    except Interrupted as interrupt:
        for line in _trail(cast(Verdict, interrupt.so_far)):
            click.echo(line, err=True)
        raise
    if certificate is not None and verdict.certificate is not None:
        verdict.certificate.save(certificate)
    room = precision(pattern, verdict.proof, arithmetics)
    if as_json:
        click.echo(json.dumps({**_document(source, verdict, causal), "precision": room}))
    else:
        print_verdict(verdict, certificate)
        for line in in_words(pattern, room):
            click.echo(line)
    if exit_code:
        ctx.exit(EXIT_CODES[verdict.status])


def print_verdict(verdict: Verdict, certificate: str | None) -> None:
    """The answer in words, and what became of its certificate."""
    click.echo(headline(verdict))
    if verdict.proof is not None:
        for line in explain(verdict.problem, verdict.proof):
            click.echo(line)
    else:
        for line in _trail(verdict):
            click.echo(line)
        if certificate is not None:
            click.echo("samapprox: no certificate to save for UNKNOWN", err=True)
    if verdict.certificate is not None and certificate is not None:
        click.echo(f"samapprox: certificate saved to {certificate}", err=True)


def _trail(verdict: Verdict) -> list[str]:
    """What the strategies said, one a line."""
    return [f"  {attempt.strategy}: {attempt.outcome}" for attempt in verdict.trail]


def _document(source: str, verdict: Verdict, causal: bool) -> dict[str, Any]:
    """What `--json` prints: see `schemas/verdict.schema.json`."""
    problem: Problem = verdict.problem
    pattern = problem.pattern
    stars = pattern.unspecified
    proof = verdict.proof
    return {
        **document_head("verdict"),
        "pattern": {
            "source": source,
            "rows": pattern.shape[0],
            "columns": pattern.shape[1],
            "ones": pattern.count,
            "unspecified": 0 if stars is None else int(stars.row_counts.sum()),
        },
        "problem": {"d": problem.d, "d_hid": problem.d_hid, "causal": causal},
        "answer": verdict.status.value,
        "weak_dimension": {"lower": verdict.lower, "upper": verdict.upper},
        "proof": None if proof is None else proof.to_json(),
        "explanation": [] if proof is None else explain(problem, proof),
        "trail": [
            {"strategy": step.strategy, "seconds": step.seconds, "outcome": step.outcome}
            for step in verdict.trail
        ],
        "seconds": verdict.seconds,
    }
