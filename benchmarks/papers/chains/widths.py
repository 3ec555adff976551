"""The width of decoders of every task and architecture, and the tokens that they write wrong."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from samapprox.attention.reasoning.base import Chain, Task
from samapprox.attention.reasoning.decoders.decoder import Decoder, generate
from samapprox.attention.reasoning.decoders.program import (
    MODELS,
    Program,
    build_decoder,
    make_program,
)
from samapprox.attention.reasoning.known_tasks import make_task

__all__ = ["SIZES", "Measured", "find_longest", "measure_decoders", "read", "write"]

SIZES = {
    "edit-distance": (6, 12, 16, 20),
    "arithmetic": (6, 10, 13, 16),
    "turing-machine": (10, 16, 22, 28),
    "lis": (40, 110, 175, 250),
}
"""Task -> the sizes of the paper; for Turing machines, tapes whose palindromes take as long."""

INSTANCES = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """A decoder of the longest of some chains, and what it wrote for all of them: a csv line."""

    task: str
    size: int
    model: str
    length: int
    side: int
    width: int
    depth: int
    heads: int
    hidden: int
    tokens: int
    wrong: int
    margin: float
    wrong_32: int
    margin_32: float


def measure_decoders(known: Iterable[Measured] = ()) -> Iterator[Measured]:
    """Measure tasks, sizes and models that are not known, with random instances from seed 0 on."""
    there = {(one.task, one.size, one.model) for one in known}
    for name, sizes in SIZES.items():
        task = make_task(name)
        for size in sizes:
            chains = list(task.generate(size, count=INSTANCES))
            program = find_longest(task, chains)
            for model in MODELS:
                if (name, size, model) not in there:
                    yield _measure(task, size, model, chains, program)


def find_longest(task: Task, chains: list[Chain]) -> Program:
    """Return the programme of the longest chain, with the greatest reach of all."""
    programs = [make_program(task, chain) for chain in chains]
    program = max(programs, key=lambda one: one.length)
    reach = max(one.reach for one in programs)
    any_kind: Any = program  # each kind is a data class of its own
    widest: Program = program if program.reach == reach else replace(any_kind, reach=reach)
    return widest


def _measure(task: Task, size: int, model: str, chains: list[Chain], program: Program) -> Measured:
    decoder = build_decoder(program, model)
    side = MODELS[model].choose_side(None, length=program.length, reach=program.reach)
    tokens = sum(len(chain) - chain.given for chain in chains)
    double, single = (_write(decoder.with_bits(bits), chains) for bits in (64, 32))
    shape = (decoder.width, decoder.depth, decoder.heads, decoder.hidden)
    return Measured(task.name, size, model, decoder.length, side, *shape, tokens, *double, *single)


def _write(decoder: Decoder, chains: list[Chain]) -> tuple[int, float]:
    """Let a decoder write chains; return the number of wrong tokens, and the least margin."""
    wrong, margin = 0, 0.5
    for given in sorted({chain.given for chain in chains}):
        alike = [chain for chain in chains if chain.given == given]
        found = generate(decoder, np.stack([chain.tokens[:given] for chain in alike]))
        for chain, tokens, outputs in zip(alike, found.tokens, found.outputs, strict=True):
            end = len(chain)
            wrong += int((tokens[:end] != chain.tokens).any(axis=1).sum())
            off = np.abs(outputs[:end] - tokens[:end]).max()
            margin = min(margin, float(0.5 - off))
    return wrong, margin


def write(path: Path, found: Iterable[Measured]) -> None:
    """Add lines to a csv, each as soon as it is measured."""
    begins = not path.exists()
    with path.open("a", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        if begins:
            table.writerow([field.name for field in fields(Measured)])
        for one in found:
            table.writerow([f"{x:.5f}" if isinstance(x, float) else x for x in astuple(one)])
            stream.flush()


def read(path: Path) -> list[Measured]:
    """Read a csv; no lines if there is none."""
    if not path.exists():
        return []
    kinds = {"str": str, "int": int, "float": float}
    readers = [kinds[str(field.type)] for field in fields(Measured)]
    with path.open(newline="") as stream:
        lines = list(csv.reader(stream))[1:]
    return [
        Measured(*(reader(x) for reader, x in zip(readers, line, strict=True))) for line in lines
    ]
