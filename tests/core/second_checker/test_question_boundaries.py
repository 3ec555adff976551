"""Similarities, ranks, fits and margins: both checkers draw the same line at the same places."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.checkers.second_checker import Case, answers, first_status

from samapprox import SignMatrix

YES = {"caps", "balls", "key-order", "factors", "partial-embedding", "unit-embedding"}
SECONDS = 60
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

CASES = {
    # 50 = 5 * 10: a key on the boundary is outside; a little more or less decides
    "cap through a key": (1, caps([5], [[6, 8], [-1, 0]])),
    "cap around a key": (0, caps([4], [[6, 8], [-1, 0]])),
    "negative cap": (0, caps([-5], [[6, 8], [-6, -8]])),
    "negative cap without a key": (1, caps([-4], [[-5, -12], [-6, -8]])),
    "cap of long keys": (0, caps([4], [[6 * 10**200, 8 * 10**200], [1, 0]])),
    "cap through a long key": (1, caps([5], [[6 * 10**200, 8 * 10**200], [1, 0]])),
    "cap of a zero key": (2, caps([4], [[6, 8], [0, 0]])),
    "cap in too many dimensions": (1, caps([4], [[6, 8], [-1, 0]], 1)),
    "ball": (0, case("10", near(1, "l2"), "balls", **BALL)),  # 2 - 1 = 1 > 0, 4 - 4 = 0
    "ball through a key": (1, case("11", near(1, "l2"), "balls", **BALL)),
    "ball for cosines": (1, case("10", near(1, "cosine"), "balls", **BALL)),
    "ball for inner products": (1, case("10", near(1, "dot"), "balls", **BALL)),
    "ball of weight 0": (2, case("10", near(1, "l2"), "balls", **{**BALL, "weights": [0]})),
    "circle": (0, places(near(2, "cosine"), "circle", 0, 1, 2, 3)),
    "circle for distances": (0, places(near(2, "l2"), "circle", 0, 1, 2, 3)),
    "circle in dimension 1": (1, places(near(1, "l2"), "circle", 0, 1, 2, 3)),
    "circle of far places": (0, places(near(2, "l2"), "circle", FAR, FAR + 1, FAR + 2, FAR + 3)),
    "circle in another order": (1, places(near(2, "cosine"), "circle", 0, 2, 1, 3)),
    "circle of few places": (1, places(near(2, "cosine"), "circle", 0, 1, 2)),
    "two places": (0, places(near(1, "cosine"), "circle", 5, 5, 0, text="110\n001")),
    "a 1 and a 0 at one place": (1, places(near(1, "cosine"), "circle", 5, 5, 0, text="100\n001")),
    "a 1 and a * at one place": (0, places(near(1, "cosine"), "circle", 5, 5, 0, text="1*0\n**1")),
    "line": (0, places(near(1, "l2"), "line", 0, 1, 2, text="110\n011")),
    "line around its ends": (1, places(near(1, "l2"), "line", 0, 1, 2, text="101")),
    "line with a gap": (0, places(near(1, "l2"), "line", 0, 1, 2, text="1*1")),
    "line for cosines": (1, places(near(1, "cosine"), "line", 0, 1, 2, text="110\n011")),
    "place beyond 2^62": (2, places(near(2, "cosine"), "circle", 0, 1, 2, 2**62)),
    "walk": (0, case("011\n101\n110", near(1, "l2"), "odd-cycle", **WALK)),
    "walk for cosines": (1, case("011\n101\n110", near(1, "cosine"), "odd-cycle", **WALK)),
    "walk at a don't-care": (1, case("*11\n101\n110", near(1, "l2"), "odd-cycle", **WALK)),
    "cycle": (0, cycle("100\n*10")),
    "cycle for distances": (1, cycle("100\n*10", similarity="l2")),
    "cycle for inner products": (1, cycle("100\n*10", similarity="dot")),
    "cycle in dimension 2": (1, cycle("100\n*10", 2)),
    "cycle at a don't-care": (1, cycle("100\n**1")),
    "cycle of equal entries": (1, cycle("100\n*11")),
    "even cycle": (1, cycle("100\n*10", columns=[0, 1], by=[0, 0])),
    "cycle of one key": (1, cycle("100\n*10", columns=[0], by=[0])),
    "cycle of no keys": (1, cycle("100\n*10", columns=[], by=[])),
    "cycle by too few rows": (2, cycle("100\n*10", by=[0, 1])),
    "cycle by a negative row": (2, cycle("100\n*10", by=[0, 1, -1])),
    "cycle by a row beyond": (1, cycle("100\n*10", by=[0, 1, 2])),
    "cycle by a row far beyond": (1, cycle("100\n*10", by=[0, 1, 2**70])),
    "cycle of a key twice": (2, cycle("100\n*10", columns=[0, 1, 0])),
    "padded": (0, padded(pad(), 2)),
    "padded in dimension 1": (0, padded(pad(), 1)),
    "padded in dimension 3": (1, padded(pad(), 3)),
    "padded, its rows exchanged": (0, padded(pad(), 2, rows=[6, 0, 3, 4, 1, 2, 5], proof=RADON)),
    "padded with complements": (0, padded("0110\n" + pad()[5:-4] + "0001", 2)),
    "padded with an open z": (1, padded(pad(at=(1, 3), entry="*"), 2)),
    "padded with two keys above": (1, padded(pad(at=(6, 0), entry="0"), 2)),
    "padded with an open level": (1, padded(pad(at=(6, 0), entry="*"), 2)),
    "padded without an entry": (1, padded(pad(at=(0, 1), entry="*"), 2)),
    "padded without agreement": (1, padded(pad(at=(0, 1), entry="1"), 2)),
    "padded without a 1": (1, padded(pad(at=(0, 0), entry="0"), 2)),
    "padded by two copies with z": (1, padded(pad(at=(3, 3), entry="1"), 2)),
    "padded by an odd row": (2, padded(pad(), 2, rows=[6, 0, 3, 1, 4, 2])),
    "padded by no rows": (2, padded(pad(), 2, rows=[6])),
    "padded by one column": (2, padded(pad(), 2, columns=[3])),
    "padded beyond": (1, padded(pad(), 2, columns=[3, 0, 1, 4])),
    "padded by a walk": (1, padded(pad(), 2, proof={"kind": "odd-cycle", **WALK})),
    "padded by a cycle": (1, padded(pad(), 2, proof={"kind": "opposite-keys", **CYCLE})),
    "padded by k-sets": (1, padded(pad(), 2, proof={"kind": "k-sets", "parts": []})),
    "padded by an embedding": (2, padded(pad(), 2, proof=EMBEDDING)),
    "padded with a core beyond": (1, padded(pad(), 2, proof={**RADON, "rows": [0, 1, 3]})),
    "padded for cosines": (
        1,
        case(
            pad(),
            near(2, "cosine"),
            "padded",
            rows=[6, 0, 3, 1, 4, 2, 5],
            columns=[3, 0, 1, 2],
            proof=RADON,
        ),
    ),
    "extended": (0, extended(1, "cosine")),
    "extended for distances": (1, extended(1, "l2")),  # d' = 0
    "extended by another similarity": (
        1,
        case(
            EYE, near(1, "cosine"), "extended", similarity="l2", rows=ALL, columns=ALL, proof=RADON
        ),
    ),
    "extended without a 1": (
        1,
        extended(1, "cosine", "100\n010\n001\n011", [0, 1, 2, 3], columns=[0]),
    ),
    "extended by units": (
        0,
        extended(1, "cosine", "110\n011", [0, 1], proof={**RADON, "rows": [2, 3, 4]}),
    ),
    "extended by a clash": (1, extended(1, "cosine", proof={"kind": "k-sets", "parts": []})),
    "extended by itself": (
        1,
        extended(
            1,
            "cosine",
            proof={
                "kind": "extended",
                "similarity": "l2",
                "rows": ALL,
                "columns": ALL,
                "proof": {"kind": "k-sets", "parts": []},
            },
        ),
    ),
    "factors": (0, factors("sign", [0, 0])),
    "factors of a row without a 1": (1, factors("sign", [0, 0], "10\n00")),
    "equal to a threshold": (1, factors("row", [1, 0])),
    "thresholds of two signs": (0, factors("row", [0, -0])),
    "global thresholds of one sign": (1, factors("global", [1, 1])),
    "thresholds other than 0": (1, factors("sign", [0, 1])),
    "rank 0": (1, factors("sign", [0, 0], r=0)),
    "another kind of rank": (1, factors("line", [0, 0])),
    "plain case": (0, reduced(rank(1, "row"), "plain")),
    "plain case of signs": (1, reduced(rank(1), "plain")),
    "doubled case": (0, reduced(rank(1), "doubled")),
    "both cases": (0, reduced(rank(1, "global"), "ones", "zeros")),
    "one case twice": (1, reduced(rank(1, "global"), "ones", "ones")),
    "relative case": (
        0,
        reduced(rank(2), "relative", text="010\n110\n000\n011", rows=[0, 1, 2, 3]),
    ),
    "relative case of rank 1": (
        1,
        reduced(rank(1), "relative", text="010\n110\n000\n011", rows=[0, 1, 2, 3]),
    ),
    "relative to a don't-care": (
        1,
        reduced(rank(2), "relative", text="0*0\n110\n000\n011", rows=[0, 1, 2, 3]),
    ),
    "relative to nothing": (1, reduced(rank(2), "relative", rows=[0])),
    "no cases": (2, reduced(rank(1))),
    "embedding for a rank": (1, case(TWO, rank(1), "embedding", **LINE)),
    "k-sets": (0, sets(fit(1, 0), (ALL, ALL))),
    "k-sets of as many wrong rows": (1, sets(fit(1, 1), (ALL, ALL))),
    "k-sets of a row twice": (1, sets(fit(1, 0), (ALL, ALL), (ALL, ALL))),
    "k-sets for distances": (1, sets(fit(1, 0, similarity="l2"), (ALL, ALL))),
    "k-sets for cosines": (0, sets(fit(1, 0, similarity="cosine"), (ALL, ALL))),
    "k-sets of entries twice": (1, sets(fit(1, 0, "entries"), (ALL, ALL), ([0], [0]))),
    "k-sets of no columns": (1, sets(fit(1, 0, similarity="l2"), (ALL, []))),
    "k-sets of no columns in the plane": (1, sets(fit(2, 0, similarity="cosine"), (ALL, []))),
    "no parts": (1, sets(fit(1, 0))),
    "cut sets": (0, sets(fit(1, 0, at=1), (ALL, ALL))),
    "cut sets of more keys": (1, sets(fit(1, 0, at=2), (ALL, ALL))),
    "cut sets of as many wrong rows": (1, sets(fit(1, 1, at=1), (ALL, ALL))),
    "cut sets for distances": (1, sets(fit(1, 0, similarity="l2", at=1), (ALL, ALL))),
    "cut sets for cosines": (0, sets(fit(1, 0, similarity="cosine", at=1), (ALL, ALL))),
    "cut sets in the plane": (1, sets(fit(2, 0, at=1), (ALL, ALL))),
    "cut sets of no keys": (1, sets(fit(1, 0, at=0), (ALL, ALL))),
    "cut sets of entries": (1, sets(fit(1, 0, "entries", at=1), (ALL, ALL))),
    "cut sets of a null": (2, sets(fit(1, 0, at=None), (ALL, ALL))),
    "rows with too many ones": (0, sets(fit(9, 1, at=2), (ALL, []), text="111\n110\n111")),
    "rows with just as many ones": (1, sets(fit(9, 1, at=3), (ALL, []), text="111\n110\n111")),
    "cut sets with a don't-care": (0, sets(fit(1, 0, at=1), (ALL, ALL), text=EYE + "\n1*0")),
    "cut sets whose don't-cares are free": (1, sets(fit(1, 0, at=1), (ALL, ALL), text=STARS)),
    "hitting set at K": (1, hitting(fit(1, 1, at=1), [-1], ([0], [2], 1))),
    "first keys": (0, first(fit(1, 0, at=2), [], [4])),
    "first keys of fewer": (1, first(fit(1, 0, at=1), [], [4])),
    "first keys but one row": (0, first(fit(1, 1, at=2), [1], [])),
    "first keys but one row, none named": (0, first(fit(1, 1, at=2), [1], None)),
    "first keys without zeros": (1, first(fit(1, 0, at=2), [], [])),
    "first keys with a one": (1, first(fit(1, 0, at=3), [], [4, 0])),
    "first keys with a zero of a wrong row": (1, first(fit(1, 1, at=2), [1], [4])),
    "first keys beyond": (1, first(fit(1, 0, at=2), [], [4, 12])),
    "first keys with a don't-care": (
        1,
        first(fit(1, 0, at=3), [], [4, 7], "1000\n010*\n0011"),
    ),
    "first keys beside a don't-care": (0, first(fit(1, 0, at=2), [], [4], "1000\n010*\n0011")),
    "first keys without K": (1, first(fit(1, 0), [], [4])),
    "first keys without K, none named": (1, first(fit(1, 1), [1], [])),
    "first keys twice": (2, first(fit(1, 0, at=3), [], [4, 4])),
    "first keys of a row with too many ones": (
        1,
        first(fit(1, 0, at=1), [], [4], "1000\n0100\n0011"),
    ),
    "hitting set": (0, hitting(fit(1, 1), [-1], ([0], [2], 1))),
    "hitting set of too many": (1, hitting(fit(1, 2), [-1], ([0], [2], 1))),
    "hitting set too heavy": (1, hitting(fit(1, 1), [-1], ([0], [3], 1))),
    "hitting set in thirds": (0, hitting(fit(1, 1), [-1], ([0], [4], 3))),
    "hitting set without a tree": (1, hitting(fit(1, 1), [], ([0], [2], 1))),
    "hitting set of two trees": (1, hitting(fit(1, 1), [-1, -1], *[([0], [2], 1)] * 2)),
    "tree": (0, hitting(fit(1, 1), [0, -1, -1], ([], [], 1), ([0], [2], 1))),
    "tree that names a copy": (1, hitting(fit(1, 1), [0, 3, -1, -1, -1], *[([0], [2], 1)] * 3)),
    "tree whose wrong class is hit": (1, hitting(fit(1, 1), [0, -1, -1], *[([0], [2], 1)] * 2)),
    "tree without its last leaf": (1, hitting(fit(1, 1), [0, -1], ([], [], 1))),
    "tree of one packing": (1, hitting(fit(1, 1), [0, -1, -1], ([], [], 1))),
    "entries": (0, hitting(fit(1, 0, "entries"), [-1], ([0], [1], 1), text=EYE)),
    "ignored entries": (
        1,
        hitting(fit(1, 0, "entries"), [-1], ([0], [1], 1), text=EYE, core={"ignored": [1]}),
    ),
    "ignored copies": (
        0,
        hitting(fit(1, 0, "entries"), [-1], ([0], [1], 1), text=COPIES, core={"ignored": [10]}),
    ),
    "ignored rows": (1, hitting(fit(1, 0), [-1], ([0], [1], 1), text=EYE, core={"ignored": []})),
    "ignored beyond": (
        1,
        hitting(fit(1, 0, "entries"), [-1], ([0], [1], 1), text=EYE, core={"ignored": [9]}),
    ),
    "row without a 1 beside ignored": (
        1,
        hitting(
            fit(1, 0, "entries"), [-1], ([0], [1], 1), text=COPIES, core={"ignored": [9, 10, 11]}
        ),
    ),
    "tree of a don't-care": (
        0,
        hitting(fit(1, 0, "entries"), [3, -1, -1], *[([0], [1], 1)] * 2, text="100*\n0100\n0010"),
    ),
    "copies of columns": (
        0,
        hitting(fit(1, 1, "entries"), [-1], ([0], [2], 1), text="100100\n010010\n001001"),
    ),
    "core of a don't-care": (
        1,
        hitting(fit(1, 0, "entries"), [-1], ([0], [1], 1), text="1*0\n010\n001"),
    ),
    "partial": (0, partial(fit(1, 1), "rows", [2], EMBEDDING)),
    "partial with too many": (1, partial(fit(1, 0), "rows", [2], EMBEDDING)),
    "partial of another unit": (1, partial(fit(1, 1), "entries", [2], EMBEDDING)),
    "partial of all": (1, partial(fit(1, 3), "rows", [0, 1, 2], EMBEDDING)),
    "partial for cosines": (1, partial(fit(1, 1, similarity="cosine"), "rows", [2], EMBEDDING)),
    "partial by caps": (
        0,
        partial(fit(1, 1, similarity="cosine"), "rows", [2], {"kind": "caps", **LINE}),
    ),
    "partial by a fit": (
        1,
        partial(
            fit(1, 1),
            "rows",
            [2],
            {"kind": "partial-embedding", "unit": "rows", "wrong": [], "proof": EMBEDDING},
        ),
    ),
    "partial of entries": (0, partial(fit(1, 2, "entries"), "entries", [4, 5], EMBEDDING)),
    "partial of 2^40 entries": (0, partial(fit(1, 2**40, "entries"), "entries", [5, 4], EMBEDDING)),
    "partial of 2^40 + 1": (2, partial(fit(1, 2**40 + 1, "entries"), "entries", [5, 4], EMBEDDING)),
    "partial of -1": (1, partial(fit(1, -1), "rows", [], EMBEDDING)),
    "another unit": (1, partial(fit(1, 1, "row"), "rows", [2], EMBEDDING)),
    "unit": (0, unit(margin(1, 1))),
    "unit with a smaller margin": (0, unit(margin(10**6 - 1, 10**6, d=1))),
    "unit with a larger margin": (1, unit(margin(10**6 + 1, 10**6))),
    "unit of length 2": (1, unit(margin(1, 1), queries=[[2], [-2]])),
    "unit of scale 2": (0, unit(margin(1, 1), 2, [[2], [-2]])),
    "unit that is not reduced": (1, unit(margin(2, 2))),
    "margin of 0": (0, unit(margin(0, 1))),
    "margin of 0 / 2": (1, unit(margin(0, 2))),
    "negative margin": (1, unit(margin(-1, 1))),
    "margin in dimension 0": (1, unit(margin(1, 1, d=0))),
    "unit in two dimensions": (
        1,
        case(
            TWO,
            margin(1, 2, d=1),
            "unit-embedding",
            query_scale=1,
            key_scale=1,
            queries=[[1, 0], [-1, 0]],
            keys=[[1, 0], [-1, 0]],
            thresholds=[0, 0],
        ),
    ),
    "dual": (0, dual(margin(1, 1))),
    "dual below the margin": (1, dual(margin(999, 1000))),
    "dual of a don't-care": (1, dual(margin(1, 1), "1*\n01")),
    "dual without a factor": (1, dual(margin(1, 1), factor=[[0, 0, 0, 0]], row_diagonal=[1, 2])),
    "dual without weights": (1, dual(margin(1, 1), weights=[[0, 0], [0, 0]])),
    "dual of a negative weight": (1, dual(margin(1, 1), weights=[[-1, -1], [1, 1]])),
    "dual of a large factor": (1, dual(margin(1, 1), factor=[[2**30, 0, 0, 0]])),
    "form": (0, form(margin(1, 1))),
    "form in a dimension": (0, form(margin(1, 1, d=7))),
    "form below the margin": (1, form(margin(999, 1000))),
    "form of a don't-care": (1, form(margin(1, 1), "1*\n01")),
    "form without a factor": (1, form(margin(1, 1), factor=[[0, 0]], diagonal=[3, 5])),
    "form without weights": (1, form(margin(1, 1), weights=[[0, 0], [0, 0]])),
    "form of rows that do not cancel": (1, form(margin(1, 1), weights=[[1, 2], [1, 1]])),
    "form of a negative weight": (1, form(margin(1, 1), weights=[[-1, -1], [1, 1]])),
    "form of large weights": (1, form(margin(1, 1), weights=[[2**30] * 2] * 2)),
    "form of long weights": (1, form(margin(1, 1), weights=[[2**70] * 2] * 2)),
    "form of middling weights": (  # whose squares need more than double precision
        0,
        form(
            margin(1, 1),
            weights=[[2**28 + 1] * 2] * 2,
            factor=[[0, 0]],
            diagonal=[4 * (2**28 + 1) ** 2] * 2,
        ),
    ),
    "form with a wide factor": (2, form(margin(1, 1), factor=[[1, 1, 0]])),
    "five points of a circle": (0, code(margin(147, 250, d=2))),
    "five points of a smaller circle": (1, code(margin(587, 1000, d=2))),
    "five points of any dimension": (1, code(margin(147, 250))),
    "five points of a space": (0, code(margin(801, 1000, d=3))),  # 4 / 5 - 4 / 25 = 0.8^2
    "five points of a smaller space": (1, code(margin(799, 1000, d=3))),
    "five points of four dimensions": (1, code(margin(801, 1000, d=4))),
    "three points of a line": (0, code(margin(0, 1, d=1), (1, 1, 1))),
    "two points of a line": (1, code(margin(0, 1, d=1), (1, 1))),
    "a row and its complement": (1, code(margin(0, 1, d=1), (0,), "10\n01")),
    "four rows and their complements": (
        0,
        code(margin(383, 1000, d=2), (0, 0, 0, 0), "11110000\n11001100\n10101010\n10010110"),
    ),
    "four rows and their complements in a smaller circle": (
        1,
        code(margin(381, 1000, d=2), (0, 0, 0, 0), "11110000\n11001100\n10101010\n10010110"),
    ),
    "complements that do not cross": (1, code(margin(1, 1, d=2), (0,) * 5)),
    "code of contained rows": (1, code(margin(1, 1, d=2), (1, 1), "100\n110")),
    "code of equal rows": (1, code(margin(1, 1, d=2), (1, 1), "100\n100")),
    "code that a don't-care separates": (1, code(margin(1, 1, d=2), (1, 1), "1*\n01")),
    "code of a row of ones": (1, code(margin(5, 1, d=2), (1,), "11\n01")),
    "code of a row without zeros": (1, code(margin(5, 1, d=3), (1,), "1*\n01")),
    "code of one point": (1, code(margin(5, 1, d=2), (-1,), "10\n01")),
    "code without points": (1, code(margin(1, 1, d=2), (), "10\n01")),
    "code of another sign": (2, code(margin(1, 1, d=2), (1, 2), "10\n01")),
    "code in too many dimensions": (1, code(margin(1, 1, d=1025))),
    "packing": (0, packing(margin(27, 250, d=2))),
    "packing below the margin": (1, packing(margin(107, 1000, d=2))),
    "packing of any dimension": (1, packing(margin(27, 250))),
    "packing in three dimensions": (1, packing(margin(27, 250, d=3))),
    "packing of columns": (0, packing(margin(27, 250, d=2), elements="columns")),
    "packing of margin 0": (1, packing(margin(0, 1, d=2))),
    "packing without a factor": (1, packing(margin(27, 250, d=2), factor=[[0] * 20])),
    "packing of a small spread": (1, packing(margin(27, 250, d=2), diagonal=[19, *[20] * 19])),
    "packing of uneven rows": (1, packing(margin(1, 1, d=2), weights=[2, *[1] * 19])),
    "packing of uneven columns": (
        0,
        packing(
            margin(1, 1, d=2),
            weights=[2, *[1] * 19],
            elements="columns",
            diagonal=[200] * 20,
            factor=[[0] * 20],
        ),
    ),
    "packing of uneven columns, too near": (
        1,
        packing(
            margin(1, 10, d=2),
            weights=[2, *[1] * 19],
            elements="columns",
            diagonal=[200] * 20,
            factor=[[0] * 20],
        ),
    ),
    "packing of equal rows": (1, packing(margin(1, 1, d=2), 2, "10\n10", elements="rows")),
    "packing of a don't-care": (1, packing(margin(1, 1, d=1), 2, "10\n*1")),
    "packing of one row": (
        1,
        packing(margin(1, 1, d=1), rows=[0], factor=[[0] * 20]),
    ),
    "packing of large weights": (1, packing(margin(1, 1, d=2), weights=[2**30] * 20)),
    "packing with a negative weight": (2, packing(margin(1, 1, d=2), weights=[-1, *[1] * 19])),
    "packing with few weights": (2, packing(margin(1, 1, d=2), weights=[1] * 19)),
    "packing of neither side": (2, packing(margin(1, 1, d=2), elements="entries")),
    "k-sets of a negative number": (1, sets(fit(1, -1), (ALL, ALL))),
    "k-sets of neither rows nor entries": (1, sets(fit(1, 0, "keys"), (ALL, ALL))),
    "k-sets for another similarity": (1, sets(fit(1, 0, similarity="l1"), (ALL, ALL))),
    "k-sets for numbers": (1, sets(fit(1, 0, similarity="binary"), (ALL, ALL))),
    "k-sets in dimension 0": (1, sets(fit(0, 0), (ALL, ALL))),
    "no rank": (1, reduced(rank(0), "plain")),
    "a rank of another kind": (1, reduced(rank(1, "column"), "plain")),
    "form in dimension 0": (1, form(margin(1, 1, d=0))),
    "dimension, named": (0, places(near(2, "cosine", task="dimension"), "circle", 0, 1, 2, 3)),
    "another task": (2, places(near(2, "cosine", task="dimensions"), "circle", 0, 1, 2, 3)),
    "another similarity": (1, places(near(2, "l1"), "circle", 0, 1, 2, 3)),
    "coupled cosines": (1, places(near(2, "cosine") | {"d_hid": 4}, "circle", 0, 1, 2, 3)),
    "row without a 1": (2, case("10\n00", near(1, "l2"), "key-order", curve="line", places=[0, 1])),
}


def test_both_checkers_draw_the_same_line() -> None:
    wanted = {name: status for name, (status, _) in CASES.items()}
    second = answers([case for _, case in CASES.values()])
    found = {name: answer.status for name, answer in zip(CASES, second, strict=True)}
    assert found == wanted
    assert {name: first_status(case) for name, (_, case) in CASES.items()} == wanted


def long_tree(depth: int) -> Case:
    """A tree with one more leaf at each depth, and packings that show nothing."""
    text = "\n".join("".join("01"[i == j] for j in range(depth)) for i in range(depth))
    tree = [node for item in range(depth - 1) for node in (item, -1)]
    return hitting(fit(1, 1), [*tree, -1], *[([], [], 1)] * depth, text=text)


@pytest.mark.parametrize(
    "asked",
    [
        sets(fit(2, 0), ([0], list(range(200_000))), text="1" * 200_000),
        sets(fit(3, 0, similarity="l2"), *[([0], [0])] * 50_000, text="1"),
        long_tree(1_500),
        dual(margin(1, 1), factor=[[1, -1, -1, 1]] * 60_000),
        form(margin(1, 1), factor=[[2**29 - 1, 0]] * 5),
        code(margin(2**40 - 1, 2**40, d=1024)),
        packing(margin(1, 2**40, d=1024), diagonal=[2**59] * 20),
        dual(margin(1, 1), factor=[[2**29 - 1, 0, 0, 0]] * 3),
        unit(margin(2**40 - 1, 2**40), 2**40, [[10**4000], [1]]),
        case(PLANE, near(1, "l2"), "odd-cycle", **{**WALK, "walk": [[1, 2, 0]] * 60_000}),
        caps([10**4000] * 4, [[10**4000, 1]] * 4, text=PLANE),
    ],
)
def test_hostile_proofs_are_refused_soon(asked: Case) -> None:
    start = time.perf_counter()
    (found,) = answers([asked])
    assert found.status == 1
    assert time.perf_counter() - start < SECONDS
