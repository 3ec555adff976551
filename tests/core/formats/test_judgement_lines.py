"""Judgements are collected as a dictionary of pairs would hold them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.formats.judgement_lines import Collector

JUDGED = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["a", "b", "c"]), st.integers(0, 2)
    )
)


@given(JUDGED, st.integers(0, 4))
def test_pairs_are_those_of_a_dictionary(given: list[tuple[str, str, int]], cut: int) -> None:
    collector = Collector()
    for start, part in ((0, given[:cut]), (len(given[:cut]), given[cut:])):
        queries, documents, grades = zip(*part, strict=True) if part else ((), (), ())
        lines = range(start + 1, start + len(part) + 1)
        collector.extend(queries, documents, grades, lines)
    expected: dict[tuple[str, str], tuple[int, int]] = {}
    repeated = []
    for line, (query, document, grade) in enumerate(given, start=1):
        earlier, first = expected.setdefault((query, document), (grade, line))
        if earlier != grade:
            message = (
                f"line {line}: document '{document}' has grade {grade} for query '{query}', but "
                f"grade {earlier} in line "
            )
            with pytest.raises(InputError, match=re.escape(message)):
                collector.judgements()
            return
        if first != line:
            repeated.append(line)
    found = collector.judgements()
    names = zip(found.rows.tolist(), found.columns.tolist(), found.grades.tolist(), strict=True)
    assert {(found.queries[r], found.documents[c]): g for r, c, g in names} == {
        pair: grade for pair, (grade, _) in expected.items()
    }
    assert found.queries == tuple(dict.fromkeys(query for query, _, _ in given))
    assert found.documents == tuple(dict.fromkeys(document for _, document, _ in given))
    assert len(found.rows) == len(expected)
    assert len(found.notes) == bool(repeated)
    if repeated:
        assert f"line {repeated[0]}" in found.notes[0]


@pytest.mark.parametrize(("query", "document"), [("", "a"), ("q", "")])
def test_empty_names_are_refused_with_their_line(query: str, document: str) -> None:
    with pytest.raises(InputError, match=r"^line 8: the id of the (query|document) is empty"):
        Collector().extend(["q", query], ["a", document], [1, 1], [7, 8])
