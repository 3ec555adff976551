"""`samapprox.heads`: from attention weights in Python to the least dimension of every head."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.attention.head_tables import SHIPPED, weights
from helpers.commands import run
from helpers.schemas import assert_tight, schema

import samapprox
from samapprox import HeadDimensions, InputError, weak_dimension
from samapprox.attention import Mass, TopK, Uniform, binarize, load_attention

pytestmark = pytest.mark.usefixtures("_in_process")

LAYERS = [weights(1, 2, 5, 5) for _ in range(3)]


def found_of(held: object, **options: Any) -> HeadDimensions:
    return samapprox.heads(held, jobs=1, **options)


WAYS: dict[str, Callable[[], object]] = {
    "outputs.attentions": lambda: tuple(LAYERS),
    "dict of layers": lambda: dict(enumerate(LAYERS)),
    "array": lambda: np.concatenate(LAYERS),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_head_of_weights_in_memory(way: str) -> None:
    found = found_of(WAYS[way](), top_k=1)
    assert (found.source, found.rules, found.results) == ("attentions", ("top1",), None)
    assert [(one.layer, one.head) for one in found.heads] == list(np.ndindex(3, 2))
    for one in found.heads:
        known = weak_dimension(binarize(LAYERS[one.layer][0, one.head], TopK(1)))
        assert (one.lower, one.upper, one.patterns) == (known.lower, known.upper, 1)
        assert one.evidence == ()


def test_each_number_is_a_rule_and_uniform_is_the_default() -> None:
    assert found_of(LAYERS[0]).rules == (Uniform().name,)
    found = found_of(LAYERS[0], top_k=(1, 2), threshold=0.1, mass=0.9)
    assert set(found.rules) == {TopK(1).name, TopK(2).name, "min0.1", Mass(0.9).name}
    assert {one.family for one in found.heads} == {f"attention {name}" for name in found.rules}


def test_certificates_on_request_hold_for_the_patterns() -> None:
    texts = {f"text_{at}": [layer] for at, layer in enumerate(LAYERS)}
    found = found_of(texts, top_k=2, certificates=True)
    assert [(one.patterns, len(one.evidence)) for one in found.heads] == [(3, 3)] * 2
    for one in found.heads:
        for held in one.evidence:
            assert held.pattern is not None
            assert held.yes is not None
            for certificate in filter(None, (held.yes, held.no)):
                assert certificate.verify(held.pattern)


def test_the_command_prints_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = samapprox.heads(SHIPPED, select=(4,), results="r.sqlite", head_size=32)
    done = run("heads", str(SHIPPED), "--select", "4", "--results", "r.sqlite")
    words = "; the model gives its heads 32 dimensions."
    assert words in found.text()
    assert done.stdout.startswith(found.text().replace(words, "."))
    document = json.loads(
        run("heads", str(SHIPPED), "--select", "4", "--results", "r.sqlite", "--json").stdout
    )
    assert_tight(schema("heads"), document)
    own = found.to_json()
    assert own | {"skipped": 12, "source": str(SHIPPED), "head_dimension": None} == document
    assert_tight(schema("heads"), found_of(LAYERS).to_json())
    again = samapprox.heads(load_attention(SHIPPED), select=(4,))
    assert [one.upper for one in again.heads] == [one.upper for one in found.heads]


def test_frames_have_a_row_for_each_head() -> None:
    pytest.importorskip("pandas")
    frame = found_of(LAYERS, top_k=1).to_frame()
    assert list(frame) == ["family", "layer", "head", "lower", "upper", "patterns"]
    assert frame.pivot(index="layer", columns="head", values="upper").shape == (3, 2)


def test_frames_name_the_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"^to_frame\(\) needs the package pandas: pip install"):
        found_of(LAYERS[0]).to_frame()


def test_bad_weights_are_refused() -> None:
    with pytest.raises(InputError, match="a list without any array"):
        found_of([[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(InputError, match="attentions: no layer 3; choose 0 to 2"):
        found_of(LAYERS, select=(3,))


def test_rules_are_numbers_of_any_kind() -> None:
    for one in (1, [1], np.int64(1), np.array([1])):
        assert {head.patterns for head in found_of(LAYERS, top_k=one).heads} == {1}
    assert found_of(LAYERS, threshold=np.float32(0.5)).heads
    assert type(found_of(LAYERS, top_k=1, head_size=np.int64(4)).head_size) is int
    with pytest.raises(InputError, match="head_size must be a whole number of at least 1, not '4'"):
        found_of(LAYERS, top_k=1, head_size="4")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": "2"}, "jobs must be a whole number of at least 1, not '2'"),
        ({"jobs": 1.5}, "jobs must be a whole number of at least 1, not 1.5"),
        ({"jobs": True}, "jobs must be a whole number of at least 1, not True"),
        ({"results": 3}, "results must be the path of a file, not 3"),
        ({"results": ""}, "results must be the path of a file, not ''"),
        ({"results": "x" * 300 + ".sqlite"}, "x{300}.sqlite: File name too long"),
        ({"listener": 3}, "listener must be an object with .* so_far and finished, not 3"),
        ({"uniform": "no"}, "uniform must be True or False, not 'no'"),
        ({"causal": "no"}, "causal must be True or False, not 'no'"),
        ({"top_k": True}, "top-k needs a whole number k, not True"),
        ({"results": [1]}, r"results must be the path of a file, not \[1\]"),
    ],
    ids=str,
)
def test_options_of_other_types_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        samapprox.heads(LAYERS, **options)
    assert samapprox.heads(LAYERS[0], jobs=np.int64(1), uniform=np.bool_(1)).heads


def test_the_import_of_samapprox_loads_nothing_more() -> None:
    program = "import sys, samapprox; print([n for n in sys.modules if 'samapprox.batch' in n])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"[]"]
