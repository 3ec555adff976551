"""`samapprox graph check`: whether sparse attention on a mask is universal."""

from __future__ import annotations

import click

from samapprox.attention.graphs.universality import universality
from samapprox.cli.graph.findings import Findings, deep, map_option, measure_concentration
from samapprox.cli.options import json_option, time_limit_option
from samapprox.cli.options.masks import mask_argument, read_mask
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity, show_progress
from samapprox.cli.terminal import echo_answer

__all__ = ["check"]


@click.command(short_help="Check whether MASK is universal, with a witness.")
@mask_argument
@click.option("--path", is_flag=True, help="Search for a Hamiltonian path (Assumption 1.2).")
@time_limit_option("With --path: stop the search after this many seconds.", default=20.0)
@map_option
@click.option(
    "--d", type=int, help="With --delta: embedding dimension, for the depth of the construction."
)
@click.option("--delta", help="With --d: grid step of the construction, 1/2, 1/3, ..")
@json_option
def check(
    mask: str,
    n: int | None,
    file_format: str | None,
    key: str | None,
    path: bool,
    time_limit: float,
    rho: str | None,
    zeta: float | None,
    eta: float | None,
    d: int | None,
    delta: str | None,
    as_json: bool,
) -> None:
    """Check whether transformers on MASK can approximate every continuous function.

    They can if every token attends to itself and hears of every other, which a walk through all
    tokens shows. Assumption 1 of Yun et al. (2020) also requires a Hamiltonian path, which --path
    searches for. Theorem 1 of Zaheer et al. (2020) requires a star.

    With --zeta and --eta, the command finds t of Assumption 2: the least t for which the
    probability map of t times the scores gives at least 1 - eta to a key that leads by zeta. With
    --d and --delta, it counts the blocks that the theorem needs.
    """
    attention = read_mask(mask, n, file_format, key)
    with show_activity("measuring the probability map"):
        scale = measure_concentration(attention, rho, zeta, eta)
    if path:
        with show_progress(time_limit) as progress:
            found = universality(attention, path=True, time_limit=time_limit, progress=progress)
    else:
        with show_activity("searching for a walk"):
            found = universality(attention)
    depth = deep(attention, found, d, delta)
    name = None if scale is None else rho or "softmax"
    findings = Findings(mask, attention.n, found, name, scale, depth)
    if as_json:
        print_json(findings.document())
        return
    for line in findings.lines():
        echo_answer(line)
