"""The command line: verbs, no logic. Nothing imports it."""

import os
import sys
from io import TextIOWrapper

import typer

from daxlab.cli import (
    ask,
    card,
    check,
    claims,
    compare,
    data,
    examine,
    leaderboard,
    reproduce,
    runs,
    score,
    search,
    sweep,
    train,
    translate,
    web,
)
from daxlab.cli.completion import whole_words
from daxlab.cli.help import COMPARE, LANGUAGE, OWN, RUNS, TRAIN, App
from daxlab.errors import InputError

app = App(
    name="daxlab",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("translate", rich_help_panel=LANGUAGE)(translate.translate)
app.command("datasets", rich_help_panel=LANGUAGE)(data.list_datasets)
app.add_typer(data.app, name="data", rich_help_panel=LANGUAGE)
app.command("learners", rich_help_panel=TRAIN)(train.list_learners)
app.command("train", rich_help_panel=TRAIN, context_settings={"ignore_unknown_options": True})(train.train)
app.command("predict", rich_help_panel=TRAIN)(ask.predict)
app.command("evaluate", rich_help_panel=TRAIN)(ask.evaluate)
app.add_typer(sweep.app, name="sweep", rich_help_panel=TRAIN)
app.command("reproduce", rich_help_panel=TRAIN)(reproduce.reproduce)
app.command("compare", rich_help_panel=COMPARE)(compare.compare)
app.command("claims", rich_help_panel=COMPARE)(claims.claims)
app.command("leaderboard", rich_help_panel=COMPARE)(leaderboard.leaderboard)
app.add_typer(search.app, name="search", rich_help_panel=COMPARE)
app.command("report", rich_help_panel=COMPARE)(compare.report)
app.command("web", rich_help_panel=COMPARE)(web.web)
app.command("check", rich_help_panel=OWN)(check.check)
app.command("examine", rich_help_panel=OWN)(examine.examine)
app.command("card", rich_help_panel=OWN)(card.card)
app.command("score", rich_help_panel=OWN)(score.score)
app.add_typer(runs.app, name="runs", rich_help_panel=RUNS)


@app.callback(invoke_without_command=True)
def version(
    show: bool = typer.Option(False, "--version", help="Show the version and stop.", is_eager=True),
) -> None:
    """Teach a network what "dax" means; does it know what "dax twice" means?"""
    if show:
        from daxlab import __version__

        typer.echo(f"daxlab {__version__}")
        raise typer.Exit


def main() -> None:
    """Runs a verb; whatever goes wrong is one clear message and an exit code (2: mend the input)."""
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:  # closed by whoever started us
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show ⟦ shows its number
    try:
        try:
            with whole_words():
                app()
        finally:
            sys.stdout.flush()
    except InputError as error:
        sys.exit(_failed(str(error)))
    except BrokenPipeError:  # whoever read us has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter tries again at exit
        what = f"cannot use {error.filename}" if error.filename else "cannot write the output"
        sys.exit(_failed(f"{what}: {error.strerror or error}"))
    except KeyboardInterrupt:
        print("daxlab: interrupted", file=sys.stderr)
        sys.exit(130)


def _failed(message: str) -> int:
    print(f"daxlab: {message}", file=sys.stderr)
    return 2
