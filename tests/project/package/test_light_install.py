"""A light install, numpy and click alone, checks every proof and decides d = 1.

The first test hides all other packages from this interpreter. The second one installs: it needs a
package index, and is skipped without one, unless SAMAPPROX_LIGHT_INSTALL=1 demands it.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from helpers.commands import run
from helpers.paths import ROOT, STORED_CERTIFICATES
from helpers.programs.light import Done, run_light

from samapprox import Pattern, save
from samapprox.cli.main import COMMANDS
from samapprox.proofs import KNOWN_KINDS
from samapprox.support.packages import PACKAGES

HIDDEN = sorted(PACKAGES.keys() - {"click", "numpy"})
FORMATS = ("txt", "npz", "npy", "csv", "mtx", "txt.gz", "mtx.gz")


@dataclass
class Questions:
    """Commands for a light install, and what each must say."""

    folder: Path
    commands: list[list[str]] = field(default_factory=list)
    expected: list[tuple[int, str]] = field(default_factory=list)

    def ask(self, exit_code: int, words: str, *command: str) -> None:
        """Ask a command whose output or complaint must hold these words."""
        self.commands.append(list(command))
        self.expected.append((exit_code, words))

    def judge(self, done: list[Done]) -> None:
        """Compare with what was expected."""
        for command, (exit_code, words), one in zip(
            self.commands, self.expected, done, strict=True
        ):
            assert one.exit_code == exit_code, (command, one)
            assert words in one.stdout + one.stderr, (command, one)
            if exit_code == 2:
                assert one.stderr.startswith("samapprox: error: "), (command, one)
                assert one.stderr.count("\n") == 1, (command, one)


def questions(folder: Path) -> Questions:
    """All that a light install is asked."""
    asked = Questions(folder)
    _ask_for_checks(asked)
    _ask_for_a_long_refutation(asked)
    _ask_for_other_inputs(asked)
    _ask_for_the_line(asked)
    _ask_for_what_is_missing(asked)
    _ask_for_help(asked)
    return asked


def _ask_for_checks(asked: Questions) -> None:
    """Certificates of each kind: for their patterns, as text and in two formats, and for others."""
    kinds: set[str] = set()
    turns = cycle(FORMATS)
    for path in sorted(STORED_CERTIFICATES.glob("certificates_of_*.json")):
        for name, old in json.loads(path.read_text()).items():
            document = json.loads(old["document"])
            kinds.add(document["proof"]["kind"])
            pattern = Pattern.from_text("\n".join(old["pattern"]))
            certificate = f"{name}.json" + ".gz" * (len(kinds) % 2)
            text = json.dumps(document).encode()
            packed = gzip.compress(text) if certificate.endswith(".gz") else text
            (asked.folder / certificate).write_bytes(packed)
            for form in ("txt", next(turns), next(turns)):
                if pattern.is_specified or not form.startswith(("npy", "mtx")):
                    _write(pattern, asked.folder / f"{name}.{form}")
                    asked.ask(0, "VALID: ", "verify", f"{name}.{form}", certificate)
            rows = [list(row) for row in old["pattern"]]
            rows[0][0] = "1" if rows[0][0] == "0" else "0"
            rows[0][1] = "1"
            (asked.folder / f"{name}-other.txt").write_text("\n".join(map("".join, rows)))
            asked.ask(1, "NOT VALID", "verify", f"{name}-other.txt", certificate)
            if document["answer"] == "YES":
                asked.ask(
                    0, "", "verify", f"{name}.txt", certificate, "--embedding", f"{name}.npz.npz"
                )
    assert kinds == set(KNOWN_KINDS)


def _write(pattern: Pattern, path: Path) -> None:
    """Write a pattern in the format of the path's ending, also where samapprox itself does not."""
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if plain.suffix == ".mtx":
        scipy.io.mmwrite(plain, scipy.sparse.coo_array(pattern.to_array()))
    else:
        save(pattern, plain)
    if plain != path:
        path.write_bytes(gzip.compress(plain.read_bytes()))


def _ask_for_a_long_refutation(asked: Questions) -> None:
    """3,125 lemmas: more than are followed in Python where there is compiled code."""
    name = "s30_L2_H04_top3_n74"
    shutil.copy(ROOT / "benchmarks" / "certificates" / f"{name}.no.json.gz", asked.folder)
    from importlib import import_module

    questions = import_module("records.results").questions([32])
    (question,) = (one for one in questions if one.name == name)
    save(question.pattern, asked.folder / "long.npz")
    asked.ask(0, "VALID: NO", "verify", "long.npz", f"{name}.no.json.gz")


