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

FACADES = {"samapprox", "samapprox.__main__", "samapprox.solvers"}
"""Modules that offer names and import them when they are used: the root, the command, solvers."""


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
GROUND = {room.name for room in ROOMS[:5]}
"""Rooms that every room may import without being listed."""


def rooms_of(name: str) -> list[Room]:
    """The rooms that claim a module: by its name, or as the nearest folder around it."""
    folder = MODULES[name].parent.relative_to(ROOT).as_posix()
    named = [room for room in ROOMS if room.folder == folder and MODULES[name].stem in room.modules]
    around = [room for room in ROOMS if f"{folder}/".startswith(f"{room.folder}/")]
    whole = [room for room in around if not room.modules]
    nearest = sorted(whole, key=lambda room: len(room.folder))[-1:]
    if named or (nearest and nearest[0].folder == max(room.folder for room in around)):
        return named or nearest
    return [room for room in around if MODULES[name].stem.startswith("__")][-1:]


def test_every_module_is_in_one_room() -> None:
    assert len({room.name for room in ROOMS}) == len(ROOMS) > 30
    assert len(ROOMS) <= 40
    for name in MODULES.keys() - FACADES:
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
