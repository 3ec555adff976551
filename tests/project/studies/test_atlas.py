"""The atlas of small patterns: its classes are all classes, and its dimensions are right."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.truth.burnside import count_classes
from helpers.truth.line import masks, shown_on_line
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from records import atlas_files, decisions
from records.atlas import Atlas
from records.classes import (
    canonical_forms,
    delete_column,
    extend,
    pattern_rows,
    separate_columns,
    set_of_rows,
)
from records.heredity import Place, lift_embedding
from records.key_sets import KeySets
from shared.markers import END

from samapprox import Embedding, InputError, Pattern, decide, weak_dimension

seeds = st.integers(0, 2**32 - 1)


@cache
def small() -> Atlas:
    """All patterns of at most 5 x 5."""
    return build(5, 5)


def build(rows: int, columns: int, journal: Path | None = None) -> Atlas:
    atlas = Atlas(rows, columns, journal, seconds=60, quiet=True)
    assert len(list(atlas.build())) == rows * columns
    return atlas


def least_dimension(atlas: Atlas, entries: Any) -> int:
    """Look up the class of any pattern in the atlas, after merging equal lines."""
    columns = np.unique(np.asarray(entries), axis=1)
    n, chosen = columns.shape[1], set_of_rows(columns)
    level = atlas.levels[chosen.bit_count(), n]
    form = canonical_forms(np.array([chosen], dtype=np.uint64), n).forms[0]
    return int(level.d[level.place(form)])


# ------------------------------------------------------------------------------------------ classes


@pytest.mark.parametrize("n", range(2, 7))
def test_classes_are_as_many_as_burnside_counts(n: int) -> None:
    sets = np.zeros(1, dtype=np.uint64)
    for m in range(1, 7):
        sets = extend(sets, n).forms
        assert int(separate_columns(sets, n).sum()) == count_classes(m, n)


@given(st.integers(1, 6), st.integers(2, 7), seeds)
def test_orders_and_complements_do_not_change_the_class(m: int, n: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    entries = rng.randint(0, 2, size=(m, n))
    other = entries[rng.permutation(m)][:, rng.permutation(n)] ^ rng.randint(0, 2, size=(m, 1))
    sets = np.array([set_of_rows(entries), set_of_rows(other)], dtype=np.uint64)
    canonical = canonical_forms(sets, n)
    assert canonical.forms[0] == canonical.forms[1]
    form = pattern_rows(canonical.forms[0], n)[:, canonical.orders[0]]
    assert set_of_rows(form) == set_of_rows(entries)


@given(st.integers(1, 6), st.integers(2, 7), seeds)
def test_columns_are_deleted(m: int, n: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    entries, column = rng.randint(0, 2, size=(m, n)), rng.randint(n)
    one = np.array([set_of_rows(entries)], dtype=np.uint64)
    left = set_of_rows(np.delete(entries, column, axis=1))
    assert delete_column(one, n, column).tolist() == [left]


# ------------------------------------------------------------------------------ proofs that pass on


def shown_by(embedding: Embedding) -> Any:
    return embedding.queries @ embedding.keys.T > embedding.thresholds[:, None]


@given(st.integers(1, 5), st.integers(2, 6), st.integers(1, 3), seeds)
def test_embeddings_are_lifted(m: int, n: int, d: int, seed: int) -> None:
    """Whatever the deleted row or column holds, one coordinate more represents it."""
    rng = np.random.RandomState(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.randint(-3, 4, size=shape)

    embedding = Embedding(draw(m, d), draw(n, d), draw(m))
    smaller = (embedding.queries @ embedding.keys.T > embedding.thresholds[:, None]).astype(
        np.uint8
    )
    order, row = rng.permutation(n), smaller[rng.randint(m)] ^ rng.randint(0, 2, size=n)
    turned = smaller[rng.permutation(m)][:, order] ^ rng.randint(0, 2, size=(m, 1))
    by_row = Place(np.vstack([turned, row]).astype(np.uint8), smaller, order, m)
    constant = np.full((1, n), rng.randint(0, 2))
    column = rng.randint(0, 2, size=(m + 1, 1))
    by_column = Place(
        np.hstack([np.vstack([turned, constant]), column]).astype(np.uint8),
        smaller,
        np.append(order, -1),
    )
    for place in (by_row, by_column):
        lifted = lift_embedding(place, embedding)
        assert lifted.dimension == d + 1
        assert (shown_by(lifted) == place.entries).all()


@settings(max_examples=15)
@given(st.integers(3, 6), st.integers(1, 3), seeds)
def test_keys_represent_what_hyperplanes_cut_from_them(n: int, d: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    keys = rng.randint(-9, 10, size=(n, d))
    queries = rng.randint(-9, 10, size=(4, d))
    order = rng.permutation(n)
    entries = ((queries @ keys.T) > np.median(queries @ keys.T, axis=1)[:, None])[:, order]
    form = np.uint64(set_of_rows(entries))
    assume(form)
    sets = KeySets(n, d)
    assert sets.embedding(form) is None
    sets.add(keys)
    found = sets.embedding(form)
    assert found is not None
    assert (shown_by(found) == pattern_rows(form, n)).all()


# --------------------------------------------------------------------------------------- dimensions


def test_every_class_has_both_certificates() -> None:
    checked = sum(
        atlas_files.check_certificates(small(), m, n)
        for m, n in small().levels
        if m > 0  # without rows there is no pattern
    )
    classes = [level.d[level.reduced] for (m, _), level in small().levels.items() if m]
    assert checked == sum(int(1 + (d > 1)) for level in classes for d in level)


def test_lines_suffice_where_plain_enumeration_finds_an_order() -> None:
    for rows in product(range(1, 8), repeat=3):
        entries = [[mask >> j & 1 for j in range(3)] for mask in rows]
        assert (least_dimension(small(), entries) <= 1) == shown_on_line(rows, 3)


@given(st.integers(1, 5), st.integers(2, 5), seeds)
def test_lines_suffice_for_larger_patterns(m: int, n: int, seed: int) -> None:
    entries = np.random.RandomState(seed).randint(0, 2, size=(m, n))
    assert (least_dimension(small(), entries) <= 1) == shown_on_line(masks(entries), n)


@given(st.integers(2, 5), st.integers(2, 5), seeds)
def test_the_dimension_is_the_sign_rank_with_a_row_of_ones(m: int, n: int, seed: int) -> None:
    """Any row may be the row of ones after columns change their signs, and rows may be columns."""
    rng = np.random.RandomState(seed)
    entries = rng.randint(0, 2, size=(m, n))
    d = least_dimension(small(), entries)
    other = np.vstack([np.ones((1, n), dtype=int), entries])
    other ^= 1 - other[rng.randint(m + 1)]
    assert least_dimension(small(), other) == d
    if m < 5:
        assert least_dimension(small(), (other ^ (1 - other[:, :1])).T) == d


@given(st.integers(2, 5), st.integers(2, 5), seeds)
def test_deletions_lower_the_dimension_by_one_at_most(m: int, n: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    entries = rng.randint(0, 2, size=(m, n))
    d = least_dimension(small(), entries)
    for left in (
        np.delete(entries, rng.randint(m), axis=0),
        np.delete(entries, rng.randint(n), axis=1),
    ):
        assert d - 1 <= least_dimension(small(), left) <= d


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 5), st.integers(2, 5), seeds)
def test_the_search_agrees(m: int, n: int, seed: int) -> None:
    entries = np.random.RandomState(seed).randint(0, 2, size=(m, n))
    entries[:, 0] |= ~entries.any(axis=1)
    found = weak_dimension(entries, time_limit=20)
    assert (found.lower, found.upper) == (max(1, least_dimension(small(), entries)),) * 2


@pytest.mark.slow
def test_the_search_agrees_on_every_class() -> None:
    atlas = build(5, 6)
    for (m, n), level in atlas.levels.items():
        for at in np.flatnonzero(level.reduced).tolist() if m else ():
            found = weak_dimension(atlas.pattern(m, n, at), time_limit=20)
            assert found.lower == found.upper == level.d[at]


# ------------------------------------------------------------------------------------------ journal


def test_a_run_goes_on_where_another_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = tmp_path / "journal.jsonl"
    first = build(4, 4, journal)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]) + lines[-1][:20])  # the last one was being written
    asked = []

    def decide_once(*arguments: Any, **options: Any) -> Any:
        asked.append(arguments)
        return decide(*arguments, **options)

    monkeypatch.setattr(decisions, "decide", decide_once)
    second = build(4, 4, journal)
    assert len(asked) == 1
    for shape, level in first.levels.items():
        assert (second.levels[shape].d == level.d).all()
    assert build(4, 4, journal)
    assert len(asked) == 1


@pytest.mark.parametrize("content", ["# Notes\n", "no line ends", '{"a": 1}\n', "[1, 2]\n", "3\n4"])
def test_another_file_is_no_journal_and_stays(tmp_path: Path, content: str) -> None:
    other = tmp_path / "notes.md"
    other.write_text(content)
    with pytest.raises(InputError, match="is no journal of decisions"):
        build(2, 2, other)
    assert other.read_text() == content


def test_wrong_certificates_of_a_journal_are_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    build(3, 3, journal)
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for n, form, d, document in lines:
        if document["answer"] == "YES":
            document["proof"]["thresholds"] = [99] * len(document["proof"]["thresholds"])
            journal.write_text(json.dumps([n, form, d, document]) + "\n")
            with pytest.raises(ValueError, match="a wrong certificate"):
                build(3, 3, journal)
            return
    raise AssertionError("no embedding in the journal")


# ------------------------------------------------------------------------------- what is stored


def test_stored_counts_are_those_of_burnside() -> None:
    counts = {(one.rows, one.columns): one for one in atlas_files.read_counts()}
    for m, n in product(range(1, 8), repeat=2):
        expected = count_classes(m, n) if n > 1 else 0
        assert (counts[m, n].classes if (m, n) in counts else 0) == expected
    for one in counts.values():
        assert one.d1 + one.d2 + one.d3 == one.classes


def test_stored_counts_are_made_again() -> None:
    stored = {(one.rows, one.columns): one for one in atlas_files.read_counts()}
    for m, n in small().levels:
        if (m, n) in stored and m:
            assert atlas_files.count(small(), m, n) == stored[m, n]


def test_stored_certificates_hold() -> None:
    assert atlas_files.check_stored() == []
    assert sum(one.minimal for one in atlas_files.read_counts()) == len(atlas_files.read_minimal())
    files = (atlas_files.COUNTS, atlas_files.MINIMAL, atlas_files.CERTIFICATES)
    assert sum(path.stat().st_size for path in files) < 100_000


@pytest.mark.parametrize("line", atlas_files.read_minimal()[::6], ids=lambda line: line.pattern)
def test_deletions_of_minimal_patterns_need_less(line: atlas_files.MinimalLine) -> None:
    entries = line.read().to_array()
    deletions = [np.delete(entries, i, axis=0) for i in range(line.rows)]
    deletions += [np.delete(entries, j, axis=1) for j in range(line.columns)]
    for left in deletions:
        left = left[left.any(axis=1)]
        if line.d > 1:
            assert decide(left, line.d - 1, time_limit=20).status.value == "YES"
        else:
            assert left.size == 0 or left.all()


def test_forged_certificates_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = atlas_files.read_minimal()
    monkeypatch.setattr(atlas_files, "read_minimal", lambda: [lines[1], lines[0], *lines[2:]])
    assert any("certificates of something else" in one for one in atlas_files.check_stored())
    turned = [lines[0], lines[1], *reversed(lines[2:])]
    monkeypatch.setattr(atlas_files, "read_minimal", lambda: turned)
    assert any("another pattern" in one for one in atlas_files.check_stored())


def test_the_page_states_what_is_stored() -> None:
    """`python benchmarks records.results atlas --store` or `--renew` rewrites it."""
    text = atlas_files.PAGE.read_text(encoding="utf-8")
    for name, table in atlas_files.make_tables().items():
        assert f"{atlas_files.marker(name)}\n\n{table}\n{END}" in text


def test_the_command_prints_counts(capsys: pytest.CaptureFixture[str]) -> None:
    atlas_files.main(["--size", "3"])
    assert capsys.readouterr().out.endswith("3 classes, 2 minimal patterns\n")
    with pytest.raises(SystemExit):
        atlas_files.main(["--size", "8"])
    assert "--size must be in 1..7, not 8" in capsys.readouterr().err


def test_refutations_have_names() -> None:
    found = atlas_files.refute(Pattern(np.eye(3)), 1)
    assert next(iter(found)) == "radon"
    assert all(certificate.answer == "NO" for certificate in found.values())
    assert atlas_files.refute(Pattern(np.eye(3)), 0) == {}
