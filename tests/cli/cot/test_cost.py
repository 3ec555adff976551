"""`samapprox cot cost`: counts and tables, as text and as JSON."""

from __future__ import annotations

import json

import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema


def test_a_count() -> None:
    lines = run("cot", "cost", "--tokens", "505", "--width", "128").stdout.splitlines()
    assert lines[1].split()[-3:] == ["0.792", "24.8", "%"]
    assert [line.split()[0] for line in lines[1:]] == ["standard", "sparse", "linear"]


def test_the_tables() -> None:
    text = run("cot", "cost", "--table", "1").stdout
    assert "linear        general     L^2    L^0.5           2.000" in text
    text = run("cot", "cost", "--table", "2").stdout
    assert (
        "standard      505   0.605  128     0.596       1.6 %           0.792     -23.6 %" in text
    )


@pytest.mark.parametrize(
    ("arguments", "table", "rows"),
    [
        (["--tokens", "9", "--width", "8", "--block", "4"], None, 3),
        (["--table", "1"], 1, 9),
        (["--table", "2"], 2, 12),
    ],
)
def test_documents_fit(arguments: list[str], table: int | None, rows: int) -> None:
    document = json.loads(run("cot", "cost", *arguments, "--json").stdout)
    assert_tight(schema("cot-cost"), document)
    assert (document["table"], len(document["rows"])) == (table, rows)
    for row in document["rows"]:
        for name in row:
            less = {key: value for key, value in row.items() if key != name}
            assert not schema("cot-cost").is_valid({**document, "rows": [less]})


def test_refusals() -> None:
    refused(run("cot", "cost"), "give --tokens and --width, or --table")
    refused(run("cot", "cost", "--tokens", "9"), "give --tokens and --width, or --table")
    for option in ("--tokens", "--width", "--layers", "--heads", "--hidden", "--block"):
        refused(run("cot", "cost", "--table", "1", option, "4"), "give either --table, or --tokens")
    refused(run("cot", "cost", "--tokens", "9", "--width", "6"), "4 do not")
    long = "4" + 400 * "0"  # beyond the range of floating-point numbers
    refused(run("cot", "cost", "--tokens", long, "--width", "4"), "tokens must be at most 10000")
    refused(run("cot", "cost", "--tokens", "4", "--width", long), "width must be at most 10000")
    refused(
        run("cot", "cost", "--tokens", "4", "--width", "4", "--hidden", long), "hidden must be at"
    )


def test_the_largest_numbers_are_counted() -> None:
    done = run("cot", "cost", "--tokens", str(10**18), "--width", str(10**18), "--heads", "1")
    assert (done.exit_code, done.stdout.count("\n")) == (0, 4)
