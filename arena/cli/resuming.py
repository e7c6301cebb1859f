"""Runs that a command line resumes: `--resume` with a folder, in any of its forms."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.base.errors import UsageError
from arena.training.stored import RunDescription, holds_run
from games.engine.source_files import is_source_file
from games.engine.trust import code_named, is_known


def resumed_run(command: str, arguments: Sequence[str], usual: Callable[[], Path | None]) -> RunDescription | None:
    """Return the run that a command line resumes; None if it resumes none.

    Its folder follows `--out`; or it is the first word or the one after `--resume`, `arena train RUN --resume`; or else
    `usual()` returns it, the default folder of what the command line names. Raises `UsageError` if there is no run.
    """
    if "--resume" not in arguments:
        return None
    folder = _named_folder(arguments) or usual()
    if folder is not None:
        return RunDescription.read(folder)
    if {"-h", "--help"} & set(arguments):
        return None
    raise UsageError(f"--resume needs a run: arena {command} RUN --resume, or the arguments that it was begun with")


def resume_command(command: str, folder: Path, *named: str) -> str:
    """Return the shell command that resumes a run.

    `named` are words that name what is run. They are repeated where there is code of others among them, which is not
    run because a folder names it.
    """
    if any(not is_known(name) for name in code_named(named)):
        return shlex.join(["arena", command, *named, "--out", str(folder), "--resume"])
    return shlex.join(["arena", command, str(folder), "--resume"])


def _named_folder(arguments: Sequence[str]) -> Path | None:
    words = [word for argument in arguments for word in argument.split("=", int(argument.startswith("--out=")))]
    if "--out" in words[:-1]:
        return Path(words[words.index("--out") + 1])
    after = words.index("--resume") + 1
    return next((Path(word) for word in [*words[:1], *words[after : after + 1]] if _is_folder(word)), None)


def _is_folder(word: str) -> bool:
    """Return whether a word names a folder, not a game or an agent; its run may be missing."""
    if is_source_file(word) or word.startswith("-"):
        return False
    return holds_run(Path(word)) or ("/" in word and ":" not in word)
