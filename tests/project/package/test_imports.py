"""Modules: each is found by its name, none by another's, and no two need each other."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest
from check_wheel import packages
from helpers.modules import MODULES, imports

import samapprox
from samapprox.proofs import KNOWN_KINDS

PACKAGES = packages()


def children(package: str) -> list[str]:
    """The modules and packages that lie directly in a package."""
    names = (name.rpartition(".") for name in MODULES)
    return [last for parent, _, last in names if parent == package and last != "__main__"]


@pytest.mark.parametrize("name", PACKAGES)
def test_no_module_is_shadowed(name: str) -> None:
    """samapprox.x.y is one thing: a module, or what a package offers, but never both."""
    package = import_module(name)
    assert not set(children(name)) & set(getattr(package, "__all__", ()))
    for child in children(name):
        assert isinstance(getattr(package, child), ModuleType), f"{name}.{child}"


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_lists_its_modules_or_what_it_offers(name: str) -> None:
    package = import_module(name)
    inside = set(children(name))
    if hasattr(package, "__all__"):
        inside &= {other.removeprefix(f"{name}.") for other in PACKAGES}
        inside |= set(package.__all__) - {"__version__"}
    assert inside <= set(dir(package))


def test_the_root_lists_public_names_and_packages_alone() -> None:
    packages = {name.split(".")[1] for name in PACKAGES if name.count(".") == 1}
    names = set(samapprox.__all__) - {"__version__"}
    assert set(dir(samapprox)) == names | packages
    assert len(names) < 45


@pytest.mark.parametrize("name", [name for name in PACKAGES if children(name)])
def test_what_is_not_there_is_an_attribute_error(name: str) -> None:
    package = import_module(name)
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        package.nothing  # noqa: B018
    assert not hasattr(package, "_nothing")


def test_one_import_reaches_everything_and_loads_little() -> None:
    modules = [name for name in MODULES if "__main__" not in name and ".workers" not in name]
    program = f"""
import sys, samapprox
for heavy in ("matplotlib", "scipy", "numba", "networkx", "ortools", "pysat", "click", "rich",
              "samapprox.attention", "samapprox.batch", "samapprox.reductions", "samapprox.cli"):
    assert heavy not in sys.modules, heavy
for name in {modules!r}:
    assert eval(name).__name__ == name, name
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_kinds_of_proofs_are_offered() -> None:
    kinds = {kind.name for kind in KNOWN_KINDS.values()}
    assert kinds > {"Embedding", "SelfAttention", "Radon", "Counting", "Chirotope", "Forster"}
    assert {"Proof", "Obstruction", "FinalPolynomial"} <= set(samapprox.proofs.__all__)
    for kind in KNOWN_KINDS.values():
        assert getattr(samapprox.proofs, kind.name) is kind.load_class()


def test_a_kind_is_offered_once_it_is_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttributeError):
        samapprox.proofs.NewKind  # type: ignore[attr-defined]  # noqa: B018
    new = replace(KNOWN_KINDS["radon"], name="NewKind")
    monkeypatch.setitem(KNOWN_KINDS, "new-kind", new)
    monkeypatch.setattr(
        samapprox.proofs.refutations.radon, "NewKind", samapprox.proofs.Radon, raising=False
    )
    assert samapprox.proofs.NewKind is samapprox.proofs.Radon  # type: ignore[attr-defined]


def test_only_packages_list_what_they_offer() -> None:
    """The API reference reads their lists alone; in other modules an underscore says as much."""
    modules = [path for path in MODULES.values() if path.stem != "__init__"]
    listing = [path for path in modules if "\n__all__" in path.read_text(encoding="utf-8")]
    assert listing == []


@pytest.mark.parametrize("name", PACKAGES)
def test_what_is_offered_is_there(name: str) -> None:
    package = import_module(name)
    assert all(hasattr(package, member) for member in getattr(package, "__all__", ()))


# ---------------------------------------------------------------- who needs whom


def test_no_modules_need_each_other() -> None:
    graph = nx.DiGraph((name, other) for name in MODULES for other in imports(name))
    circles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    assert circles == []


def test_the_core_needs_only_the_core() -> None:
    """All but the public interface and the command's entry, which offer what lies above."""
    above = ("samapprox.attention", "samapprox.batch", "samapprox.cli", "samapprox.data")
    above = (*above, "samapprox.reductions", "samapprox.solvers")
    for name in MODULES:
        if name not in {"samapprox", "samapprox.__main__"} and not name.startswith(above):
            assert not [other for other in imports(name) if other.startswith(above)], name


def test_type_checkers_see_every_sub_package_and_no_getattr() -> None:
    """With a __getattr__ in sight they take every mistyped name for a module."""
    tree = ast.parse(Path(samapprox.__file__).read_text(encoding="utf-8"))
    fork, hidden = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(fork.test) == "TYPE_CHECKING"
    assert ast.unparse(hidden.test) == "not TYPE_CHECKING"
    imports = [node for node in fork.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname for node in imports for alias in node.names if node.module == "samapprox"}
    assert seen == {name.split(".")[1] for name in PACKAGES if name.count(".") == 1}
    homes = [node for node in imports if node.module != "samapprox"]
    offered = {(f"{node.module}", alias.name) for node in homes for alias in node.names}
    assert offered == {
        (module, name) for module, names in samapprox._HOMES.items() for name in names
    }
    assigned = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
    assert not any("__getattr__" in one for one in assigned)


def test_the_names_of_attention_are_all_offered() -> None:
    import samapprox.attention

    for name in samapprox.attention.__all__:
        assert getattr(samapprox.attention, name).__name__ == name
    assert set(samapprox.attention.__all__) < set(dir(samapprox.attention))
