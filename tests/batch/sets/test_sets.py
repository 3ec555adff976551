"""Members of sets: every kind of source, and hostile ones."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from samapprox import Fact, InputError, Instance, Pattern, load, save
from samapprox.batch import Question, Store, run
from samapprox.batch.sets import sets
from samapprox.batch.sets.entry import Entry, File, HoldsStacks, StackEntries, stamp
from samapprox.batch.sets.facts import distinct
from samapprox.batch.sets.sets import entries_of_file, open_set
from samapprox.data import manifest, path
from samapprox.reductions.families import generate

pytestmark = pytest.mark.usefixtures("_in_process")


def entries(*sources: str | Path) -> list[Entry]:
    opened = open_set([str(source) for source in sources])
    listed = [entry for some in opened for entry in some]
    assert len(listed) == opened.count
    assert len({entry.name for entry in listed}) == len(listed)
    return listed


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "model" / "deep").mkdir(parents=True)
    first, second = Pattern.from_text("10\n01"), Pattern.from_text("1*\n11")
    save(first, tmp_path / "model" / "L3_H12.npz")
    save(second, tmp_path / "model" / "deep" / "b.txt")
    (tmp_path / "README.md").write_text("no pattern")
    (tmp_path / ".hidden.npz").write_text("no pattern")
    found = entries(tmp_path)
    assert [entry.name for entry in found] == ["model/L3_H12.npz", "model/deep/b.txt"]
    assert [entry.load().pattern for entry in found] == [first, second]
    assert [entry.family for entry in found] == ["model", "model/deep"]
    before = found[0].stamp
    save(second, tmp_path / "model" / "L3_H12.npz")
    assert entries(tmp_path)[0].stamp != before


@pytest.mark.parametrize("absolute", [False, True])
def test_paths_of_a_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("10\n")
    digest = hashlib.sha256(b"10\n").hexdigest()
    named = [str(tmp_path / "sub" / "a.txt"), "./sub//a.txt", "sub/a.txt"]
    files = [{"file": name, "sha256": digest, "facts": []} for name in named]
    document = {
        "format": "samapprox-manifest",
        "version": 1,
        "sets": [{"name": "own", "kind": "pattern", "files": files}],
    }
    (tmp_path / "m.json").write_text(json.dumps(document))
    monkeypatch.chdir(tmp_path)
    found = entries(tmp_path / "m.json" if absolute else "m.json")
    assert [entry.name for entry in found] == named
    assert {entry.stamp for entry in found} == {stamp("sub/a.txt")}
    below = named[0] if absolute else "sub/a.txt"
    assert [entry.source for entry in found] == [
        File(path, digest) for path in (named[0], below, below)
    ]
    assert all(entry.load().pattern.shape == (1, 2) for entry in found)


@pytest.mark.parametrize(
    ("folder", "path"),
    [("/", "/s/a.txt"), (".", "s/a.txt"), ("./", "s/a.txt"), ("s/..//", "s/../s/a.txt")],
)
def test_paths_below_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, path: str
) -> None:
    (tmp_path / "s").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sets, "_files", lambda *_folder: ["s/a.txt"])
    (entry,) = entries(folder)
    assert (entry.name, entry.source) == ("s/a.txt", File(path))


@pytest.mark.parametrize("compressed", [False, True])
def test_stacks(tmp_path: Path, compressed: bool) -> None:
    rng = np.random.default_rng(3)
    stack = (rng.random((5, 6, 3, 4)) < 0.6).astype(np.int8)
    stack[..., 0] = 1
    care = (rng.random((5, 6, 3, 4)) < 0.8).astype(np.int8)
    care[..., 0] = 1
    (np.savez_compressed if compressed else np.savez)(tmp_path / "s.npz", S=stack, care=care)
    found = entries(tmp_path / "s.npz")
    assert [entry.name for entry in found][7] == "s.npz:S[1,1]"
    for number, entry in enumerate(found):
        at = divmod(number, 6)
        assert entry.load().pattern == Pattern.from_array(stack[at], care[at])
        assert entry.load().origin["position"] == f"{at[0]},{at[1]}"
    # In a folder it is one entry, until somebody loads it.
    (within,) = entries(tmp_path)
    with pytest.raises(HoldsStacks):
        within.load()
    apart = [entry for some in entries_of_file(within) for entry in some]
    assert [entry.name for entry in apart] == [entry.name for entry in found]
    assert apart[7].load().pattern == found[7].load().pattern


def test_stacks_of_every_order_and_type(tmp_path: Path) -> None:
    stack = np.ones((4, 2, 3), dtype=np.float32)
    stack[2, 1, :2] = 0
    np.save(tmp_path / "f.npy", np.asfortranarray(stack))
    np.save(tmp_path / "text.npy", np.where(stack == 1, "1", "*"))
    assert [e.load().pattern for e in entries(tmp_path / "f.npy")] == [
        Pattern.from_array(matrix) for matrix in stack
    ]
    assert entries(tmp_path / "text.npy")[2].load().pattern == Pattern.from_text("111\n**1")


def test_pieces_of_a_stack(tmp_path: Path) -> None:
    np.save(tmp_path / "s.npy", np.arange(40).reshape(10, 2, 2) % 3 == 0)
    (block,) = open_set([str(tmp_path / "s.npy")])
    assert [entry.name for entry in block[2:4]] == ["s.npy:[2]", "s.npy:[3]"]
    with pytest.raises(IndexError):
        block[10]


def test_pieces_of_a_stack_of_layers_and_heads(tmp_path: Path) -> None:
    rng = np.random.RandomState(0)
    stack = rng.randint(2, size=(3, 4, 2, 5))
    stack[..., 0] = 1
    care = rng.randint(2, size=stack.shape)
    care[..., 0] = 1
    np.savez(tmp_path / "s.npz", S=stack, care=care)
    (block,) = open_set([str(tmp_path / "s.npz")])
    assert isinstance(block, StackEntries)
    places = [(layer, head) for layer in range(3) for head in range(4)]
    assert block.names == [entry.name for entry in block]
    assert block.names == [f"s.npz:S[{layer},{head}]" for layer, head in places]
    done = rng.randint(2, size=12).astype(bool).tolist()
    left = block.without(done)
    assert len(left) == 12 - sum(done)
    for part, chosen in ((left, np.flatnonzero(~np.array(done))), (block[3:9:2], range(3, 9, 2))):
        assert part.names == [block.names[at] for at in chosen]
        for entry, at in zip(part, chosen, strict=True):
            instance = entry.load()
            assert instance.pattern == Pattern.from_array(stack[places[at]], care[places[at]])
            assert instance.pattern == load(tmp_path / "s.npz", key=entry.name.partition(":")[2])
            assert instance.origin["position"] == "{},{}".format(*places[at])


def test_damage_within_a_stack_ends_it_alone(tmp_path: Path) -> None:
    stack = np.ones((3000, 30, 30), dtype=np.uint8)
    np.savez(tmp_path / "s.npz", S=stack)
    content = bytearray((tmp_path / "s.npz").read_bytes())
    content[len(content) // 2] = 7
    (tmp_path / "s.npz").write_bytes(content)
    found = [entry for some in open_set([str(tmp_path / "s.npz")]) for entry in some]
    assert len(found) > 1000
    with pytest.raises(InputError, match="Bad CRC"):
        found[-1].load()


def test_a_stack_that_changes_once_it_is_listed(tmp_path: Path) -> None:
    np.save(tmp_path / "s.npy", np.ones((2, 3, 3)))
    opened = open_set([str(tmp_path / "s.npy")])
    np.save(tmp_path / "s.npy", np.ones((3, 3)))
    (found,) = (entry for part in opened for entry in part)
    assert found.name == "s.npy"
    with pytest.raises(InputError, match=r"s.npy: the array has 2 dimensions \(3, 3\): no stack"):
        found.load()


def test_a_manifest(tmp_path: Path) -> None:
    listed = [
        file for part in manifest()["sets"] if part["kind"] == "pattern" for file in part["files"]
    ]
    found = entries(path("limit/limit.npz").parent.parent / "manifest.json")
    assert [entry.name for entry in found] == [file["file"] for file in listed]
    assert [entry.facts for entry in found] == [
        tuple(Fact(**fact) for fact in file["facts"]) for file in listed
    ]
    assert {entry.family for entry in found} == {"minilm", "limit", "oriented-matroids"}
    assert found[0].load().pattern.shape == tuple(listed[0]["shape"])
    # Facts are part of the stamp, and a changed file is an error of its own.
    document = {
        "format": "samapprox-manifest",
        "version": 1,
        "sets": [
            {"name": "own", "kind": "pattern", "files": [
                {"file": "a.txt", "sha256": "0" * 64, "facts": []},
                {"file": "a.txt", "sha256": "0" * 64,
                 "facts": [{"d": 1, "d_hid": None, "answer": "YES", "reason": "one row"}]},
            ]}
        ],
    }  # fmt: skip
    (tmp_path / "a.txt").write_text("10\n")
    (tmp_path / "m.json").write_text(json.dumps(document))
    once, again = entries(tmp_path / "m.json")
    assert (once.name, again.name) == ("a.txt", "a.txt#2")
    assert once.stamp != again.stamp
    with pytest.raises(InputError, match="SHA-256"):
        once.load()


def test_a_manifest_of_ones_own_needs_no_more_than_files_and_answers(tmp_path: Path) -> None:
    def written(*facts: dict[str, object]) -> Path:
        files = [{"file": "a.txt", "facts": facts}, {"file": "b.txt"}]
        sets = [{"name": "own", "kind": "pattern", "files": files}]
        document = {"format": "samapprox-manifest", "version": 1, "sets": sets}
        (tmp_path / "m.json").write_text(json.dumps(document))
        return tmp_path / "m.json"

    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("10\n")
    once, again = entries(written({"d": 1, "answer": "YES"}))
    assert once.facts == (Fact(1, None, "YES", ""),)
    assert again.facts == ()
    assert once.load().pattern == again.load().pattern == Pattern.from_text("10")
    for wrong, said in [
        ({"answer": "YES"}, "a.txt: a fact has no 'd'"),
        ({"d": 1, "answer": "YES", "dhid": 1}, "a.txt: a fact has .*, but no 'dhid'"),
        ({"d": 1, "d_hid": "1", "answer": "YES"}, "a.txt: 'd_hid' in a fact has the wrong type"),
    ]:
        with pytest.raises(InputError, match=rf"m\.json: {said}"):
            entries(written(wrong))


def test_families() -> None:
    found = entries("line:rows=4,columns=5,count=3,seed=7", "hadamard:", "random:rows=3,columns=3")
    assert [entry.name for entry in found] == [
        "line:columns=5,rows=4,seed=7",
        "line:columns=5,rows=4,seed=8",
        "line:columns=5,rows=4,seed=9",
        "hadamard",
        "random:columns=3,rows=3,seed=0",
    ]
    assert found[2].load().pattern == generate("line", rows=4, columns=5, seed=9).pattern
    here = path("limit/limit.npz")
    assert [entry.name for entry in entries(here)] == ["limit.npz"]
    both = [entry.name for entry in entries(here, here, "hadamard")]
    assert both == [str(here), f"{here}#2", "hadamard"]
    twice = entries("line:seed=1", "hadamard", "line:seed=1")
    assert [entry.name for entry in twice] == ["line:seed=1", "hadamard", "line#2/line:seed=1"]


def test_facts_of_the_set_and_of_the_file(tmp_path: Path) -> None:
    fact = Fact(1, None, "YES", "one row")
    save(Instance(Pattern.from_text("10"), (fact,)), tmp_path / "a.npz")
    (entry,) = entries(tmp_path)
    more = Entry(entry.name, entry.stamp, entry.source, None, (fact, Fact(2, None, "YES", "so")))
    assert [one.d for one in more.load().facts] == [1, 2]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("no/such/place", "no such file, folder or family"),
        ("line:rows=4,rows=5", "rows is given twice"),
        ("line:magic=1", "line has no parameter 'magic'; there are: rows, columns"),
        ("line:rows", "'rows' must look like key=value"),
        ("line:rows=many", "rows must be a whole number, not 'many'"),
        ("line:count=0", "count must be in"),
        ("hadamard:count=2", "1 for a family without a seed"),
        ("a\x00b", "no such file"),
        (os.devnull, "a pipe or device is no set"),
        ("EMPTY", "the folder has no pattern file"),
        ("BROKEN.json", "not a JSON manifest"),
        ("OTHER.json", 'begins with {"format": "samapprox-manifest", "version": 1'),
        ("OUTSIDE.json", "outside the manifest's folder"),
        ("NONE.json", "lists no pattern"),
        ("BADFACT.json", "BADFACT.json"),
        ("BROKEN.npz", "BROKEN.npz"),
    ],
)
def test_sources_that_cannot_be_used(tmp_path: Path, source: str, said: str) -> None:
    def listing(*files: object) -> str:
        sets = [{"name": "x", "kind": "pattern", "files": list(files)}]
        return json.dumps({"format": "samapprox-manifest", "version": 1, "sets": sets})

    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "EMPTY" / "README.md").write_text("")
    (tmp_path / "BROKEN.json").write_text("{" * 100_000)
    (tmp_path / "BROKEN.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "OTHER.json").write_text("{}")
    (tmp_path / "NONE.json").write_text(listing())
    (tmp_path / "OUTSIDE.json").write_text(listing({"file": "../a.npz", "sha256": ""}))
    (tmp_path / "BADFACT.json").write_text(
        listing({"file": "a.npz", "sha256": "", "facts": [{"d": 0, "magic": 1}]})
    )
    with pytest.raises(InputError, match=said):
        open_set([str(tmp_path / source) if source.isupper() or "." in source else source])


def test_names_are_told_apart() -> None:
    assert distinct(["a", "a", "a#2", "a", "b"]) == ["a", "a#3", "a#2", "a#4", "b"]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 in the name of a file, a folder and in what went wrong."""
    folder = tmp_path / os.fsdecode(b"s\xfe")
    try:
        folder.mkdir()
        (folder / os.fsdecode(b"a\xff.txt")).write_text("10\n01\n")
        (folder / os.fsdecode(b"b\xff.txt")).write_text("x\n")
    except OSError:
        pytest.skip("this file system wants text")
    results = tmp_path / "r.sqlite"
    done = run([str(tmp_path)], Question("decide", d=1), results, jobs=1)
    assert run([str(tmp_path)], Question("decide", d=1), results, jobs=1).skipped == 1
    with Store(results) as store:
        found = {o.name: (o.family, o.verdict) for o in store.outcomes(done.question)}
    assert found == {
        "s\\udcfe/a\\udcff.txt": ("s\\udcfe", "YES"),
        "s\\udcfe/b\\udcff.txt": ("s\\udcfe", "ERROR"),
    }
