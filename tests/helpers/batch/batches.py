"""Runs of `samapprox batch` in the present folder."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from samapprox import Fact, Instance, Pattern, save
from samapprox.cli.main import cli

TRIANGLE = Pattern.from_text("100\n010\n001")  # weak dimension 2


def batch(*arguments: str) -> Result:
    """Run `samapprox batch` in one worker."""
    return CliRunner().invoke(cli, ["batch", "--jobs", "1", *arguments])


def listed(*facts: Fact, name: str = "set/triangle.npz") -> None:
    """Save the triangle with facts in a folder of instances."""
    Path("set").mkdir(exist_ok=True)
    save(Instance(TRIANGLE, facts), name)
