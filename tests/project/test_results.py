"""The table of least dimensions: every line has its certificates, and a sample of them holds."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from samapprox import Certificate, InputError

results = import_module("results")
QUESTIONS = {question.name: question for question in results.questions([32, 64, 128])}
LINES = results.lines()
SMALL = [line for line in LINES.values() if line.rows <= 32]


def test_lines_are_about_questions_that_are_asked() -> None:
    assert set(LINES) <= set(QUESTIONS)
    for line in LINES.values():
        assert 1 <= line.lower <= line.upper
        assert line.command.startswith("samapprox ")
    stored = {line.certificate(side) for line in LINES.values() for side in ("no", "yes")}
    assert set(results.CERTIFICATES.iterdir()) <= stored


def test_all_of_it_is_small() -> None:
    assert sum(path.stat().st_size for path in results.CERTIFICATES.iterdir()) < 3_000_000


@pytest.mark.parametrize("line", SMALL[::2], ids=lambda line: line.name)
def test_bounds_hold(line: results.Line) -> None:
    assert results.fault(line, QUESTIONS[line.name]) is None


def test_wrong_lines_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = LINES["random, n = 32"]
    question = QUESTIONS[line.name]
    for wrong in (replace(line, lower=line.lower - 1), replace(line, upper=line.upper + 1)):
        assert "is about" in str(results.fault(wrong, question))
    assert "the pattern is" in str(results.fault(replace(line, rows=31), question))
    other = QUESTIONS["random, n = 32, causal"]
    assert "another pattern" in str(results.fault(line, other))
    monkeypatch.setattr(results, "CERTIFICATES", tmp_path)
    assert "no certificate for NO" in str(results.fault(line, question))


def test_a_wider_interval_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "CERTIFICATES", tmp_path / "certificates")
    monkeypatch.setattr(results, "TABLE", tmp_path / "dimensions.csv")
    question = QUESTIONS["star, n = 32, causal"]
    line, proofs = results.answered(question, 20, [])
    results.keep(line, proofs)
    assert results.fault(results.lines()[line.name], question) is None
    results.keep(replace(line, lower=1, upper=31), {})
    assert results.lines() == {line.name: line}
    results.keep(replace(line, lower=1, command="worse", seconds=1.0), {})
    assert results.lines() == {line.name: line}
    assert results.fault(line, question) is None


def test_each_side_keeps_its_better_bound() -> None:
    line = replace(LINES["star, n = 64"], lower=2, upper=5, command="a", seconds=1.0)
    other = replace(line, lower=1, upper=3, yes="embedding", command="b", seconds=2.0)
    both = results.joined(line, other)
    assert (both.lower, both.upper, both.command, both.seconds) == (2, 3, "a; b", 3.0)
    assert (both.no, both.yes) == (line.no, "embedding")
    assert results.joined(line, replace(line, upper=6, command="b")) == line
    assert results.joined(line, replace(line, upper=4, command="b")).command == "b"


def test_certificates_may_be_compressed(tmp_path: Path) -> None:
    line = LINES["window:w=3, n = 32"]
    content = line.certificate("yes").read_bytes()
    plain = tmp_path / "yes.json"
    plain.write_bytes(gzip.decompress(content))
    read = [Certificate.load(path).to_json() for path in (plain, line.certificate("yes"))]
    assert read[0] == read[1] == json.loads(plain.read_text())
    broken = tmp_path / "broken.json.gz"
    for damage in (content[:-20], content[:30], b"\x1f\x8b", content[:12] + b"\0" * 40):
        broken.write_bytes(damage)
        with pytest.raises(InputError, match="not a JSON certificate"):
            Certificate.load(broken)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samapprox.proofs.certificate._MOST_UNPACKED", 1 << 20)
    bomb = tmp_path / "bomb.json.gz"
    bomb.write_bytes(gzip.compress(b" " * (1 << 21)))
    with pytest.raises(InputError, match="unpacks to more than 1 MB"):
        Certificate.load(bomb)
