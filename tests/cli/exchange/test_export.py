"""`samapprox export`: both files, and refusals in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.checkers.lrat import check_lrat, read_formula
from helpers.commands import refused, run


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A pattern with a NO and a YES, and names for what an export writes."""
    names = {
        name: str(tmp_path / name)
        for name in ("pattern.txt", "no.json", "yes.json", "cnf", "proof")
    }
    Path(names["pattern.txt"]).write_text("1000\n0100\n0010\n0001\n")
    for d, name in ((1, "no.json"), (2, "yes.json")):
        result = run("decide", names["pattern.txt"], "-d", str(d), "--certificate", names[name])
        assert result.exit_code == 0
    return names


def export(files: dict[str, str], *more: str, certificate: str = "no.json") -> list[str]:
    outputs = ["--cnf", files["cnf"], "--proof", files["proof"]]
    return ["export", files["pattern.txt"], files[certificate], *outputs, *more]


@pytest.mark.parametrize("language", ["drat", "lrat"])
def test_both_files_are_written(files: dict[str, str], language: str) -> None:
    result = run(*export(files, "--to", language))
    assert result.exit_code == 0
    assert result.stdout == ""
    first, second = result.stderr.splitlines()
    formula, proof = Path(files["cnf"]).read_text(), Path(files["proof"]).read_text()
    count = len(read_formula(formula)[1])
    assert first == f"samapprox: {count} clauses written to {files['cnf']}"
    lemmas = len(proof.splitlines())
    assert second == (
        f"samapprox: {lemmas} lemmas in {language.upper()} written to {files['proof']}"
    )
    if language == "lrat":
        assert check_lrat(formula, proof) == lemmas


def test_one_of_them_may_go_to_standard_output(files: dict[str, str]) -> None:
    result = run(*export({**files, "cnf": "-"}))
    assert result.exit_code == 0
    assert read_formula(result.stdout)[1]
    refused(run(*export({**files, "cnf": "-", "proof": "-"})), "would go to standard output")


def test_a_yes_is_refused(files: dict[str, str]) -> None:
    result = run(*export(files, certificate="yes.json"))
    refused(result, "yes.json: there is nothing to export for a proof of kind ")
    assert not Path(files["cnf"]).exists()


def test_a_certificate_for_another_pattern_is_refused(files: dict[str, str]) -> None:
    Path(files["pattern.txt"]).write_text("1000\n0100\n0010\n1001\n")
    refused(run(*export(files)), "no.json: the certificate is not valid: it is about another")


def test_inputs_are_not_overwritten(files: dict[str, str]) -> None:
    refused(run(*export({**files, "proof": files["no.json"]})), "would be overwritten")
    refused(run(*export({**files, "proof": files["cnf"]})), "two outputs would go to this file")


@pytest.mark.parametrize("matrix", ["+--+\n-+--\n--+-\n---+\n", "1000\n0100\n0010\n0001\n"])
def test_a_refutation_of_a_rank(matrix: str, files: dict[str, str]) -> None:
    Path(files["pattern.txt"]).write_text(matrix)
    assert run("rank", files["pattern.txt"], "--no", files["no.json"]).exit_code == 0
    result = run(*export(files, "--to", "lrat"))
    assert result.exit_code == 0, result.output
    formula, proof = Path(files["cnf"]).read_text(), Path(files["proof"]).read_text()
    assert check_lrat(formula, proof) > 0
    assert formula.startswith(
        "c samapprox: sign-rank at most 2 is impossible for this 4 x 4 matrix"
    )
    refused(run(*export(files, "--causal")), "--causal is for patterns")
