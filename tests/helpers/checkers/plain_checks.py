"""Proofs checked by their definitions: documents and lists in plain Python, nothing shared.

The checks of the library are fast and refuse more than they must (a merged pattern whose rows are
not their own copies, say). Whatever they accept has to hold here.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

__all__ = ["Entries", "refutes", "represents"]

Entries = list[list[int | None]]
"""Rows of 1, 0 and None for a don't-care."""

Document = dict[str, Any]


def represents(entries: Entries, d: int, proof: Document) -> bool:
    """Whether a proof, as its document has it, represents the pattern in d; the free case."""
    return {
        "embedding": _embedding,
        "self-attention": _self_attention,
        "moment-curve": _moment_curve,
        "merged": _merged,
        "components": _components,
    }[proof["kind"]](entries, d, proof)


def refutes(entries: Entries, d: int, proof: Document) -> bool:
    """Whether a topological proof, as its document has it, refutes d: the four conditions."""
    core: Entries = [[1] * len(proof["columns"])]
    core += [[entries[row][column] for column in proof["columns"]] for row in proof["rows"]]
    if proof["elements"] == "rows":
        core = [list(column) for column in zip(*core, strict=True)]
    seen, faces, alternating = set(), Counter[Any](), 0
    for covector, *elements in proof["members"]:
        if len(elements) != proof["d"] + 2 or elements != sorted(set(elements)):
            return False
        if not 0 <= covector < len(core) or not 0 <= elements[0] <= elements[-1] < len(core[0]):
            return False
        signs = [core[covector][element] for element in elements]
        if None in signs:
            return False
        member = _pattern(elements, signs)
        if member in seen:
            return False
        seen.add(member)
        alternating += all(a != b for a, b in pairwise(signs))
        for x in range(len(elements)):
            kept = [place for place in range(len(elements)) if place != x]
            faces[_pattern([elements[i] for i in kept], [signs[i] for i in kept])] += 1
    even = all(times % 2 == 0 for times in faces.values())
    return d <= proof["d"] and even and alternating % 2 == 1


def _pattern(elements: list[int], signs: list[int | None]) -> tuple[tuple[int, ...], ...]:
    """The elements that have the first one's sign, and the others: equal up to a flip."""
    pairs = list(zip(elements, signs, strict=True))
    return tuple(tuple(e for e, sign in pairs if (sign == signs[0]) == same) for same in (1, 0))


def _embedding(entries: Entries, d: int, proof: Document) -> bool:
    queries, keys, thresholds = proof["queries"], proof["keys"], proof["thresholds"]
    sizes = len(queries), len(thresholds), len(keys)
    if sizes != (len(entries), len(entries), len(entries[0])) or len(keys[0]) > d:
        return False
    return all(
        entry is None or (sum(a * b for a, b in zip(query, key, strict=True)) > threshold) == entry
        for row, query, threshold in zip(entries, queries, thresholds, strict=True)
        for entry, key in zip(row, keys, strict=True)
    )


def _self_attention(entries: Entries, d: int, proof: Document) -> bool:
    queries, keys = (
        [
            [
                sum(x * w for x, w in zip(token, column, strict=True))
                for column in zip(*proof[name], strict=True)
            ]
            for token in proof["X"]
        ]
        for name in ("W_Q", "W_K")
    )
    return _embedding(entries, d, {"queries": queries, "keys": keys, **proof})


def _moment_curve(entries: Entries, d: int, proof: Document) -> bool:
    order, flipped = proof["order"], set(proof["flipped"])
    homogeneous: Entries = [[1] * len(entries[0]), *entries]
    if proof["elements"] == "rows":
        homogeneous = [list(column) for column in zip(*homogeneous, strict=True)]
    size = len(homogeneous[0])
    if proof["d"] > d or sorted(order) != list(range(size)) or not flipped <= set(order):
        return False
    for covector in homogeneous:
        signs = [covector[e] ^ (e in flipped) for e in order if covector[e] is not None]
        if sum(a != b for a, b in pairwise(signs)) > proof["d"]:
            return False
    return True


def _merged(entries: Entries, d: int, proof: Document) -> bool:
    rows, columns, flipped = proof["rows"], proof["columns"], set(proof["flipped"])
    height, width = len(entries), len(entries[0])
    row_of, column_of = proof["row_of"], proof["column_of"]
    if len(row_of) != height or len(column_of) != width or not rows or not columns:
        return False
    if not (
        set(rows) | flipped <= set(range(height))
        and set(columns) <= set(range(width))
        and set(row_of) <= set(range(-1, len(rows)))
        and set(column_of) <= set(range(len(columns)))
    ):
        return False
    smaller = [[_turn(entries[i][j], i in flipped) for j in columns] for i in rows]
    for i, row in enumerate(entries):
        if row_of[i] < 0:
            wanted: list[int | None] = [1] * width
            fits = 0 not in row
        else:
            wanted = [_turn(smaller[row_of[i]][j], i in flipped) for j in column_of]
            fits = row == wanted
        if not fits:
            return False
    return represents(smaller, d, proof["proof"])


def _turn(entry: int | None, turned: bool) -> int | None:
    return None if entry is None else entry ^ turned


def _components(entries: Entries, d: int, proof: Document) -> bool:
    """The conditions of docs/theory/components.md, for each copy by itself."""
    height, width = len(entries), len(entries[0])
    copies = [
        (rows, columns, part["proof"])
        for part in proof["parts"]
        for rows, columns in zip(part["rows"], part["columns"], strict=True)
    ]
    if proof["columns"] != width or d < 2:
        return False
    if sorted(row for rows, _, _ in copies for row in rows) != list(range(height)):
        return False
    homes: list[list[int]] = [[] for _ in range(width)]
    for number, (rows, columns, _) in enumerate(copies):
        if len(set(columns)) < len(columns) or not set(columns) <= set(range(width)):
            return False
        for column in columns:
            homes[column].append(number)
        if any(entries[row][j] == 1 for row in rows for j in set(range(width)) - set(columns)):
            return False
    cuts = [column for column in range(width) if len(homes[column]) > 1]
    if d < 3 and any(len(homes[column]) > 2 for column in cuts):
        return False
    if not _is_forest(len(copies), [homes[column] for column in cuts]):
        return False
    for rows, columns, own in copies:
        part: Entries = [[entries[row][column] for column in columns] for row in rows]
        exits = [place for place, column in enumerate(columns) if column in cuts]
        if not any(1 in row for row in part) or not represents(_border(part, exits), d, own):
            return False
    return True


def _border(part: Entries, exits: list[int]) -> Entries:
    width = len(part[0])
    extra = max(1, len(exits))
    bordered: Entries = [[*row, *[0] * extra] for row in part]
    for number, cut in enumerate(exits):
        for own in ((cut, width + number), (cut,), (width + number,)):
            bordered.append([int(place in own) for place in range(width + extra)])
    if not exits:
        bordered.append([0] * width + [1])
    return bordered


def _is_forest(parts: int, meetings: list[list[int]]) -> bool:
    """Whether parts and the columns at which they meet have no way round: edges against nodes."""
    neighbours: list[list[int]] = [[] for _ in range(parts + len(meetings))]
    for number, own in enumerate(meetings):
        for part in own:
            neighbours[part].append(parts + number)
            neighbours[parts + number].append(part)
    seen: set[int] = set()
    trees = 0
    for start in range(len(neighbours)):
        trees += start not in seen
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += neighbours[node]
    return sum(map(len, meetings)) == len(neighbours) - trees
