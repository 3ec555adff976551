"""The command `samapprox`, and groups whose commands are imported when they are called."""

from __future__ import annotations

import gc
import io
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from click.exceptions import NoArgsIsHelpError

from samapprox.errors import CertificateError, InputError, InputWarning
from samapprox.support.early_interrupt import leave_interrupts_to_command, status_of_interrupt
from samapprox.support.packages import look_up, name_missing_packages, nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


SHARED_OPTIONS = (
    "--format",
    "--key",
    "--relevant",
    "--unjudged",
    "--causal",
    "--time-limit",
    "--seed",
    "--json",
)
"""Options that most commands share, in their order in the help, where they come last."""

ONE_PATTERN = {
    "decide": "Decide whether dimension d can represent a pattern, with a certificate.",
    "dim": "Find the least dimension that represents a pattern, with both certificates.",
    "verify": "Check a certificate against a pattern, independently of the solvers.",
    "show": "Print a pattern and its properties.",
    "plot": "Draw a pattern, and the proof for or against a dimension.",
}

MEASURES = {
    "fit": "Find how few rows or entries a given dimension gets wrong, with certificates.",
    "margin": "Bound the margin of a pattern, and find the bits that each dimension needs.",
    "rank": "Find the least rank of a matrix with given signs, with both certificates.",
}

HEADS = {
    "heads": "Measure the heads of a model: from attention weights to least dimensions.",
    "binarize": "Turn attention probabilities or logits into patterns.",
}

MANY_INSTANCES = {
    "generate": "Generate instances with known answers, reproducible from a seed.",
    "batch": "Answer one question about whole sets of instances, and store the results.",
    "report": "Turn a result file into an HTML page.",
}

OTHER_TOOLS = {
    "encode": "Write the problem for a SAT, SMT, pseudo-Boolean or integer programming solver.",
    "decode": "Turn the answer of such a solver into a certificate.",
    "export": "Write a refutation as CNF and DRAT or LRAT, for other people's proof checkers.",
    "schema": "Print the JSON Schema of a document.",
}

PAPERS = {
    "reduce": "Turn instances of one problem into instances of another, and map answers back.",
    "graph": "Analyse sparse attention masks: sizes, pictures, universality, copying.",
    "approximate": "Build attention that approximates a right stochastic matrix.",
    "furthest": "Find the vector furthest from each vector, exactly.",
    "orthogonal": "Find, count or rule out pairs of orthogonal Boolean vectors.",
    "cot": "Write, replay and analyse chains of thought of reasoning tasks.",
}

GROUPS = {
    "One pattern": ONE_PATTERN,
    "What a dimension gets right; margins; ranks": MEASURES,
    "Heads of a model": HEADS,
    "Many instances": MANY_INSTANCES,
    "Other solvers and checkers": OTHER_TOOLS,
    "Constructions of the papers": PAPERS,
}
"""Groups of sub-commands by title, in the order of the README's table."""

COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
"""Sub-commands and their lines in the help."""

_ROOMS = {
    "pattern": (ONE_PATTERN, MEASURES),
    "instances": (HEADS, MANY_INSTANCES),
    "exchange": (OTHER_TOOLS,),
    "papers": (PAPERS,),
}
"""Folders of `samapprox.cli`, and the groups whose commands they hold."""

PLACES = {
    name: f"samapprox.cli.{room}.{name}:{name}"
    for room, groups in _ROOMS.items()
    for group in groups
    for name in group
}
"""Sub-commands, and their functions, each in a module of its name."""


