"""Does a wheel hold what the tree says it should, and nothing else?"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 3_000_000


def expected() -> set[str]:
    """Every module of the listed packages, and the data that ships with them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    names = set()
    for package, folder in settings["package-dir"].items():
        patterns = ["*.py", *settings["package-data"].get(package, [])]
        for pattern in patterns:
            for path in (ROOT / folder).glob(pattern):
                if path.is_file() and "__pycache__" not in path.parts:
                    inside = path.relative_to(ROOT / folder).as_posix()
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
