"""Parts of the second checker against plain definitions: hashes, numbers, propagation."""

from __future__ import annotations

import hashlib
import json
from itertools import combinations
from math import comb

import numpy as np
from helpers.checkers.second_checker import evaluate

from samapprox import InputError, Pattern

Clause = list[int]


def test_hashes_are_those_of_the_standard_library() -> None:
    random = np.random.RandomState(0)
    texts = [random.bytes(int(length)) for length in [*range(130), 1000]]
    digest = """(bytes) => {
      const hash = new Sha256();
      for (const byte of bytes) hash.addByte(byte);
      return hash.digest();
    }"""
    found = evaluate([f"({digest})({list(text)})" for text in texts])
    assert found == [hashlib.sha256(text).hexdigest() for text in texts]


def test_variables_are_numbered_colexicographically() -> None:
    expressions, wanted = [], []
    for n, r in ((5, 3), (7, 2), (8, 5), (6, 6)):
        subsets = list(combinations(range(n), r))
        expressions.append(f"{list(map(list, subsets))}.map((T) => new Variables({n}, {r}).of(T))")
        order = sorted(subsets, key=lambda subset: subset[::-1])
        wanted.append([1 + order.index(subset) for subset in subsets])
    assert evaluate(expressions) == wanted


def test_relations_are_those_of_the_specification() -> None:
    """The table for N = 5 and r = 3 in docs/theory/checks.md."""
    collect = """(() => {
      const found = [];
      const variables = new Variables(5, 3);
      for (let number = 0; number < 5; number++) {
        const clauses = [];
        const collector = { add: (clause) => clauses.push(clause) };
        addRelationClauses(variables, 5, new Set([number]), collector);
        found.push([clauses.length, clauses[0].map(Math.abs)]);
      }
      return found;
    })()"""
    (found,) = evaluate([collect])
    assert found == [
        [16, [5, 10, 6, 9, 8, 7]],
        [16, [2, 10, 3, 9, 8, 4]],
        [16, [1, 10, 3, 7, 6, 4]],
        [16, [1, 9, 2, 7, 5, 4]],
        [16, [1, 8, 2, 6, 5, 3]],
    ]


def test_regions_are_counted_exactly() -> None:
    cases = [(s, n, d) for n in range(1, 40, 6) for d in (1, 3, 8, 2**40) for s in (0, -1, 1)]
    expressions, wanted = [], []
    for s, n, d in cases:
        regions = sum(comb(n, k) for k in range(min(n, d) + 1))
        count = max(1, regions + s)
        if count < 2**53:
            expressions.append(f"exceedsRegions({count}, {n}, {d})")
            wanted.append(count > regions)
    assert evaluate(expressions) == wanted


def propagates(clauses: list[Clause], assumed: Clause) -> bool:
    """Whether unit propagation ends in a conflict; by the definition."""
    true = set(assumed)
    while True:
        if any(-literal in true for literal in true):
            return True
        for clause in clauses:
            if any(literal in true for literal in clause):
                continue
            rest = {literal for literal in clause if -literal not in true}
            if not rest:
                return True
            if len(rest) == 1:
                true |= rest
                break
        else:
            return False


def random_clause(random: np.random.RandomState, variables: int) -> Clause:
    size = random.choice([0, 1, 2, 2, 3, 3, 3, 4], p=[0.01, 0.04, *[0.95 / 6] * 6])
    literals = random.randint(1, variables + 1, size=size) * random.choice([-1, 1], size=size)
    return [int(literal) for literal in literals]


def test_propagation_is_that_of_the_definition() -> None:
    """Clauses and questions in any order, with repeated and opposite literals."""
    random = np.random.RandomState(1)
    ask = """(variables, steps) => {
      const propagation = new Propagation(variables);
      return steps.map(([asked, clause]) =>
        asked ? propagation.implies(clause) : (propagation.add(clause), propagation.conflict));
    }"""
    expressions: list[str] = []
    wanted: list[list[bool]] = []
    for _ in range(150):
        variables = int(random.randint(3, 9))
        clauses: list[Clause] = []
        steps: list[tuple[int, Clause]] = []
        truth: list[bool] = []
        for _ in range(30):
            clause = random_clause(random, variables)
            asked = int(random.randint(2))
            if not asked:
                clauses.append(clause)
            steps.append((asked, clause))
            truth.append(propagates(clauses, [-x for x in clause] if asked else []))
        expressions.append(f"({ask})({variables}, {json.dumps(steps)})")
        wanted.append(truth)
    assert evaluate(expressions) == wanted
    assert sum(map(sum, wanted)) > 1000


def fingerprint(text: str) -> str:
    try:
        return Pattern.from_text(text).sha256
    except InputError:
        return "Unreadable"


def test_texts_of_patterns_are_read_as_by_the_library() -> None:
    texts = [
        "10\n01",
        "1,0\n0 1",
        "1;0\t*",
        "# c\n\n 1*\r\n  # c\n01",
        "1,0,",
        ",1,0",
        "1 , 0",
        "**",
    ]
    texts += [
        "**",
        "10 01",
        "",
        "#",
        "1#0",
        "10#x",
        "10\r01",
        "1-",
        "-1 1",
        "1,,0",
        "1, ;0",
        "1,0,;",
        " , 1",
        "0\n1",
        "10\n1",
        "2",
    ]
    read = """(text) => {
      try {
        const pattern = readPattern(text);
        requireOnes(pattern, { task: "dimension" });
        return pattern.fingerprint();
      }
      catch (error) { return error.constructor.name; }
    }"""
    found = evaluate([f"({read})({json.dumps(text)})" for text in texts])
    assert found == [fingerprint(text) for text in texts]
    assert found.count("Unreadable") > 8
    assert len(set(found)) > 4


def test_patterns_in_json_are_validated() -> None:
    wrong = [
        {"rows": 2, "columns": 2, "ones": [[0]]},
        {"rows": 1, "columns": 2, "ones": [[]]},
        {"rows": 1, "columns": 2, "ones": [[1, 0]]},
        {"rows": 1, "columns": 2, "ones": [[0, 0]]},
        {"rows": 1, "columns": 2, "ones": [[2]]},
        {"rows": 1, "columns": 2, "ones": [[-1]]},
        {"rows": 1, "columns": 2, "ones": [[0]], "unspecified": [[0]]},
        {"rows": 1, "columns": 2, "ones": [[0]], "more": 1},
        {"rows": 0, "columns": 2, "ones": []},
        {"rows": 1, "columns": 2**25, "ones": [[0]]},
    ]
    read = """(text) => {
      try { requireOnes(readPattern(text), { task: "fit" }); return "read"; }
      catch (error) { return error.constructor.name; }
    }"""
    found = evaluate([f"({read})({json.dumps(json.dumps(document))})" for document in wrong])
    assert found == ["Unreadable"] * len(wrong)
