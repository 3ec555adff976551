"""Questions about small patterns with proofs of them, as both checkers read them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from helpers.checkers.second_checker import Case, answers, first_status
from samapprox import SignMatrix

YES = {"caps", "balls", "key-order", "factors", "partial-embedding", "unit-embedding"}
Document = dict[str, Any]

PLANE = "1100\n0110\n0011\n1001"
EYE = "100\n010\n001"
TWO = "10\n01"
COPIES = "100\n010\n001\n100\n010\n001"
ALL = [0, 1, 2]
RADON: Document = {"kind": "radon", "rows": ALL, "columns": ALL}
LINE = {"queries": [[1], [-1]], "keys": [[1], [-1]], "thresholds": [0, 0]}
EMBEDDING: Document = {"kind": "embedding", **LINE}


STARS = "1**\n*1*\n**1"
"""Rows whose ones are right at K = 1 in every embedding."""


def case(text: str, problem: Document, kind: str, **members: Any) -> Case:
    about = SignMatrix.from_text(text)
    rows, columns = about.shape
    document = {
        "format": "samapprox-certificate",
        "version": 1,
        "pattern": {"rows": rows, "columns": columns, "sha256": about.sha256},
        "problem": problem,
        "answer": "YES" if kind in YES or kind == "embedding" else "NO",
        "proof": {"kind": kind, **members},
    }
    return Case(text, json.dumps(document))


def near(d: int, similarity: str, **others: Any) -> Document:
    return {"d": d, "d_hid": None, "similarity": similarity, **others}


def rank(r: int, kind: str = "sign") -> Document:
    return {"task": "rank", "rank": r, "kind": kind}


def fit(d: int, wrong: int, unit: str = "rows", **others: Any) -> Document:
    return {"task": "fit", "d": d, "wrong": wrong, "unit": unit, **others}


def margin(numerator: int, denominator: int, **others: Any) -> Document:
    return {"task": "margin", "numerator": numerator, "denominator": denominator, **others}


def caps(thresholds: list[int], keys: list[list[int]], d: int = 2, text: str = "10") -> Case:
    queries = [[3, 4]] * len(thresholds)
    problem = near(d, "cosine")
    return case(text, problem, "caps", queries=queries, keys=keys, thresholds=thresholds)


def places(problem: Document, curve: str, *at: int, text: str = PLANE) -> Case:
    return case(text, problem, "key-order", curve=curve, places=at)


def cycle(text: str, d: int = 1, similarity: str = "cosine", **members: Any) -> Case:
    return case(text, near(d, similarity), "opposite-keys", **{**CYCLE, **members})


def sets(problem: Document, *parts: tuple[list[int], list[int]], text: str = EYE) -> Case:
    records = [{"rows": rows, "columns": columns} for rows, columns in parts]
    return case(text, problem, "k-sets", parts=records)


def hitting(problem: Document, tree: list[int], *packings: Any, **others: Any) -> Case:
    core = {"proof": RADON, **others.get("core", {})}
    named = [
        {"cores": cores, "weights": weights, "denominator": unit}
        for cores, weights, unit in packings
    ]
    text = others.get("text", COPIES)
    return case(text, problem, "hitting-set", cores=[core], tree=tree, packings=named)


def partial(problem: Document, unit: str, wrong: list[int], proof: Document) -> Case:
    return case("10\n01\n11", problem, "partial-embedding", unit=unit, wrong=wrong, proof=proof)


def first(
    problem: Document, wrong: list[int], above: list[int] | None, text: str = "1000\n0100\n0011"
) -> Case:
    """Keys in the order 0, 1, 2, 3 on a line: the ones of row 1 come second."""
    proof = {"kind": "moment-curve", "d": 1, "elements": "columns", "order": [0, 1, 2, 3]}
    more: Document = {} if above is None else {"above": above}
    return case(
        text,
        problem,
        "partial-embedding",
        unit="rows",
        wrong=wrong,
        proof={**proof, "flipped": []},
        **more,
    )


def factors(kind: str, thresholds: list[int], text: str = TWO, r: int = 1) -> Case:
    left = {"left": [[1], [-1]], "right": [[1], [-1]], "thresholds": thresholds}
    return case(text, rank(r, kind), "factors", **left)


def reduced(problem: Document, *forms: str, text: str = EYE, rows: Any = ALL, **core: Any) -> Case:
    cases = [
        {"form": form, "rows": rows, "columns": ALL, "proof": {**RADON, **core}} for form in forms
    ]
    return case(text, problem, "rank-refutation", cases=cases)


def unit(problem: Document, scale: int = 1, queries: Any = ((1,), (-1,)), text: str = TWO) -> Case:
    given = {"query_scale": scale, "key_scale": 1, "queries": queries, "keys": [[1], [-1]]}
    return case(text, problem, "unit-embedding", **given, thresholds=[0, 0])


def dual(problem: Document, text: str = TWO, factor: Any = ((1, -1, -1, 1),), **more: Any) -> Case:
    core = {"rows": [0, 1], "columns": [0, 1], "weights": [[1, 1], [1, 1]]}
    ends = {"row_diagonal": [2, 2], "column_diagonal": [2, 2], "factor": factor}
    return case(text, problem, "margin-dual", **{**core, **ends, **more})


def form(problem: Document, text: str = TWO, **more: Any) -> Case:
    core = {"rows": [0, 1], "columns": [0, 1], "weights": [[1, 1], [1, 1]]}
    return case(
        text, problem, "key-form", **{**core, "diagonal": [4, 4], "factor": [[1, 1]], **more}
    )


def code(problem: Document, signs: Sequence[int] = (1,) * 5, text: str = "") -> Case:
    size = len(signs)
    text = text or "\n".join("".join("01"[i == j] for j in range(size)) for i in range(size))
    lines = {"rows": list(range(size)), "columns": list(range(text.index("\n")))}
    return case(text, problem, "spherical-code", **lines, signs=list(signs))


def packing(problem: Document, size: int = 20, text: str = "", **more: Any) -> Case:
    text = text or "\n".join("".join("01"[i == j] for j in range(size)) for i in range(size))
    core = {"elements": "rows", "rows": list(range(size)), "columns": list(range(size))}
    ends = {"weights": [1] * size, "diagonal": [size] * size, "factor": [[1] * size]}
    return case(text, problem, "sphere-packing", **{**core, **ends, **more})


def extended(d: int, similarity: str, text: str = EYE, rows: Any = ALL, **others: Any) -> Case:
    members = {"similarity": similarity, "rows": rows, "columns": ALL, "proof": RADON}
    return case(text, near(d, similarity), "extended", **{**members, **others})


def padded(text: str, d: int, **others: Any) -> Case:
    members = {"rows": [6, 0, 3, 1, 4, 2, 5], "columns": [3, 0, 1, 2], "proof": RADON}
    return case(text, {"d": d, "d_hid": None}, "padded", **{**members, **others})


def pad(*, at: tuple[int, int] = (0, 0), entry: str = "1") -> str:
    rows = ["1001", "0101", "0011", "1000", "0100", "0010", "1110"]
    rows[at[0]] = rows[at[0]][: at[1]] + entry + rows[at[0]][at[1] + 1 :]
    return "\n".join(rows)


BALL = {"centers": [[1]], "weights": [1], "keys": [[1], [2]], "thresholds": [0]}
CYCLE = {"rows": [0, 1], "columns": ALL, "by": [0, 1, 0]}
WALK = {"curve": "line", "rows": ALL, "columns": ALL, "walk": [[0, 1, 1], [2, 1, 2], [2, 0, 0]]}
FAR = 2**53


def draw_the_same_line(cases: Mapping[str, tuple[int, Case]]) -> None:
    """Assert that both checkers give each case the status beside it."""
    wanted = {name: status for name, (status, _) in cases.items()}
    second = answers([case for _, case in cases.values()])
    found = {name: answer.status for name, answer in zip(cases, second, strict=True)}
    assert found == wanted
    assert {name: first_status(case) for name, (_, case) in cases.items()} == wanted
