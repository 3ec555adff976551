"""Pictures of the gallery: each has an alternative text, and a ground that shows on dark pages."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.paths import ROOT
from matplotlib.figure import Figure
from matplotlib.image import imread

from samapprox import Pattern, decide
from samapprox.pictures import draw, save_picture, svg

SCRIPTS = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
MAKERS = ("draw", "subplots")


def figures_of(tree: ast.Module) -> list[str]:
    """The names to which a script assigns figures."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            function = node.value.func
            name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
            if name.startswith(MAKERS):
                target = node.targets[0]
                found.append(
                    ast.unparse(target.elts[0] if isinstance(target, ast.Tuple) else target)
                )
    return found


def labels_of(tree: ast.Module) -> dict[str, str]:
    """The labels that a script sets."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        ast.unparse(call.func.value): ast.literal_eval(call.args[0])
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "set_label"
    }


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_figure_says_what_is_seen(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    figures, labels = figures_of(tree), labels_of(tree)
    assert figures
    assert sorted(labels) == sorted(figures)
    assert all(40 < len(label) < 150 for label in labels.values())


@pytest.fixture
def scrape(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("sphinx_gallery")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_extensions"), *sys.path])
    import figures

    return figures.scrape


def test_the_label_is_the_alternative_text(scrape: Any, tmp_path: Path) -> None:
    figure = Figure()
    variables = {
        "example_globals": {"figure": figure},
        "image_path_iterator": iter([str(tmp_path / f"{k}.png") for k in range(2)]),
    }
    settings = {"src_dir": str(tmp_path)}
    with pytest.raises(ValueError, match="no label"):
        scrape(None, variables, settings)
    variables.pop("shown")
    figure.set_label("Two staircases")
    assert ":alt: Two staircases" in scrape(None, variables, settings)


@pytest.mark.parametrize("d", [1, 2])
def test_pictures_have_a_white_ground_on_dark_pages(d: int, tmp_path: Path) -> None:
    pattern = Pattern.from_text("100\n010\n001")
    figure = draw(pattern, decide(pattern, d).proof)
    save_picture(figure, tmp_path / "p.png")
    pixels = imread(tmp_path / "p.png")
    assert (pixels[..., 3] == 1).all()
    assert (pixels[[0, 0, -1, -1], [0, -1, 0, -1]] == 1).all()
    ground = svg(figure).split('<g id="patch_1">')[1].split("</g>")[0]
    assert "fill: #ffffff" in ground


def test_images_of_pages_have_alternative_texts() -> None:
    found = 0
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for text in re.findall(r"!\[([^]]*)\]\([^)]*\.(?:png|svg)\)", page.read_text("utf-8")):
            assert len(text) > 20, (page, text)
            found += 1
    assert found > 8
