"""Sets of generated instances, such as ``line:rows=8,columns=8,count=100,seed=1``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

from samapprox.batch.sets.entry import Entry, Generated
from samapprox.errors import InputError
from samapprox.reductions.families.known_families import FAMILIES, family
from samapprox.support.spec import number, parse_spec, require_known

__all__ = ["family_entries", "is_family"]

_MOST = 10**9


def is_family(source: str) -> bool:
    """Return whether a source names a family, and no file of that name exists.

    Examples
    --------
    >>> is_family("line:rows=8"), is_family("no-such-family:rows=8")
    (True, False)
    """
    return source.partition(":")[0] in FAMILIES and not Path(source).exists()


def family_entries(source: str, prefix: str = "") -> tuple[int, Callable[[], Iterator[Entry]]]:
    """Return the number of instances in a family specification, and their entries.

    Parameters
    ----------
    source : str
        The family's name, a colon, and key=value pairs separated by commas: the parameters of the
        family, and ``count``, the number of successive seeds.
    prefix : str
        The beginning of all names.

    Raises
    ------
    InputError
        A key is unknown, or a value has the wrong type. Values out of range are found later, when
        an instance is generated.

    Examples
    --------
    >>> count, entries = family_entries("random:rows=4,count=2")
    >>> count, [entry.name for entry in entries()]
    (2, ['random:rows=4,seed=0', 'random:rows=4,seed=1'])
    """
    name, texts = parse_spec(source)
    make = family(name)
    types = get_type_hints(make)
    kinds = {key: types[key] for key in inspect.signature(make).parameters}
    require_known(source, name, texts, [*kinds, "count"])
    given: dict[str, Any] = {}
    for key, text in texts.items():
        kind = kinds.get(key, int)
        given[key] = text if kind is str else number(source, key, text, kind)
    count = given.pop("count", 1)
    if not 1 <= count <= _MOST or (count > 1 and "seed" not in kinds):
        raise InputError(
            f"{source}: count must be in 1..{_MOST}, and 1 for a family without a seed"
        )

    def entries() -> Iterator[Entry]:
        for step in range(count):
            yield _entry(prefix, name, given, step if "seed" in kinds else None)

    return count, entries


def _entry(prefix: str, name: str, given: dict[str, Any], step: int | None) -> Entry:
    parameters = given if step is None else {**given, "seed": given.get("seed", 0) + step}
    listed = ",".join(f"{key}={parameters[key]}" for key in sorted(parameters))
    return Entry(
        f"{prefix}{name}{':' * bool(listed)}{listed}",
        "generated",
        Generated(name, parameters),
        name,
    )
