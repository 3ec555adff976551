"""`samapprox cot replay`: compute chains of thought again, token by token."""

from __future__ import annotations

import sys

import click

from samapprox.attention.reasoning.documents import mistake_of, parse_chains
from samapprox.attention.reasoning.replay import Mistake
from samapprox.cli.completion import complete_files
from samapprox.cli.options import json_option
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity
from samapprox.cli.reading import read_text
from samapprox.cli.terminal import echo_answer
from samapprox.errors import InputError
from samapprox.support.document import document_head
from samapprox.support.plural import plural

__all__ = ["replay"]


@click.command()
@click.argument("file", type=click.Path(), shell_complete=complete_files([".json", ".jsonl"]))
@json_option
def replay(file: str, as_json: bool) -> None:
    """Compute chains again and find the first mistake.

    FILE holds what `samapprox cot generate --json` prints, one document on each line; - is standard
    input. Each token is computed from the tokens that it needs. The replay compares the tokens,
    their needs, the answer, and what a document says for people (words, size and seed). It stops at
    the first mistake. Exit status: 0 all valid, 1 not valid.
    """
    text = read_text(file)
    chains = tokens = 0
    mistake: Mistake | None = None
    with show_activity("replaying"):
        try:
            for one in parse_chains(text):
                chains += 1
                tokens += len(one.chain)
                mistake = mistake_of(one)
                if mistake is not None:
                    break
        except InputError as error:
            raise error.within(file) from None
    if as_json:
        print_json(
            {
                **document_head("cot-replay"),
                "source": file,
                "valid": mistake is None,
                "chains": chains,
                "tokens": tokens,
                "mistake": None if mistake is None else _to_json(mistake, chains - 1),
            }
        )
    elif mistake is None:
        echo_answer(f"VALID: {plural(chains, 'chain')}, {plural(tokens, 'token')}")
    else:
        place = "" if chains == 1 else f"chain {chains - 1}: "
        echo_answer(f"NOT VALID: {place}{mistake}")
    sys.exit(0 if mistake is None else 1)


def _to_json(mistake: Mistake, chain: int) -> dict[str, object]:
    return {
        "chain": chain,
        "token": mistake.position,
        "found": None if mistake.found is None else list(mistake.found),
        "expected": None if mistake.expected is None else list(mistake.expected),
        "needs": list(mistake.needs),
        "text": mistake.text,
    }
