"""`samapprox decide`."""

from __future__ import annotations

from typing import Any

import click

from samapprox import Problem, Status, Verdict
from samapprox import decide as decide_pattern
from samapprox.cli import options
from samapprox.cli.files import keep_apart, save_certificate, words_to_stderr
from samapprox.cli.terminal import echo, echo_answer, fit_terminal, print_json, show_progress
from samapprox.errors import InputError, Interrupted, errors_within
from samapprox.instance import Grading
from samapprox.problem import require_hidden_dimension, require_one_question

_WHERE_BOUNDS_ARE = "--json prints the certificates of the bounds"
_NOTHING_LEFT = "no strategy has more to try in this time"
_OUT_OF_MEMORY = "exceeded the memory limit"
_NEARLY = 0.9  # share of the time limit after which a longer one may help


@click.command()
@options.pattern
@options.dimensions
@options.similarity
@options.causal
@options.strategies
@options.time_limit()
@options.seed()
@options.memory_limit
@options.arithmetics
@options.certificate
@options.saved_embedding()
@options.as_json
@options.exit_code
@click.option("--verbose", is_flag=True, help="For UNKNOWN: also print why each strategy gave up.")
def decide(
    source: options.Source,
    d: int,
    d_hid: int | None,
    similarity: str,
    time_limit: float,
    arithmetics: tuple[str, ...],
    certificate: str | None,
    saved: options.SavedEmbedding,
    as_json: bool,
    exit_code: bool,
    verbose: bool,
    **limits: Any,
) -> int:
    """Decide whether attention with query/key dimension d can represent PATTERN.

    The answer is YES or NO with the reason, checked exactly, or UNKNOWN with the proven bounds.
    PATTERN is a file (npz, npy, csv or txt of 0/1/*, mtx, qrels, tsv, jsonl) or - for standard
    input.
    """
    similarity, arithmetics = options.choose_similarity(similarity, arithmetics)
    keep_apart([source.path], [certificate, saved.save_embedding])
    if saved.save_embedding is not None and len(arithmetics) > 1:
        raise InputError("--save-embedding saves one number format; give one --arithmetic")
    saved.require_place(arithmetics)
    if saved.save_embedding is not None and d_hid is not None:
        raise InputError("--save-embedding saves queries and keys, which --d-hid does not ask for")
    aside = words_to_stderr(certificate, as_json=as_json)
    require_hidden_dimension(d, d_hid)
    require_one_question(d_hid, similarity)
    if arithmetics:
        from samapprox.cli.pattern.bounds import (  # only then
            require_dot_products,
            require_ranges,
        )

        require_dot_products(arithmetics, similarity)
        require_ranges(arithmetics, d)
    instance = source.read()
    pattern, grading = instance.pattern, Grading.of_origin(instance.origin)
    with errors_within(source.path):
        Problem(pattern, d, d_hid, similarity)
    try:
        with show_progress(time_limit=time_limit) as progress:
            verdict = decide_pattern(
                pattern,
                d,
                d_hid,
                similarity=similarity,
                time_limit=time_limit,
                progress=progress,
                **limits,
            )
    except Interrupted as interrupt:
        for line in interrupt.so_far.explain():
            echo(f"  {line}", err=True)
        raise
    try:
        if not as_json:
            with fit_terminal(err=aside):
                echo_answer("\n".join(_describe(verdict, time_limit, verbose=verbose)), err=aside)
        room, words = _measure_precision(verdict, arithmetics)
        if as_json:
            print_json(verdict.to_json(**source.origin, grading=grading, precision=room))
        for line in () if as_json else words:
            echo(line, err=aside)
    finally:  # neither an interrupt nor a reader of a pipe that closes it loses the certificate
        if certificate is not None:
            save_verdict(verdict, certificate)
    saved.write(pattern, verdict.proof, similarity, arithmetics[0] if arithmetics else None)
    return options.EXIT_CODES[verdict.status] if exit_code else 0


def _describe(verdict: Verdict, time_limit: float, *, verbose: bool) -> list[str]:
    """Describe the answer and its reason; for UNKNOWN, the proven bounds and a line of advice."""
    if verdict.status is not Status.UNKNOWN:
        return str(verdict).splitlines()
    brief = verdict if verbose else verdict.amend(trail=())
    out_of_time = verdict.seconds > _NEARLY * time_limit
    more = ["--verbose says why strategies gave up"] * (not verbose)
    more += ["--json has the certificates"] * ((verdict.below, verdict.above) != (None, None))
    out_of_memory = any(_OUT_OF_MEMORY in attempt.outcome for attempt in verdict.trail)
    advice = "try a longer --time-limit" if out_of_time else _NOTHING_LEFT
    advice = "try a larger --memory-limit" if out_of_memory else advice
    advice += f"; {', '.join(more)}" if more else ""
    return [*str(brief).splitlines(), f"  ({advice})"]


def _measure_precision(
    verdict: Verdict, arithmetics: tuple[str, ...]
) -> tuple[dict[str, Any] | None, list[str]]:
    """Measure the precision of a YES, for its document and in words."""
    if verdict.status is not Status.YES:
        return None, []
    from samapprox.cli.pattern.bounds import in_words, precision

    with show_progress("measuring the precision"):
        room = precision(verdict.problem.pattern, verdict.proof, arithmetics)
    return room, in_words(verdict.problem.pattern, room)


def save_verdict(verdict: Verdict, target: str) -> None:
    """Save the certificate of a verdict; UNKNOWN has none."""
    if verdict.certificate is None:
        echo(f"samapprox: UNKNOWN has no certificate to save; {_WHERE_BOUNDS_ARE}", err=True)
    else:
        save_certificate(verdict.certificate, target)
