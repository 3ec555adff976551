"""Does a wheel hold what the tree says it should, and nothing else?"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 3_000_000


def settings() -> dict[str, Any]:
    """The settings for setuptools in pyproject.toml."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return dict(document["tool"]["setuptools"])


def packages() -> dict[str, Path]:
    """Each listed package and its folder: below that of the nearest mapped package."""
    mapped: dict[str, str] = settings()["package-dir"]
    folders = {}
    for package in settings()["packages"]:
        nearest = max((name for name in mapped if f"{package}.".startswith(f"{name}.")), key=len)
        below = package.removeprefix(nearest).strip(".").replace(".", "/")
        folders[package] = ROOT / mapped[nearest] / below
    return folders


def expected() -> set[str]:
    """Every module of the listed packages, and the data that ships with them."""
    data = settings()["package-data"]
    names = set()
    for package, folder in packages().items():
        for pattern in ("*.py", *data.get(package, [])):
            for path in folder.glob(pattern):
                if path.is_file() and "__pycache__" not in path.parts:
                    inside = path.relative_to(folder).as_posix()
                    names.add(f"{package.replace('.', '/')}/{inside}")
    return names


def main(wheel: Path) -> int:
    """Print what is wrong; 1 if anything is."""
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if not name.endswith("/")}
    modules = {name for name in names if ".dist-info/" not in name}
    notices = {name.rpartition("/")[2] for name in names - modules}
    problems = [f"missing: {name}" for name in sorted(expected() - modules)]
    problems += [f"should not be there: {name}" for name in sorted(modules - expected())]
    problems += [f"missing: {name}" for name in ("LICENSE", "NOTICE") if name not in notices]
    problems += [
        f"missing: {name}"
        for name in ("samapprox/py.typed", "samapprox/data/manifest.json")
        if name not in modules
    ]
    if wheel.stat().st_size > LARGEST:
        problems.append(f"too large: {wheel.stat().st_size} bytes")
    for problem in problems:
        print(problem)
    print(f"{wheel.name}: {len(modules)} files, {wheel.stat().st_size} bytes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
