"""The table of least dimensions: every line has its certificates, and a sample of them holds."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.commands import run
from records import lines, pages, results
from records.questions import PARTS, questions
from shared.markers import END

from samapprox import Certificate, InputError, load

QUESTIONS = {question.name: question for question in questions()}
LINES = lines.read_lines()
SMALL = [line for line in LINES.values() if line.rows <= 32]


def test_lines_are_about_questions_that_are_asked() -> None:
    assert set(LINES) <= set(QUESTIONS)
    for line in LINES.values():
        assert 1 <= line.lower <= line.upper
        assert line.command.startswith("samapprox ")
    stored = {line.certificate(side) for line in LINES.values() for side in ("no", "yes")}
    files = {path for path in lines.CERTIFICATES.iterdir() if path.is_file()}
    assert files <= stored


def test_names_of_lines_are_distinct() -> None:
    assert len(QUESTIONS) == len(list(questions()))
    assert {question.part for question in questions()} == set(PARTS)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("star, n = 32, causal", "mask --graph star --n 32 --causal"),
        ("hadamard, n = 12", "hadamard --n 12"),
        ("projective-plane, q = 3", "projective-plane --q 3"),
        ("projective-plane, q = 3, sign-rank", "projective-plane --q 3 --sign-rank"),
        ("all-subsets, n = 6, k = 2", "all-subsets --n 6 --k 2"),
    ],
)
def test_commands_make_the_pattern(tmp_path: Path, name: str, arguments: str) -> None:
    question = QUESTIONS[name]
    assert question.arguments == arguments
    output = tmp_path / "m.npz"
    assert run("generate", *arguments.split(), "--output", str(output)).exit_code == 0
    assert load(output) == question.pattern


@pytest.mark.parametrize("part", ["hadamard", "planes"])
def test_patterns_with_a_sign_rank_have_a_row_of_ones(part: str) -> None:
    asked = [question for question in questions() if question.part == part]
    for question in asked:
        if question.normalised:
            assert (question.pattern.to_array() == 1).all(axis=1).any()
    assert any(question.normalised for question in asked)


@pytest.mark.parametrize(
    ("page", "part"), [(page, part) for page, parts in pages.PAGES.items() for part in parts]
)
def test_pages_state_what_the_table_does(page: str, part: str) -> None:
    """`python benchmarks records.results --page` rewrites them."""
    text = (pages.STUDIES / page).read_text(encoding="utf-8")
    assert f"{pages.marker(part)}\n\n{pages.make_table(part)}\n{END}" in text


def test_tables_are_rewritten(tmp_path: Path) -> None:
    for page in pages.PAGES:
        text = (pages.STUDIES / page).read_text(encoding="utf-8")
        (tmp_path / page).write_text(text.replace("embedding", "nothing"), encoding="utf-8")
    pages.write_pages(tmp_path)
    for page in pages.PAGES:
        assert "[embedding" in (tmp_path / page).read_text(encoding="utf-8")


def test_intervals_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    line = replace(LINES["hadamard, n = 8"], lower=3, upper=4, seconds=1.0)
    monkeypatch.setattr(pages, "read_lines", lambda: {line.name: line})
    table = pages.make_table("hadamard")
    assert table.splitlines()[2].startswith("| `hadamard --n 8` | 8 x 8 | 3..4 | 4..5 | 1.00 |")
    assert table.endswith("\n\nExact: 0 of 1; known up to 1: 1.\n")


def test_unknown_parts_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        results.main(["nothing"])
    assert ended.value.code == 2
    assert "there is no part 'nothing'; there are: minilm" in capsys.readouterr().err


def test_all_of_it_is_small() -> None:
    assert sum(path.stat().st_size for path in lines.CERTIFICATES.iterdir()) < 3_000_000


@pytest.mark.parametrize("line", SMALL[::2], ids=lambda line: line.name)
def test_bounds_hold(line: lines.Line) -> None:
    assert lines.fault(line, QUESTIONS[line.name]) is None


def test_wrong_lines_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = LINES["random, n = 32"]
    question = QUESTIONS[line.name]
    for wrong in (replace(line, lower=line.lower - 1), replace(line, upper=line.upper + 1)):
        assert "is about" in str(lines.fault(wrong, question))
    assert "the pattern is" in str(lines.fault(replace(line, rows=31), question))
    other = QUESTIONS["random, n = 32, causal"]
    assert "another pattern" in str(lines.fault(line, other))
    monkeypatch.setattr(lines, "CERTIFICATES", tmp_path)
    assert "no certificate for NO" in str(lines.fault(line, question))


def test_a_wider_interval_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "CERTIFICATES", tmp_path / "certificates")
    monkeypatch.setattr(lines, "TABLE", tmp_path / "dimensions.csv")
    question = QUESTIONS["star, n = 32, causal"]
    line, proofs = lines.bound(question, 20)
    lines.keep(line, proofs)
    assert lines.fault(lines.read_lines()[line.name], question) is None
    lines.keep(replace(line, lower=1, upper=31), {})
    assert lines.read_lines() == {line.name: line}
    lines.keep(replace(line, lower=1, command="worse", seconds=1.0), {})
    assert lines.read_lines() == {line.name: line}
    assert lines.fault(line, question) is None


def test_each_side_keeps_its_better_bound() -> None:
    line = replace(LINES["star, n = 64"], lower=2, upper=5, command="a", seconds=1.0)
    other = replace(line, lower=1, upper=3, yes="embedding", command="b", seconds=2.0)
    both = lines.join(line, other)
    assert (both.lower, both.upper, both.command, both.seconds) == (2, 3, "a; b", 3.0)
    assert (both.no, both.yes) == (line.no, "embedding")
    assert lines.join(line, replace(line, upper=6, command="b")) == line
    assert lines.join(line, replace(line, upper=4, command="b")).command == "b"


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
