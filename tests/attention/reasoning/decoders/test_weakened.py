"""Weakened decoders are wrong: with smaller blocks, soft attention, or inexact products."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.attention.decoders import TASK, build_pair, count_wrong, write

from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.decoders import assembly
from samapprox.attention.reasoning.decoders.program import (
    build_decoder,
    make_program,
    run_decoder,
)


@pytest.mark.parametrize("model", ["sparse", "linear"])
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_blocks_below_the_root_of_the_length_are_not_enough(model: str, share: float) -> None:
    [chain] = TASK.generate(6, seed=1)
    side = int(share * 9)
    run = run_decoder(TASK, chain, model, side=side)
    assert run.mistake is not None
    assert run.mistake.position >= side * side  # positions up to there are still told apart
    assert run_decoder(TASK, chain, model, side=9).mistake is None
    assert run_decoder(TASK, chain, model, side=12).mistake is None


@pytest.mark.parametrize("b", [6, 8, 10])
def test_a_mask_with_blocks_of_another_size_is_wrong(b: int) -> None:
    decoder, chains = build_pair(6, 5, "sparse")
    other = replace(decoder, graph=block_sparse(decoder.length, b))
    assert count_wrong(write(other, chains), chains) > 0


@pytest.mark.parametrize(
    ("model", "module", "name"),
    [
        ("linear", assembly, "aggregation_scale"),
        ("sparse", assembly, "copying_gap"),
        ("standard", assembly, "copying_gap"),
    ],
)
def test_the_margin_breaks_when_attention_is_too_soft(
    monkeypatch: pytest.MonkeyPatch, model: str, module: object, name: str
) -> None:
    exact = getattr(module, name)
    margins, wrong = [], []
    for share in (1.0, 0.6, 0.4, 0.1):
        monkeypatch.setattr(module, name, lambda *a, s=share: s * exact(*a))
        decoder, chains = build_pair(4, 10, model)
        found = write(decoder, chains)
        margins.append(found.margin)
        wrong.append(count_wrong(found, chains))
    assert wrong[0] == 0
    assert margins[0] > 0.499 > margins[2]
    assert wrong[-1] > 0


def test_the_margin_breaks_when_products_are_inexact() -> None:
    [chain] = TASK.generate(6, seed=1)
    program = make_program(TASK, chain)
    margins = [
        write(build_decoder(program, "linear", error=error), [chain]).margin
        for error in (0.05, 5.0, 50.0)
    ]
    assert margins == sorted(margins, reverse=True)
    assert margins[0] > 0.499
    assert count_wrong(write(build_decoder(program, "linear", error=5e5), [chain]), [chain]) > 0


def test_the_margin_breaks_when_gelu_is_far_from_relu() -> None:
    [chain] = TASK.generate(4, seed=1)
    program = make_program(TASK, chain)
    assert count_wrong(write(build_decoder(program, "linear", scale=16.0), [chain]), [chain]) == 0
    assert count_wrong(write(build_decoder(program, "linear", scale=0.5), [chain]), [chain]) > 0
