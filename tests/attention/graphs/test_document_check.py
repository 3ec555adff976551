"""`graph verify` accepts what `graph check --json` prints, and refuses everything else."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from click.testing import CliRunner
from helpers.attention.attention_graphs import reached
from helpers.durations import ended_within
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.graphs.document_check import first_mistake, reached_tokens
from samapprox.attention.graphs.universality import universality
from samapprox.cli.graph.check import make_document
from samapprox.cli.main import cli

pytestmark = pytest.mark.usefixtures("_no_cp_sat")

Document = dict[str, Any]


def said(attention: SparseAttention, *, path: bool = False) -> Document:
    made = make_document("", attention.n, universality(attention, path=path))
    document: Document = json.loads(json.dumps(made))
    return document


@st.composite
def attentions(draw: st.DrawFn) -> SparseAttention:
    n, p = draw(st.integers(1, 6)), draw(st.integers(1, 2))
    density, loops = draw(st.floats(0, 1)), draw(st.booleans())
    patterns = []
    for _ in range(p):
        graph = build(f"random:sparsity={density},seed={draw(st.integers(0, 999))}", n).union
        patterns.append(graph.union(build("window:w=1", n).union) if loops else graph)
    return SparseAttention(tuple(patterns), draw(st.sampled_from(Heads)))


@given(attentions(), st.integers(0, 6), st.booleans())
def test_documents_of_checks_are_valid(attention: SparseAttention, t: int, path: bool) -> None:
    assert first_mistake(attention, said(attention, path=path)) is None
    for query, tokens in enumerate(reached(attention.by_layer(), t)):
        assert (
            set(np.flatnonzero(reached_tokens(attention.by_layer(), query, t)).tolist()) == tokens
        )


@given(attentions(), attentions(), st.data())
def test_of_another_mask_only_what_is_true_of_it_holds(
    attention: SparseAttention, other: SparseAttention, data: st.DataObject
) -> None:
    """Parts of two documents are mixed: where no mistake is found, no conclusion is another's.

    Either may have run out of time for a path, and then leaves the conclusion open.
    """
    own, mixed = said(attention, path=True), said(other, path=True)
    mixed.update({name: own[name] for name in data.draw(st.sets(st.sampled_from(sorted(own))))})
    try:
        mistake = first_mistake(attention, mixed)
    except InputError:
        return
    if mistake is None:
        for name in ("universal", "assumption_1"):
            assert None in (mixed[name], own[name]) or mixed[name] is own[name]
        if own["layers"] is not None:
            assert mixed["layers"]["lower"] <= own["layers"]["lower"]
            assert mixed["layers"]["upper"] >= own["layers"]["upper"]


HASTY = {"lower": 2, "upper": 6, "pair": [0, 7]}


def change(**parts: Any) -> Callable[[Document], None]:
    return lambda document: document.update(copy.deepcopy(parts))


CHAIN = [0, 0, 1, 2, 3, 4, 5, 6]
ORDER = {"kind": "walk", "tokens": list(range(8)), "patterns": [0] * 8}


def walk(tokens: Iterable[Any], patterns: list[Any] | None = None) -> Callable[[Document], None]:
    tokens = list(tokens)
    numbers = [0] * len(tokens) if patterns is None else patterns
    return change(witness={"kind": "walk", "tokens": tokens, "patterns": numbers})


def trees(
    parents: list[Any], patterns: list[Any] | None = None, root: Any = 0
) -> Callable[[Document], None]:
    """A forged out-tree beside a sound in-tree, and the other way round for another root."""
    forged = {"parents": parents, "patterns": [0] * len(parents) if patterns is None else patterns}
    sound = {"parents": CHAIN, "patterns": [0] * 8}
    return change(witness={"kind": "trees", "root": root, "out_tree": forged, "in_tree": sound})


@pytest.mark.parametrize(
    ("spec", "edit", "mistake"),
    [
        ("window:w=3", change(tokens=9), "it is about 9 tokens, not 8"),
        ("window:w=3", change(without_loop=[[1]]), "its list of tokens without a self-loop"),
        ("window:w=3", change(hamiltonian_path=[*range(7), 0]), "the path does not go"),
        ("window:w=3", change(hamiltonian_path=[1, 0, *range(2, 8)]), "the path does not go"),
        ("window:w=3", change(version=1, hamiltonian_path=None), "it must give either a Ham"),
        ("window:w=3", change(hamiltonian_path=None), "its statement on Assumption 1"),
        ("window:w=3", change(no_path={"kind": "unknown"}), "it gives both"),
        ("window:w=3", change(witness=None), "it must give a walk if and only if"),
        ("window:causal=1", change(witness=ORDER), "it must give a walk if and only if"),
        ("window:w=3", walk([0, 1, 2, 3, 4, 6, 5, 7]), "the walk does not cover the mask"),
        ("window:w=3", walk([0, 1, 2, 3, 4, 5, 6]), "the walk does not cover the mask"),
        ("window:w=3", walk([0, 1, 1, 2, 3, 4, 5, 6, 7]), "the walk does not cover the mask"),
        ("window:w=3", walk([*range(8), 6]), "the walk does not cover the mask"),
        ("window:w=3", walk([]), "the walk does not cover the mask"),
        ("strided:w=2", walk([0, 2, 4, 6, 7, 5, 3, 1]), "the walk does not cover the mask"),
        ("strided:w=2", walk(range(8), [0, 1] * 4), "the walk does not cover the mask"),
        ("strided:w=2", walk(range(8), [1] * 8), "the walk does not cover the mask"),
        ("strided:w=2", walk(range(8), [0] * 7), "the walk does not cover the mask"),
        ("window:w=3", trees([0, 0, 1, 2, 3, 4, 5, 5]), "the trees do not span the mask"),
        ("window:w=3", trees([0, 2, 1, 2, 3, 4, 5, 6]), "the trees do not span the mask"),
        ("window:w=3", trees([0, 1, 1, 2, 3, 4, 5, 6]), "the trees do not span the mask"),
        ("window:w=3", trees([1, 0, 1, 2, 3, 4, 5, 6]), "the trees do not span the mask"),
        ("window:w=3", trees(CHAIN[:7]), "the trees do not span the mask"),
        ("window:w=3", trees(CHAIN, root=7), "the trees do not span the mask"),
        ("strided:w=2", trees(CHAIN, patterns=[1] + [0] * 7), "the trees do not span the mask"),
        ("strided:w=2", trees(CHAIN, patterns=[1] * 8), "the trees do not span the mask"),
        (
            "window:w=3",
            change(layers={"lower": 8, "upper": 8, "pair": [0, 7]}),
            "token 7 reaches token 0 in 7 layers",
        ),
        ("window:w=3", change(layers=HASTY), "6 layers may not be enough"),
        ("window:w=3", change(layers=None), "it must bound the layers"),
        ("window:w=3", change(star=0), "its star has the wrong centre"),
        ("window:w=3", change(mixed_heads=True), "heads of one layer share"),
        ("window:w=3", change(unreachable=[0, 7]), "it bounds the layers, but"),
        ("window:w=3", change(unreachable=[0, 7], layers=None), "token 7 reaches token 0"),
        ("window:w=3", change(assumption_1=None), "its statement on Assumption 1"),
        ("window:w=3", change(universal=None), "its conclusion does not follow"),
        ("star", change(star=None), "its star has the wrong centre"),
        ("window:causal=1", change(universal=None), "its conclusion does not follow"),
        ("dilated", change(no_path={"kind": "apart", "tokens": [0, 2]}), "the proof of no path"),
        (
            "dilated",
            change(no_path={"kind": "uncrossable", "sets": [], "lemmas": []}),
            "the proof of no path",
        ),
    ],
)
def test_mistakes(spec: str, edit: Callable[[Document], None], mistake: str) -> None:
    attention = build(spec, 8)
    document = said(attention)
    assert first_mistake(attention, document) is None
    edit(document)
    assert str(first_mistake(attention, document)).startswith(mistake)


@pytest.mark.parametrize(
    "edit",
    [
        change(format="samapprox-verdict"),
        change(version=3),
        change(version=True),
        change(version=None),
        walk([*range(7), 8]),
        walk([*range(7), -1]),
        walk([*range(7), 1 << 80]),
        walk([*range(7), 7.0]),
        walk(range(8), [0] * 7 + [1]),
        walk(range(8), [0] * 7 + [1 << 80]),
        change(tokens="8\nVALID: universal: YES"),
        change(tokens=8.0),
        change(without_loop=[[False]]),
        change(without_loop=[0]),
        change(star=False),
        change(witness={"kind": "walk", "tokens": "01234567", "patterns": [0] * 8}),
        change(witness={"kind": "walk", "tokens": [[0]], "patterns": [[0]]}),
        change(witness={"kind": "walk", "tokens": None, "patterns": None}),
        change(witness={"kind": "walk"}),
        change(witness={"kind": "stroll"}),
        change(witness={}),
        change(witness=[]),
        change(witness=True),
        change(witness=7),
        trees([0, 0, 1, 2, 3, 4, 5, 8]),
        trees(CHAIN, root=-1),
        trees(CHAIN, root=8),
        trees(CHAIN, root=None),
        trees(CHAIN, patterns=[0] * 7 + [1]),
        change(witness={"kind": "trees", "root": 0, "out_tree": [], "in_tree": []}),
        change(hamiltonian_path=[0, 1, 2, 3, 4, 5, 6, 99]),
        change(hamiltonian_path="01234567"),
        change(hamiltonian_path=[0.0, 1, 2, 3, 4, 5, 6, 7]),
        change(layers=[7, 7]),
        change(layers={"lower": 7, "upper": 7, "pair": [0, -1]}),
        change(layers={"lower": 7.5, "upper": 7, "pair": [0, 7]}),
        change(hamiltonian_path=None, no_path={"kind": "magic"}),
        change(hamiltonian_path=None, no_path={"kind": "pieces", "tokens": [1], "side": "x"}),
        change(hamiltonian_path=None, no_path=7),
        lambda document: document.pop("layers"),
        lambda document: document.pop("tokens"),
    ],
)
def test_damaged_documents(edit: Callable[[Document], None]) -> None:
    attention = build("window:w=3", 8)
    document = said(attention)
    edit(document)
    with pytest.raises(InputError):
        first_mistake(attention, document)


def test_the_command(tmp_path: Path) -> None:
    run = CliRunner().invoke
    made = run(cli, ["graph", "check", "strided:w=3", "--n", "9", "--json"])
    (tmp_path / "check.json").write_text(made.stdout)
    good = run(cli, ["graph", "verify", "strided:w=3", str(tmp_path / "check.json"), "--n", "9"])
    assert (good.exit_code, good.stdout) == (0, "VALID: universal: YES\n")
    bad = run(cli, ["graph", "verify", "strided:w=4", str(tmp_path / "check.json"), "--n", "9"])
    assert bad.exit_code == 1
    assert bad.stdout.startswith("NOT VALID: ")
    (tmp_path / "check.json").write_text("[1, 2")
    broken = run(cli, ["graph", "verify", "star", str(tmp_path / "check.json"), "--n", "9"])
    assert (broken.exit_code, "not JSON" in broken.stderr) == (2, True)
    missing = run(cli, ["graph", "verify", "star", str(tmp_path / "none.json"), "--n", "9"])
    assert (missing.exit_code, "No such file" in missing.stderr) == (2, True)
    (tmp_path / "check.json").write_text("[]")
    odd = run(cli, ["graph", "verify", "star", str(tmp_path / "check.json"), "--n", "9"])
    assert odd.exit_code == 2


def test_trees_are_accepted_either_way_round() -> None:
    attention = build("window:w=3", 8)
    document = said(attention)
    trees(CHAIN)(document)
    assert first_mistake(attention, document) is None
    one_way = build("window:w=3,causal=1", 8)  # whose tokens hear of earlier ones alone
    document["witness"]["out_tree"]["parents"] = [1, 2, 3, 4, 5, 6, 7, 7]
    document["witness"]["root"] = 7
    assert first_mistake(attention, document) == "the trees do not span the mask"
    document["witness"]["in_tree"]["parents"] = [1, 2, 3, 4, 5, 6, 7, 7]
    assert first_mistake(attention, document) is None
    assert first_mistake(one_way, document) == "the trees do not span the mask"


@settings(max_examples=30)
@given(st.integers(4, 40), st.integers(0, 2**32 - 1))
def test_branching_masks_are_universal_by_a_walk(n: int, seed: int) -> None:
    """Random trees with loops, most of which have no Hamiltonian path."""
    tree = networkx.random_labeled_tree(n, seed=seed)
    tree.add_edges_from((token, token) for token in range(n))
    attention = SparseAttention((AttentionGraph.from_networkx(tree),))
    document = said(attention)
    assert document["universal"] is True
    assert document["witness"]["kind"] == "walk"
    assert len(document["witness"]["tokens"]) <= 2 * n
    assert first_mistake(attention, document) is None


def test_trees_stand_for_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samapprox.attention.graphs.walks.MOST_STEPS", 3)
    attention = build("random-keys:r=9,seed=1", 30)
    document = said(attention)
    assert document["witness"]["kind"] == "trees"
    assert first_mistake(attention, document) is None
    document["witness"]["out_tree"], document["witness"]["in_tree"] = (
        document["witness"]["in_tree"],
        document["witness"]["out_tree"],
    )
    assert first_mistake(attention, document) == "the trees do not span the mask"


FIRST_VERSION = {
    "fixed:w=2,heads=multihead": """{"format": "samapprox-graph-check", "version": 1, "samapprox":
        "0.1.0", "mask": "fixed:w=2,heads=multihead", "tokens": 4, "universal": null,
        "assumption_1": true, "without_loop": [[]], "hamiltonian_path": [0, 1, 2, 3],
        "no_path": null, "layers": {"lower": 2, "upper": 2, "pair": [0, 2]}, "unreachable": null,
        "star": null, "mixed_heads": true, "assumption_2": null, "depth": null}""",
    "dilated": """{"format": "samapprox-graph-check", "version": 1, "samapprox": "0.1.0",
        "mask": "dilated", "tokens": 4, "universal": false, "assumption_1": false,
        "without_loop": [[]], "hamiltonian_path": null, "no_path": {"tokens": [0, 1],
        "kind": "apart", "text": "neither of the tokens 0 and 1 reaches the other, so no path holds
        both"}, "layers": null, "unreachable": [0, 1], "star": null, "mixed_heads": false,
        "assumption_2": null, "depth": null}""",
    "window": """{"format": "samapprox-graph-check", "version": 1, "samapprox": "0.1.0",
        "mask": "window", "tokens": 4, "universal": true, "assumption_1": true,
        "without_loop": [[]], "hamiltonian_path": [0, 1, 2, 3], "no_path": null,
        "layers": {"lower": 3, "upper": 3, "pair": [0, 3]}, "unreachable": null, "star": null,
        "mixed_heads": false, "assumption_2": null, "depth": null}""",
}


@pytest.mark.parametrize("spec", FIRST_VERSION)
def test_documents_of_the_first_version_can_be_read(spec: str) -> None:
    attention = build(spec, 4)
    document = json.loads(FIRST_VERSION[spec], strict=False)
    assert first_mistake(attention, document) is None
    universal = document["universal"]
    for other in {True, False, None} - {universal}:
        document["universal"] = other
        assert first_mistake(attention, document) == "its conclusion does not follow"
    document["universal"] = universal
    document["version"] = 2
    with pytest.raises(InputError, match="the document has no 'witness'"):
        first_mistake(attention, document)


def test_the_star_of_a_union() -> None:
    """Documents of version 1 name a star only if every pattern contains it."""
    half = AttentionGraph.from_csr([0, 1, 3, 4], [1, 0, 1, 0])
    rest = AttentionGraph.from_csr([0, 1, 1, 2], [2, 2])
    attention = SparseAttention((half, rest), Heads.UNION)
    document = said(attention)
    assert (document["star"], document["universal"]) == (0, True)
    assert first_mistake(attention, document) is None
    first = document | {"version": 1, "star": None, "universal": None, "no_path": None}
    first["hamiltonian_path"] = [1, 0, 2]
    assert first_mistake(attention, first) is None
    assert first_mistake(attention, document | {"star": None}) is not None


def test_reached_tokens_stop_early() -> None:
    """A document may claim as many layers as there are tokens and patterns."""
    patterns = (build("full", 400).union,) * 2
    assert ended_within(1, lambda: reached_tokens(patterns, 0, 20_000)).all()


def test_a_graph_alone() -> None:
    graph = AttentionGraph.from_csr([0, 1], [0])
    assert first_mistake(SparseAttention((graph,)), said(SparseAttention((graph,)))) is None


def test_a_single_token_needs_one_layer() -> None:
    graph = build("window:w=1", 1).union
    attention = SparseAttention((graph, graph), Heads.SEQUENTIAL)
    document = said(attention)
    assert first_mistake(attention, document) is None
    document["layers"]["lower"] = 2
    assert first_mistake(attention, document) == "token 0 reaches token 0 in 1 layer"


@cache
def pathless(kind: str) -> tuple[SparseAttention, Document]:
    """A star, or four cliques that share token 0, and what is said of it."""
    graph = networkx.star_graph(59)
    if kind == "pieces":
        parts = [networkx.complete_graph([0, *range(k, k + 19)]) for k in (1, 20, 39, 58)]
        graph = networkx.compose_all(parts)
    graph.add_edges_from((token, token) for token in list(graph))
    attention = SparseAttention((AttentionGraph.from_networkx(graph),))
    return attention, said(attention, path=True)


@pytest.mark.parametrize(
    ("kind", "false"),
    [
        ("crowded", {"tokens": [0, 1, 2]}),
        ("crowded", {"tokens": [1, 1, 1, 1]}),
        ("pieces", {"pieces": 5}),
        ("pieces", {"tokens": [1]}),
        ("pieces", {"tokens": [0, 1, 20]}),
    ],
)
def test_counts_that_exclude_a_path(kind: str, false: Document) -> None:
    attention, document = pathless(kind)
    none = document["no_path"]
    assert none["kind"] == kind
    assert first_mistake(attention, document) is None
    forged = {**document, "no_path": {**none, **false}}
    assert first_mistake(attention, forged) == "the proof of no path does not hold"
    for absurd in ({"side": "rows"}, {"kind": "guess"}, {"tokens": [80]}, {"tokens": "0"}):
        with pytest.raises(InputError):
            first_mistake(attention, {**document, "no_path": {**none, **absurd}})


@pytest.mark.parametrize("number", [4.0, "4", None, True, 1 << 60])
def test_numbers_of_pieces_are_whole_and_small(number: Any) -> None:
    attention, document = pathless("pieces")
    with pytest.raises(InputError):
        first_mistake(attention, {**document, "no_path": {**document["no_path"], "pieces": number}})
