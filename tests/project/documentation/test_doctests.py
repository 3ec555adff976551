"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest
from check_wheel import packages

MODULES = sorted(
    package if path.stem == "__init__" else f"{package}.{path.stem}"
    for package, folder in packages().items()
    for path in folder.glob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)
"""The modules that have examples."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    # Each run asks for the dates of all files that linecache knows, so only examples are run.
    tests = [test for test in doctest.DocTestFinder().find(import_module(name)) if test.examples]
    assert sum(runner.run(test).failed for test in tests) == 0


def test_the_public_interface_has_examples() -> None:
    import samapprox

    for name in samapprox.__all__:
        thing = getattr(samapprox, name)
        if isinstance(thing, type) and issubclass(thing, Exception | Warning):
            continue
        assert name.startswith("__") or thing.__doc__, name
