"""The map in docs/design.md is the tree: every module, every arrow, and all arrows one way."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from check_wheel import packages
from helpers.modules import MODULES, imports
from helpers.paths import ROOT

DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
MAP = DESIGN.partition("## The map")[2].partition("\n## ")[0]

FACADES = {"samapprox", "samapprox.__main__"}
"""The public interface and the command's entry, which import whatever they offer."""


@dataclass(frozen=True)
class Room:
    """A row of the map: a folder, or the modules of it that are named; what it may import."""

    name: str
    folder: str
    modules: frozenset[str]
    arrows: frozenset[str]

    @classmethod
    def from_row(cls, name: str, where: str, arrows: str) -> Room:
        folder, _, modules = where.removeprefix("`").partition("/`")
        return cls(name, folder, _names(modules), _names(arrows))


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


ROOMS = [
    Room.from_row(name, where, arrows)
    for name, where, arrows in re.findall(
        r"^\| ([\w ]+) \| (`[^|]*) \| [^|]+ \| ([^|]*)\|$", MAP, flags=re.MULTILINE
    )
]
GROUND = {room.name for room in ROOMS[:4]}
"""Rooms that every room may import without being listed."""


def rooms_of(name: str) -> list[Room]:
    """The rooms of a module's folder that claim it: by its name, or all that no other one names."""
    folder = MODULES[name].parent.relative_to(ROOT).as_posix()
    here = [room for room in ROOMS if room.folder == folder]
    named = [room for room in here if MODULES[name].stem in room.modules]
    return named or ([here[-1]] if MODULES[name].stem.startswith("__") or len(here) == 1 else [])


def test_every_module_is_in_one_room() -> None:
    assert len({room.name for room in ROOMS}) == len(ROOMS) > 30
    for name in MODULES:
        assert len(rooms_of(name)) == 1, name


def test_every_named_module_is_there() -> None:
    for room in ROOMS:
        for module in room.modules:
            assert (ROOT / room.folder / f"{module}.py").exists(), (room.name, module)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_arrows_are_those_of_the_code(room: Room) -> None:
    found = {
        rooms_of(target)[0].name
        for name in MODULES.keys() - FACADES
        if rooms_of(name) == [room]
        for target in imports(name) - FACADES
    }
    unlisted = set() if room.name in GROUND else GROUND
    assert found - {room.name} - unlisted == room.arrows


def test_arrows_point_one_way() -> None:
    names = [room.name for room in ROOMS]
    for at, room in enumerate(ROOMS):
        assert room.arrows <= set(names[:at]), room.name


def test_only_what_lies_above_core_imports_the_facade() -> None:
    for name, path in MODULES.items():
        if path.relative_to(ROOT).parts[0] == "core" and name not in FACADES:
            assert not imports(name) & FACADES, name


def test_folders_can_be_seen_at_a_glance() -> None:
    for folder in packages().values():
        assert len(list(folder.glob("*.py"))) <= 25, folder
