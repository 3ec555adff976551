"""The modules of the tree, and what each imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from check_wheel import packages

__all__ = ["MODULES", "imports"]

MODULES = {
    package if path.stem == "__init__" else f"{package}.{path.stem}": path
    for package, folder in packages().items()
    for path in folder.glob("*.py")
}
"""Import name -> file."""


def imports(name: str) -> set[str]:
    """The modules of samapprox that one imports anywhere, in functions too."""
    found = set()
    for node in _executed(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("samapprox"):
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {member if member in MODULES else str(node.module) for member in members}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in MODULES}
    return found - {name}


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those for tools that read types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _executed(node)
