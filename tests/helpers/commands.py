"""Commands through click's runner, and what a refusal looks like."""

from __future__ import annotations

from click.testing import CliRunner, Result

from samapprox.cli.main import cli

__all__ = ["refused", "run"]


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


def refused(result: Result, message: str) -> None:
    """Exit status 2, nothing on stdout, and one line that says what."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
