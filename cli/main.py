"""The command `samapprox`: its sub-commands are imported when they are called."""

from __future__ import annotations

import io
import os
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import click

from samapprox.cli.groups import SuggestingGroup
from samapprox.errors import CertificateError, InputError, InputWarning
from samapprox.version import __version__

__all__ = ["cli", "main"]

COMMANDS = {
    "decide": "Can dimension d show a pattern? YES or NO with a certificate.",
    "dim": "The least dimension that shows a pattern, with both certificates.",
    "verify": "Check a certificate against a pattern, independently of the solvers.",
    "show": "Print a pattern and its facts.",
    "plot": "Draw a pattern, and what shows or refutes a dimension.",
    "encode": "Write the problem for a SAT, SMT, pseudo-Boolean or integer programming solver.",
    "decode": "Turn such a solver's answer into a certificate.",
    "binarize": "Turn attention probabilities or logits into patterns.",
    "heads": "Measure the heads of a model: from attention weights to least dimensions.",
    "generate": "Make instances with known truth, reproducible from a seed.",
    "furthest": "Find the furthest vector of each, exactly.",
    "orthogonal": "Find, count or rule out orthogonal Boolean vectors.",
    "reduce": "Turn instances of one problem into those of another, and answers back.",
    "approximate": "Build attention that approximates a right stochastic matrix.",
    "graph": "Sparse attention masks: sizes, pictures, universality.",
    "batch": "Decide, measure or verify whole sets of instances, and keep the results.",
    "report": "Make a page of a result file.",
    "schema": "Print the JSON Schema of a document.",
}
"""Sub-command -> its line in the help. Each is the function of that name in its own module."""


class _LazyGroup(SuggestingGroup):
    """A group that imports a sub-command's module only when it is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = getattr(import_module(f"samapprox.cli.commands.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run; the errors that are the input's fault become one line and exit status 2."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", InputWarning)
                warnings.showwarning = _echo_warning
                return super().invoke(ctx)
        except InputError as error:
            click.echo(f"samapprox: error: {' '.join(str(error).split())}", err=True)
            ctx.exit(2)
        except CertificateError as error:
            click.echo(f"samapprox: internal error, please report it: {error}", err=True)
            ctx.exit(3)
        except MemoryError:
            click.echo("samapprox: error: not enough memory for an instance of this size", err=True)
            ctx.exit(2)


def _echo_warning(message: Warning | str, *_details: object, **_more: object) -> None:
    """A warning as one line for people, without the place in our code."""
    click.echo(f"samapprox: note: {message}", err=True)


def _repeat_lost_interrupt(lost: sys.UnraisableHookArgs) -> None:
    """Interrupt once more where Ctrl-C came in a callback from C, which cannot raise it.

    It comes a moment later, when that callback has returned: llvmlite has some while it loads
    compiled code.
    """
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from signal import SIGINT
    from threading import Timer

    again = Timer(0.05, os.kill, (os.getpid(), SIGINT))
    again.daemon = True
    again.start()


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="samapprox")
def cli() -> None:
    """Can attention with query/key dimension d show a 0/1 pattern? With a proof."""


def main() -> None:
    """Entry point: errors of usage end with status 2, an interrupt with 130."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115  # until we end
    for stream in (sys.stdout, sys.stderr):  # names may hold what the terminal cannot show
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.unraisablehook = _repeat_lost_interrupt
    try:
        status = cli.main(prog_name="samapprox", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        sys.exit(_leave(error.exit_code))
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        sys.exit(_leave(130))
    except BrokenPipeError:  # the reader of a pipe has seen enough; nothing is wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:  # of standard output: files say their names themselves
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _complain(f"error: standard output: {error.strerror or error}")
        sys.exit(_leave(2))
    except Exception as error:
        if os.environ.get("SAMAPPROX_TRACEBACK"):
            raise
        _complain(
            f"internal error, please report it ({type(error).__name__}: {error}); "
            "SAMAPPROX_TRACEBACK=1 shows where"
        )
        sys.exit(_leave(3))
    sys.exit(_leave(status if isinstance(status, int) else 0))


def _complain(text: str) -> None:
    """Print a line to standard error, where that can be written."""
    with suppress(OSError):
        click.echo(f"samapprox: {text}", err=True)


def _leave(status: int) -> int:
    """The exit status, which standard error that cannot be written does not change."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return status