class LazyGroup(click.Group):
    """A group that makes or imports a sub-command when it is called, and suggests known names.

    `table`: the sub-commands; the value of each is for `make`, or is the place to import it from.
    """

    def __init__(
        self,
        *arguments: Any,
        table: Mapping[str, Any],
        make: Callable[[str], click.Command] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._table = table
        self._make = make or (lambda name: look_up(name, table, "command"))

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all sub-commands, in their order."""
        return list(self._table)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Make or import a sub-command; None if there is no such."""
        if name not in self._table:
            return None
        command = self._make(name)
        command.params.sort(key=_place_in_help)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the sub-command that the first argument names."""
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and name not in self._table:
            meant = nearest(name, self._table)
            hint = "" if meant is None else f" Did you mean {meant!r}?"
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


class SectionedCommand(click.Command):
    """A command with so many options that its help lists them under headings.

    `sections`: the names of the parameters below each heading.
    """

    def __init__(
        self, *arguments: Any, sections: Mapping[str, Sequence[str]], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section; the last one has those without a section."""
        left = {
            parameter.name: record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and (record := parameter.get_help_record(ctx)) is not None
        }
        for heading, names in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([left.pop(name) for name in names])
        with formatter.section("Other options"):
            formatter.write_dl(list(left.values()))


def _place_in_help(parameter: click.Parameter) -> int:
    """Return 0 for a command's own parameters, and the places of shared options after them."""
    shared = [SHARED_OPTIONS.index(name) for name in parameter.opts if name in SHARED_OPTIONS]
    return 1 + shared[0] if shared else 0


class _Commands(LazyGroup):
    """The group of all sub-commands, which turns errors into lines and exit statuses."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a sub-command without an import of all modules, or an option."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=COMMANDS[name]) for name in names] + options

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(group.items()))

    def invoke(self, ctx: click.Context) -> None:
        """Run a sub-command, which may return the exit status.

        An error in its options or input is one line and exit status 2.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", InputWarning)
                warnings.showwarning = _echo_warning
                with name_missing_packages("this command"):
                    status = super().invoke(ctx)
                    ctx.exit(status if isinstance(status, int) else 0)
        except BrokenPipeError:  # the reader of a pipe closed it; click would exit with status 1
            ctx.exit(0)
        except NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            _echo(f"error: {_describe(error, ctx.invoked_subcommand)}")
            ctx.exit(2)
        except InputError as error:
            _echo(f"error: {' '.join(str(error).split())}")
            ctx.exit(2)
        except CertificateError as error:
            _echo(f"internal error, please report it: {error}")
            ctx.exit(3)
        except MemoryError:
            click.echo("samapprox: error: not enough memory for an instance of this size", err=True)
            ctx.exit(2)


def _describe(error: click.UsageError, name: str | None = None) -> str:
    """Return the message of an error in the options, and the place of their description."""
    message = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption) and error.option_name == "--similarity":
        message += " Similarities other than dot products are for decide, dim, fit, plot and batch."
    command = f"samapprox {name or ''}".strip() if error.ctx is None else error.ctx.command_path
    return f"{message} See `{command} --help`."


def _echo_warning(message: Warning | str, *_details: object, **_more: object) -> None:
    """Print a warning as one line, without the place in the code."""
    _echo(f"note: {message}")


def _repeat_lost_interrupt(lost: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that arrived in a callback from C, which cannot raise it.

    The interrupt is sent again a moment later, when the callback has returned: llvmlite uses
    callbacks while it loads compiled code.
    """
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from signal import SIGINT
    from threading import Timer

    again = Timer(0.05, os.kill, (os.getpid(), SIGINT))
    again.daemon = True
    again.start()


@click.group(cls=_Commands, table=PLACES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="samapprox", prog_name="samapprox")
def cli() -> None:
    """Decide, with a proof, whether attention of query/key dimension d represents a 0/1 pattern."""


def main() -> None:
    """Run the command; the exit status is 2 for bad usage, and 128 + n for a signal n."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115  # until the process ends
    for stream in (sys.stdout, sys.stderr):  # names may hold characters that the terminal lacks
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.unraisablehook = _repeat_lost_interrupt
    try:
        _import_numpy_if_needed(sys.argv[1:])
        leave_interrupts_to_command()
        status = cli.main(prog_name="samapprox", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and not isinstance(error, NoArgsIsHelpError):
            _complain(f"error: {_describe(error)}")
        else:
            with suppress(OSError):
                error.show()
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        sys.unraisablehook = lambda _: None  # of files, say, that the interrupt left half made
        _complain("interrupted")
        status = status_of_interrupt()
    except BrokenPipeError:  # the reader of a pipe closed it, which is no error
        _drop(sys.stdout)
        status = 0
    except OSError as error:  # of standard output: errors of files are InputErrors with names
        _drop(sys.stdout)
        _complain(f"error: standard output: {error.strerror or error}")
        status = 2
    except Exception as error:
        if os.environ.get("SAMAPPROX_TRACEBACK"):
            raise
        _complain(
            f"internal error, please report it ({type(error).__name__}: {error}); "
            "SAMAPPROX_TRACEBACK=1 shows where"
        )
        status = 3
    gc.freeze()  # as the process ends, a search for garbage takes as long as a small decision
    try:
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)
    sys.exit(status)


def _import_numpy_if_needed(arguments: Sequence[str]) -> None:
    """Import numpy, which all sub-commands need, where few calls are open.

    Python keeps the frames of open calls in chunks of memory, and maps and unmaps a chunk whenever
    a call crosses its end. Imported from within a command, numpy did that 1,600 times, which took
    half as long again as the whole import.
    """
    if arguments and arguments[0] in COMMANDS:
        with suppress(ImportError):  # the command says what is missing
            import_module("numpy")


def _drop(stream: TextIO) -> None:
    """Send what a stream still holds nowhere, since it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(text: str) -> None:
    """Print a line to standard error, if it can be written."""
    with suppress(OSError):
        _echo(text)


def _echo(text: str) -> None:
    from samapprox.cli.terminal import echo  # rarely used: it would slow down every start

    echo(f"samapprox: {text}", err=True)
