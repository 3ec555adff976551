"""`verify --embedding`, and answers that outlive the measuring of their precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run

from samapprox import Certificate, Pattern, Problem
from samapprox.proofs import MomentCurve, exact

WINDOW = Pattern.from_text("11000\n01100\n00110\n00011\n10001")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(WINDOW.to_text())
    proof = MomentCurve(2, "columns", range(5))
    Certificate.of(Problem(WINDOW, 2), proof).save("yes.json")


def test_numbers_of_a_moment_curve() -> None:
    result = run("verify", "p.txt", "yes.json", "--embedding", "e.npz")
    assert result.exit_code == 0
    assert "embedding saved to e.npz" in result.stderr
    with np.load("e.npz") as arrays:
        assert arrays["keys"].shape == (5, 2)
    assert run("verify", "p.txt", "yes.json", "--embedding", "e.json").exit_code == 0
    assert run("verify", "p.txt", "e.json").stdout.startswith("VALID: YES for d = 2")


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    run("decide", "p.txt", "--certificate", "no.json")
    refused(run("verify", "p.txt", "no.json", "--embedding", "e.npz"), "a refutation has no")
    refused(run("verify", "p.txt", "yes.json", "--embedding", "e.txt"), "as .npz or .json")
    refused(run("verify", "p.txt", "yes.json", "--embedding", "yes.json"), "would be overwritten")
    monkeypatch.setattr(exact, "MOST_NUMBERS", 10)
    refused(run("verify", "p.txt", "yes.json", "--embedding", "e.npz"), "e.npz: the embedding has")
    assert not Path("e.npz").exists()


def test_nothing_is_written_for_a_certificate_of_another_pattern() -> None:
    Path("q.txt").write_text("10\n01")
    result = run("verify", "q.txt", "yes.json", "--embedding", "e.npz")
    assert result.exit_code == 1
    assert not Path("e.npz").exists()


def test_numbers_too_many_for_an_arithmetic_cost_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_NUMBERS", 10)
    result = run("verify", "p.txt", "yes.json", "--arithmetic", "float16")
    assert (result.exit_code, result.stdout) == (0, "VALID: YES for d = 2\n")
    assert "--arithmetic has no effect: the embedding has" in result.stderr


def test_an_interrupt_while_the_precision_is_measured_costs_no_certificate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("samapprox.cli.pattern.bounds.precision", interrupt)
    result = run("decide", "p.txt", "-d", "2", "--certificate", "found.json")
    assert result.stdout.startswith("YES: attention with d = 2")
    assert Certificate.load("found.json").verify(WINDOW).valid
