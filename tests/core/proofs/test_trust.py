"""The trusted code is one folder, and little else: read from the sources."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

from helpers.paths import STORED_CERTIFICATES

import samapprox
from samapprox.proofs import KNOWN_KINDS

CORE = Path(samapprox.__file__).parent
PROOFS = "samapprox.proofs"

TRUSTED = {
    "samapprox.errors",
    "samapprox.pattern",
    "samapprox.problem",
    "samapprox.sign_matrix",
    "samapprox.similarities",
    "samapprox.storage",
    "samapprox.storage.matrices",
    "samapprox.storage.sparse",
    "samapprox.storage.entries",
    "samapprox.support",
    "samapprox.support.arrays",  # flags at places, and places of numbers
    "samapprox.support.limits",  # for `jit`, which pauses it
    "samapprox.support.jit",  # for `propagation` and `logits_kernel`
    "samapprox.support.parallel",  # threads for the pattern's long loops
    "samapprox.support.packages",  # names of modules, and words
    "samapprox.support.progress",  # what those loops report
    "samapprox.support.text",  # words
}
"""All that a check may import besides the proofs' own folder."""

UNTRUSTED = {
    "samapprox.proofs.certificate",
}
"""Modules of that folder that no check asks for: documents and files."""

OUTSIDE = {"numpy"}

LATER = {
    "numba": {"samapprox.support.jit", "samapprox.proofs.refutations.propagation"},
    "scipy": {"samapprox.pattern"},  # reading and writing scipy's matrices
}
"""Imports of other things -> the modules that may hold them, none of which runs in a check."""


def source(module: str) -> Path | None:
    """The file of a module in core."""
    parts = module.split(".")[1:]
    for path in (CORE.joinpath(*parts, "__init__.py"), CORE.joinpath(*parts).with_suffix(".py")):
        if path.exists() and (parts or path.name == "__init__.py"):
            return path
    return None


def imports(module: str) -> Iterator[str]:
    """Modules that a module imports anywhere, but for those that only type checkers see."""
    path = source(module)
    assert path is not None, module
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            yield origin
            for alias in node.names:
                name = f"{origin}.{alias.name}"
                if name.startswith("samapprox.") and source(name) is not None:
                    yield name


def parents(module: str) -> Iterator[str]:
    """The packages that are imported before a module; samapprox itself imports everything."""
    parts = module.split(".")
    yield from (".".join(parts[:end]) for end in range(2, len(parts)))


def within(module: str, *packages: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


BY_NAME = {"__import__", "eval", "exec", "import_module", "importlib", "modules", "runpy"}
"""Names with which Python finds modules that no import statement says."""


def names(module: str) -> set[str]:
    """All names that a module uses, also as attributes and in imports."""
    found: set[str] = set()
    path = source(module)
    assert path is not None, module
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.update(node.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            found.update((node.module or "").split("."))
    return found


def test_checks_import_only_what_is_trusted() -> None:
    folder = CORE / "proofs"
    modules = {
        ".".join([PROOFS, *path.relative_to(folder).with_suffix("").parts]).removesuffix(
            ".__init__"
        )
        for path in folder.rglob("*.py")
    }
    roots = [f"{PROOFS}.checker", f"{PROOFS}.questions"]
    roots += [kind.module for kind in KNOWN_KINDS.values()]
    roots += ["samapprox.similarities"]
    assert set(roots) <= modules | TRUSTED
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        for found in (*parents(module), *imports(module)):
            top = found.partition(".")[0]
            later = LATER.get(top, set()) | LATER.get(found, set())
            if top in sys.stdlib_module_names or top in OUTSIDE or module in later:
                continue
            assert found in modules or found in TRUSTED, f"{module} imports {found}"
            waiting.append(found)
    assert seen >= TRUSTED, f"not needed: {TRUSTED - seen}"
    assert modules - seen == UNTRUSTED
    by_name = {module for module in seen if names(module) & BY_NAME}
    assert by_name == {
        "samapprox.proofs",  # the table of kinds
        "samapprox.support.packages",  # names of modules, and parts that no check asks for
    }


CHECK_ALL = """
import json, sys, types
bare = types.ModuleType("samapprox")  # without its own imports, which are those of everything
bare.__path__ = [sys.argv[1]]
sys.modules["samapprox"] = bare
before = set(sys.modules)
from samapprox.pattern import Pattern
from samapprox.proofs.checker import check
from samapprox.proofs.members import Part
from samapprox.proofs import KNOWN_KINDS, read_proof
from samapprox.proofs.questions import KNOWN_QUESTIONS, read_question
kinds = set()
for old in json.loads(sys.stdin.read()).values():
    document = json.loads(old["document"])
    pattern = Pattern.from_text("\\n".join(old["pattern"]))
    terms = document["problem"]
    task, terms = read_question(Part(terms, "the problem"))
    question = KNOWN_QUESTIONS[task].load(pattern, **terms)
    assert check(question, read_proof(Part(document["proof"], "the proof"))) is None
    kinds.add(document["proof"]["kind"])
assert kinds == set(KNOWN_KINDS), kinds
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_checks_that_run_load_only_what_is_trusted() -> None:
    """However they import it: each kind is checked in a new interpreter."""
    certificates: dict[str, object] = {}
    for path in STORED_CERTIFICATES.glob("certificates_of_*.json"):
        certificates |= json.loads(path.read_text())
    run = subprocess.run(
        [sys.executable, "-c", CHECK_ALL, str(CORE)],
        input=json.dumps(certificates),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    for module in json.loads(run.stdout):
        top = module.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in OUTSIDE:
            assert module not in UNTRUSTED
            assert within(module, PROOFS) or module in TRUSTED, module


def test_every_kind_has_one_file_with_its_class_and_its_check() -> None:
    for name, kind in KNOWN_KINDS.items():
        found = kind.load_class()
        assert name == found.KIND
        assert found.__name__ == kind.name
        assert found.__module__ == kind.module
        assert {"find_fault", "explain"} <= set(vars(found))


def test_compiled_code_is_loaded_for_long_work_alone() -> None:
    holders = [
        path.name
        for path in (CORE / "proofs").rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        and any(name in ast.dump(node) for name in ("numba", "support.jit", "logits_kernel"))
    ]
    assert holders == ["logits_kernel.py"]  # which is itself imported for long work alone


def test_the_import_of_proofs_loads_little() -> None:
    """Neither a solver, nor what lies above, nor a kind of proof."""
    program = """
import sys
before = set(sys.modules)
import samapprox.proofs
above = ("attention", "batch", "cli", "reductions", "solvers")
ours = {name for name in set(sys.modules) - before if name.startswith("samapprox.")}
print(sorted(name for name in ours if name.split(".")[1] in above))
print(sorted({"numba", "scipy", "click", "networkx"} & set(sys.modules)))
print(sorted(name for name in ours if name.count(".") > 2))
print(len(ours) <= 12)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stdout.split("\n") == ["[]", "[]", "[]", "True", ""], run.stdout + run.stderr
