"""JSON with integers that Python does not write or read."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.errors import InputError
from samapprox.support.documents import dump_json, parse_json

DIGITS = sys.int_info.default_max_str_digits


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=20))
def test_what_is_written_is_read_again(document: object) -> None:
    assert parse_json(dump_json(document)) == document


def test_the_limit_is_the_same_both_ways() -> None:
    most = 10**DIGITS - 1
    assert parse_json(dump_json([most, -most])) == [most, -most]
    with pytest.raises(InputError, match=f"more than {DIGITS} digits"):
        dump_json({"x": [most + 1]})
    with pytest.raises(InputError, match=f"more than {DIGITS} digits"):
        parse_json("1" * (DIGITS + 1))


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(json.JSONDecodeError):
        parse_json("{")


@pytest.mark.parametrize("text", ['{"d": 1, "d": 1}', '[{"a": {"d": 1, "x": 2, "\\u0064": 2}}]'])
def test_repeated_members_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="the member 'd' more than once"):
        parse_json(text)
