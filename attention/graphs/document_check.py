"""An independent check of the output of `samapprox graph check --json`, without a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import unreachable
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.hamilton import is_hamiltonian_path
from samapprox.attention.graphs.hamilton_refutations import (
    Apart,
    Crowded,
    NoPath,
    Pieces,
    Uncrossable,
)
from samapprox.attention.graphs.heads import Heads, SparseAttention
from samapprox.attention.graphs.universality import least_layers, star_centre
from samapprox.attention.graphs.walks import Tree, Trees, Walk, are_spanning_trees, is_covering_walk
from samapprox.errors import InputError
from samapprox.support.arrays import flags_at
from samapprox.support.text import plural


def first_mistake(attention: SparseAttention, document: Mapping[str, Any]) -> str | None:
    """Return the first wrong statement of a document of `graph check`, or None if all are right.

    The document is one of `samapprox schema graph-check`, or of version 1, without a walk and
    always with a path or the reason why there is none. Assumption 2 and the depth are formulas and
    are not checked.
    """
    version = document.get("version")
    known = type(version) is int and version in (1, 2)
    if document.get("format") != "samapprox-graph-check" or not known:
        raise InputError("not what `samapprox graph check --json` prints, version 1 or 2")
    for name in _MEMBERS if version == 2 else set(_MEMBERS) - {"witness"}:
        if name not in document:
            raise InputError(f"the document has no {name!r}; write it by `graph check --json`")
    try:
        return _first_mistake(attention, document)
    except (TypeError, KeyError, AttributeError, IndexError, ValueError, OverflowError):
        raise InputError("the document is damaged; write it by `graph check --json`") from None


def reached_tokens(
    patterns: tuple[AttentionGraph, ...], query: int, layers: int
) -> np.ndarray[Any, Any]:
    """Find the tokens that a query can reach in so many layers: S_k^t of Yun et al. (2020), 3.2."""
    if len(patterns) == 1 and not patterns[0].without_loop.size:
        depths = patterns[0].depths(query)
        return (depths >= 0) & (depths <= layers)
    reached = flags_at(query, patterns[0].n)
    looped = not any(graph.without_loop.size for graph in patterns)
    for layer in reversed(range(layers)):  # the last layer is the first to be asked
        if looped and reached.all():  # and remains so
            break
        graph = patterns[layer % len(patterns)]
        following = np.zeros_like(reached)
        following[graph.indices[reached[graph.queries]]] = True
        reached = following
    return reached


_MEMBERS = (
    "without_loop",
    "hamiltonian_path",
    "no_path",
    "unreachable",
    "layers",
    "witness",
    "star",
)


def _first_mistake(attention: SparseAttention, document: Mapping[str, Any]) -> str | None:
    by_layer, union = attention.by_layer(), attention.union
    followed = attention.selectable if document["version"] == 2 else by_layer
    if _whole(document["tokens"]) != attention.n:
        return f"it is about {document['tokens']} tokens, not {attention.n}"
    lacking = [_tokens(tokens, attention.n).tolist() for tokens in document["without_loop"]]
    if lacking != [graph.without_loop.tolist() for graph in followed]:
        return "its list of tokens without a self-loop is wrong"
    for problem in (
        _path(union, document),
        _unreachable(union, document),
        _witness(followed, document),
        _layers(by_layer, union, document),
    ):
        if problem is not None:
            return problem
    # Version 1 did not look for the star of a union
    centre = star_centre(followed if document["version"] == 2 else attention.patterns)
    if (None if document["star"] is None else _whole(document["star"])) != centre:
        return "its star has the wrong centre, or there is no star"
    mixed = attention.heads is Heads.MULTIHEAD and len(attention.patterns) > 1
    if document["mixed_heads"] is not mixed:
        return "heads of one layer share one pattern" if not mixed else "heads differ in pattern"
    return _conclusion(document)


def _path(union: AttentionGraph, document: Mapping[str, Any]) -> str | None:
    gamma, none = document["hamiltonian_path"], document["no_path"]
    if gamma is not None and none is not None:
        return "it gives both a Hamiltonian path and a reason why none exists"
    if gamma is not None:
        good = is_hamiltonian_path(union, _tokens(gamma, union.n))
        return None if good else "the path does not go from key to query through all tokens"
    if none is None and document["version"] == 1:
        return "it must give either a Hamiltonian path or a reason why none exists"
    if none is None or none["kind"] == "unknown":
        return None
    return None if _proof(none, union.n).holds(union) else "the proof of no path does not hold"


def _witness(patterns: tuple[AttentionGraph, ...], document: Mapping[str, Any]) -> str | None:
    """Check the walk, or the trees from which it follows, against the patterns."""
    if document["version"] == 1:
        return None
    witness = document["witness"]
    if (witness is None) != (document["unreachable"] is not None):
        return "it must give a walk if and only if every token hears of every other"
    if witness is None:
        return None
    n, p = patterns[0].n, len(patterns)
    if witness["kind"] == "walk":
        walk = Walk(_tokens(witness["tokens"], n), _tokens(witness["patterns"], p))
        return None if is_covering_walk(patterns, walk) else "the walk does not cover the mask"
    if witness["kind"] != "trees":
        raise ValueError
    out, back = (
        Tree(_tokens(witness[name]["parents"], n), _tokens(witness[name]["patterns"], p))
        for name in ("out_tree", "in_tree")
    )
    trees = Trees(_token(witness["root"], n), out, back)
    return None if are_spanning_trees(patterns, trees) else "the trees do not span the mask"


def _proof(none: Mapping[str, Any], n: int) -> NoPath:
    """Return the proof of a document."""
    if none["kind"] == "uncrossable":
        sets = tuple(tuple(_token(token, n) for token in tokens) for tokens in none["sets"])
        lemmas = tuple(tuple(map(_literal, lemma)) for lemma in none["lemmas"])
        return Uncrossable(sets, lemmas)
    tokens = tuple(_token(token, n) for token in none["tokens"])
    if none["kind"] == "apart":
        one, two = tokens
        return Apart((one, two))
    if none["side"] not in ("keys", "queries"):
        raise ValueError
    if none["kind"] == "crowded":
        return Crowded(tokens, none["side"])
    if none["kind"] == "pieces":
        return Pieces(tokens, none["side"], _whole(none["pieces"]))
    raise ValueError


def _unreachable(union: AttentionGraph, document: Mapping[str, Any]) -> str | None:
    never = document["unreachable"]
    if never is None:
        return None
    query, key = (_token(token, union.n) for token in never)
    if document["layers"] is not None:
        return "it bounds the layers, but some token never reaches another"
    return f"token {key} reaches token {query}" if union.depths(query)[key] >= 0 else None


def _layers(
    patterns: tuple[AttentionGraph, ...], union: AttentionGraph, document: Mapping[str, Any]
) -> str | None:
    layers = document["layers"]
    looped = not any(document["without_loop"])
    if (layers is not None) != (looped and document["unreachable"] is None):
        return "it must bound the layers if and only if it says that they are finite"
    if layers is None:
        return None
    lower, upper = _whole(layers["lower"]), _whole(layers["upper"])
    query, key = (_token(token, union.n) for token in layers["pair"])
    if unreachable(union) is not None:
        return "it bounds the layers, but some token never reaches another"
    if not 1 <= lower <= union.n * len(patterns):
        return f"{lower} is no lower bound on the layers"
    if max(union.n, lower) > 1 and reached_tokens(patterns, query, lower - 1)[key]:
        return f"token {key} reaches token {query} in {plural(lower - 1, 'layer')}"
    if least_layers(patterns, union).upper > upper:
        return f"{plural(upper, 'layer')} may not be enough"
    return None


def _conclusion(document: Mapping[str, Any]) -> str | None:
    """Check whether the conclusion follows from its parts, each of which holds."""
    looped = not any(document["without_loop"])
    reaches = document["unreachable"] is None
    first: bool | None = looped and reaches
    if first and document["hamiltonian_path"] is None:
        none = document["no_path"]
        first = None if none is None or none["kind"] == "unknown" else False
    if document["assumption_1"] is not first:
        return "its statement on Assumption 1 does not follow"
    star = document["star"] is not None
    if document["version"] == 1:  # which knew neither walks nor several heads
        universal = True if (first or star) and not document["mixed_heads"] else None
    else:
        universal = True if looped or star else None
    if not reaches:
        universal = False
    return None if document["universal"] is universal else "its conclusion does not follow"


def _tokens(values: Any, n: int) -> NDArray[np.int64]:
    """Read a list of numbers below n."""
    if type(values) is not list:
        raise ValueError
    return np.array([_token(value, n) for value in values], dtype=np.int64)


def _token(value: Any, n: int) -> int:
    if type(value) is not int or not 0 <= value < n:
        raise ValueError
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) >= 1 << 60:
        raise ValueError
    return value


def _literal(value: Any) -> int:
    if not _whole(value):
        raise ValueError
    return _whole(value)