def _ask_for_other_inputs(asked: Questions) -> None:
    """A sparse matrix of scipy, an archive with several arrays, relevance judgements."""
    entries = np.tril(np.ones((6, 6), dtype=np.int8))
    scipy.sparse.save_npz(asked.folder / "sparse.npz", scipy.sparse.csr_array(entries))
    np.savez(asked.folder / "several.npz", A=entries, B=entries[::-1])
    lines = [f"q{i} 0 d{j} 1" for i, j in np.argwhere(entries).tolist()]
    (asked.folder / "judged.qrels").write_text("\n".join(lines))
    for number, (source, *options) in enumerate(
        (["sparse.npz"], ["several.npz", "--key", "A"], ["judged.qrels"])
    ):
        certificate = f"input-{number}.json"
        asked.ask(0, "YES", "decide", source, *options, "-d", "1", "--certificate", certificate)
        asked.ask(0, "VALID: YES for d = 1", "verify", source, certificate, *options)
        asked.ask(0, "6", "show", source, *options)


def _ask_for_the_line(asked: Questions) -> None:
    """The same words as with all packages."""
    rng = np.random.default_rng(0)
    texts = {
        "yes": "100\n110\n011",
        "no": "100\n010\n001",
        "care": "10*\n*10\n0*1",
        "random": "\n".join("".join(row) for row in rng.choice(["0", "1"], (30, 30))),
    }
    for name, text in texts.items():
        (asked.folder / f"{name}-line.txt").write_text(text)
        for options in ([], ["--d-hid", "1"], ["--d-hid", "2"], ["--causal"], ["--json"]):
            if name == "care" and options[:1] in (["--d-hid"], ["--causal"]):
                continue  # other packages decide these
            command = ["decide", str(asked.folder / f"{name}-line.txt"), "-d", "1", *options]
            full = run(*command)
            if name == "random" and "--causal" in options:
                continue
            words = "" if "--json" in options else full.stdout
            asked.ask(full.exit_code, words, *command)


def _ask_for_what_is_missing(asked: Questions) -> None:
    """One line that names the packages."""
    entries = np.random.default_rng(1).integers(0, 2, (17, 17))
    save(Pattern.from_array(entries), asked.folder / "large.npz")
    solvers = "needs numba, ortools, python-sat, scipy, threadpoolctl: pip install numba ortools"
    asked.ask(2, f"deciding d = 2 {solvers}", "decide", "large.npz", "-d", "2")
    asked.ask(2, f"the least dimension {solvers}", "dim", "large.npz")
    asked.ask(2, "pip install matplotlib", "plot", "large.npz", "-o", "large.png")
    vectors = np.random.default_rng(0).standard_normal((400, 8))
    np.save(asked.folder / "vectors.npy", vectors)
    np.save(asked.folder / "bits.npy", (vectors > 0).astype(np.uint8))
    asked.ask(0, "greatest distance", "furthest", "vectors.npy")
    asked.ask(2, "pip install numba", "furthest", "vectors.npy", "--kernel", "tiles")
    asked.ask(0, "orthogonal pairs", "orthogonal", "bits.npy", "--count", "--least")
    asked.ask(0, "1 chain", "cot", "generate", "arithmetic", "--size", "4", "-o", "chain.json")
    asked.ask(0, "VALID: 1 chain", "cot", "replay", "chain.json")


def _ask_for_help(asked: Questions) -> None:
    asked.ask(0, "samapprox, version", "--version")
    asked.ask(0, "verify", "--help")
    for name in COMMANDS:
        asked.ask(0, "Usage: ", name, "--help")
    for document in ("certificate", "verdict"):
        asked.ask(0, '"$id"', "schema", document)


def test_numpy_and_click_are_enough(tmp_path: Path) -> None:
    asked = questions(tmp_path)
    done, loaded = run_light(asked.commands, tmp_path, hidden=HIDDEN)
    asked.judge(done)
    assert not loaded & set(HIDDEN)


@pytest.mark.slow
def test_a_light_install_is_enough(tmp_path: Path) -> None:
    asked = questions(tmp_path)
    done, loaded = run_light(asked.commands, tmp_path, python=_install(tmp_path / "venv"))
    asked.judge(done)
    assert not loaded & set(HIDDEN)


def _install(folder: Path) -> str:
    """A new environment with numpy, click and this tree, as the documentation says."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")

    def install(*what: str) -> subprocess.CompletedProcess[Any]:
        command = [sys.executable, "-m", "pip", "--python", python, "install", "-q", *what]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = install("numpy", "click")
    if done.returncode:
        if os.environ.get("SAMAPPROX_LIGHT_INSTALL"):
            pytest.fail(done.stderr)
        pytest.skip(f"no package index: {done.stderr.strip().splitlines()[-1]}")
    source = folder / "source"  # building leaves files in the tree
    (source / "docs").mkdir(parents=True)
    for name in ("LICENSE", "NOTICE", "docs/package-index.md", "pyproject.toml"):
        shutil.copy(ROOT / name, source / name)
    for name in ("attention", "batch", "cli", "core", "data", "reductions", "solvers"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    done = install("--no-deps", str(source))
    assert done.returncode == 0, done.stderr
    return python
