"""`arena train`: train an agent by self-play in a league, in a Gymnasium environment, or offline."""

import dataclasses
import shlex
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from arena.base.errors import UsageError
from arena.cli.faults import complain
from arena.cli.resuming import resume_command, resumed_run
from arena.policy.registry import AGENTS, learning_algorithm
from arena.policy.snapshots import BEST, SNAPSHOT
from arena.training.gym_names import is_gym, stored_task
from arena.training.league.config import LEAGUES, LeagueConfig, LeagueName, RunConfig, nearest_preset, usual_league
from arena.training.league.scale import ScaleConfig
from arena.training.make import make_training
from arena.training.options import (
    USUAL_LOGGER,
    GymRunOptions,
    LoggerName,
    OfflineRunOptions,
    default_folder,
    describe_run,
)
from arena.training.settings import Settings, read_settings
from arena.training.stored import RunDescription, holds_run, lengthened
from arena.training.task_names import make_task, task_name
from games.engine.identity import GameId
from games.engine.registry import require_game_name
from games.engine.source_files import is_source_file, stored_name

if TYPE_CHECKING:
    from arena.training.progress import Progress as TrainingProgress
    from arena.training.progress import TrainingRun
    from arena.training.tasks import GymTask
    from games.engine.game import Game

Task = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]
SettingsFile = Annotated[Path | None, tyro.conf.arg(name="config", metavar="FILE")]
Algorithm = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ALGO")]

DOC = """Train an agent: for a game by self-play in a league, in a Gymnasium environment, or offline from a file.

    arena train TASK ALGO --help shows the options of that algorithm and that way of training.
    arena train RUN --resume resumes the run in a folder with the options that it has.
    """


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of every training."""

    task: Task
    """The game, with its options if any (tic_tac_toe:m=6,n=6,k=4), or a Gymnasium environment (gym:CartPole-v1,
    gym:./walk.py)."""
    algo: Algorithm
    """The learning algorithm; 'arena agents' lists them."""
    ui: bool = False
    """Train in a background process and follow it on a screen; it goes on when you leave ('arena runs' reopens it)."""
    settings: SettingsFile = None
    """TOML file with task, algorithm and options, such as config.toml of a run; options given here take precedence."""
    logger: LoggerName = USUAL_LOGGER
    """Logger of the curves: tensorboard (event files in the run's folder), csv (figures.csv there), wandb; a run that
    is resumed keeps its own."""


NamedLeague = Annotated[
    LeagueName,
    tyro.conf.arg(
        name="league",
        help="Preset for the league options below. past: 80 % self-play, 20 % past snapshots; naive: self-play alone; "
        "pfsp: half self-play, half past snapshots, the harder ones more often; full: the main agent, main exploiter "
        "and league exploiter of AlphaStar.",
    ),
]


def _league_name(arguments: Sequence[str], default: LeagueName) -> LeagueName:
    """Return the value of `--league`, or the default if it is missing or unknown (the parser reports that)."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    values = words[words.index("--league") + 1 :] if "--league" in words else []
    return next((name for name in LEAGUES if values and name == values[0]), default)


def _settings(arguments: Sequence[str]) -> Settings:
    """Return what the file says that the arguments name with `--config`."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    files = words[words.index("--config") + 1 :][:1] if "--config" in words else []
    return read_settings(Path(files[0])) if files else Settings()


def options_for(arguments: Sequence[str]) -> type:
    """Return the options class for the task and algorithm among the arguments, made of the Python API's dataclasses.

    Where a run is resumed, its own options are the defaults: what is not given stays as it is.
    """
    stored = resumed_run("train", arguments, lambda: _usual_folder(arguments))
    return options_of(arguments, stored, Options, DOC)


def options_of(arguments: Sequence[str], stored: RunDescription | None, base: type, doc: str) -> type:
    """Return the options `base` of a command, extended by those of the training that its arguments name.

    `stored` is the run that is resumed; `doc` is the text of the help.
    """
    settings = _settings(arguments)
    task, algo = named_training(arguments, stored)
    task, algo = task or settings.task or "", algo or settings.algo or ""
    if stored is not None:
        stored.require_training_of(stored_task(GameId.parse(task).name), stored_name(algo))
        _require_its_network(stored, arguments)
    single = is_gym(task)
    if algo and not single:
        require_game_name(task)  # before the options are made, for which numpy is loaded
    algorithm = learning_algorithm(algo) if algo else None
    parts: dict[str, Any]
    fields: list[tuple[str, Any, Any]] = []
    if algorithm is not None and algorithm.data == "offline":
        parts = {"run": OfflineRunOptions()}
    elif single:
        parts = {"run": GymRunOptions()}
    else:
        parts = {"run": RunConfig(), "league": LeagueConfig(), "scale": ScaleConfig()}
    if algorithm is not None:
        parts["config"] = algorithm.usual_config(single)
    if stored is not None:
        parts = {section: stored.options(section, usual) for section, usual in parts.items()}
        parts["run"] = dataclasses.replace(parts["run"], out=stored.folder)
        settings = dataclasses.replace(settings, task=task, algo=algo)
        fields.append(("logger", LoggerName, dataclasses.field(default=stored.logger)))
    if "league" in parts:
        usual = usual_league(algorithm) if stored is None else nearest_preset(parts["league"])
        league = _league_name(arguments, usual)
        fields.append(("league_name", NamedLeague, dataclasses.field(default=league)))
        if stored is None or league != usual:
            parts["league"] = LEAGUES[league]
    preset = any(word.partition("=")[0] == "--league" for word in arguments)  # takes the place of the file's league
    for name in parts.keys() - ({"league"} if preset else set()):
        parts[name] = settings.applied_to(name, parts[name])
    fields += [(name, type(part), dataclasses.field(default=part)) for name, part in parts.items()]
    known = (("task", Task, settings.task), ("algo", Algorithm, settings.algo))
    fields += [(name, kind, dataclasses.field(default=word)) for name, kind, word in known if word is not None]
    extended = dataclasses.make_dataclass("Options", fields, bases=(base,), frozen=True)
    extended.__doc__ = doc
    return extended


def _require_its_network(stored: RunDescription, arguments: Sequence[str]) -> None:
    """Raise `UsageError` where a resumed run has a network from a file that the arguments do not name again."""
    network = stored.description.get("network")
    if network and "--network" not in {word.partition("=")[0] for word in arguments}:
        raise UsageError(f"the run in {stored.folder} has a network from a file: name it again, --network {network}")


def named_training(arguments: Sequence[str], stored: RunDescription | None = None) -> tuple[str, str]:
    """Return the task and the algorithm among the words of a command line, or else those of a resumed run.

    Words that only the parser can tell are left to it: the task is empty where no word is sure to name one.
    """
    learners = [place for place, word in enumerate(arguments) if place and _may_learn(word)]
    places = [place for place in learners if not arguments[place - 1].startswith("-")]
    if places and not holds_run(Path(arguments[places[0] - 1])):
        return arguments[places[0] - 1], arguments[places[0]]
    if stored is not None:
        return stored.task, stored.algorithm
    task, algo, *_ = *takewhile(lambda word: not word.startswith("-"), arguments), "", ""
    return task, algo


def _may_learn(word: str) -> bool:
    return word in AGENTS.references or is_source_file(word)


def _usual_folder(arguments: Sequence[str]) -> Path | None:
    """Return the default folder of the training that a command line names; None if it names none."""
    task, algo = named_training(arguments)
    return default_folder(task_name(task), algo) if algo else None


def run(options: Any) -> int:
    """Train, show the progress, and print at the end what can be done with the agent; return the exit status."""
    options = _resumed(options) if options.run.resume else options
    task = make_task(options.task)  # before torch is loaded: a name that is misspelt is refused at once
    folder = options.run.out or default_folder(task.name, options.algo)
    if not options.run.resume:
        _require_free(folder)
    if options.ui:
        from arena.cli.runs import train_on_screen

        return train_on_screen([word for word in sys.argv[1:] if word != "--ui"], folder)

    from arena.training.live import StopRequested
    from arena.training.loggers import whereabouts

    training = _training(task, options)
    folder, spec = training.folder, f"{options.algo}:{training.folder}"
    network = ["--network", options.run.network] if options.run.network else []
    resume = resume_command("train", folder, options.task, options.algo, *network)
    if training.finished:
        print(f"{folder}: this run is finished; its agent is {spec}")
        print(f"to train longer: {resume} --steps {2 * options.run.steps}")
        return 0
    if options.run.snapshots is None and (fitting := training.progress().total_snapshots) < options.run.num_snapshots:
        print(f"snapshots: {fitting}, as the run is too short for {options.run.num_snapshots}", file=sys.stderr)
    resume_hint = f"stopped; resume with: {resume}"
    threading.excepthook = _ignore_file_errors  # of TensorBoard's thread, whose exception is also raised here
    try:
        last = _train(training, options.logger, resume)
    except OSError as error:
        complain(f"{_write_failure(folder, error)}")
        return 1
    except StopRequested:
        print(resume_hint, file=sys.stderr)
        return 0
    except KeyboardInterrupt:
        print(f"\n{resume_hint}", file=sys.stderr)
        raise
    from arena.cli.training_bar import describe_strength

    progress = training.progress()
    beyond = progress.step - progress.total_steps
    last_batch = f", {beyond:,} of them to complete the last batch" if beyond > 0 else ""
    print(f"{spec} is trained ({progress.step:,} steps{last_batch}): {', '.join(describe_strength(progress))}")
    for line in _what_now(task, options.task, spec):
        print(line)
    print(f"snapshots: {last.parent}/snapshot-*   best: {spec}/{BEST}   curves: {whereabouts(options.logger, folder)}")
    return 0


def _train(training: "TrainingRun", logger_kind: Any, resume: str) -> Path:
    """Train to the end with a bar, a logger and figures for other programs; return the folder of the last snapshot.

    Raises `UsageError` for a logger that cannot be opened; it says how to `resume` once it can.
    """
    from arena.cli.training_bar import TrainingBar
    from arena.training.live import LiveLogger, live
    from arena.training.loggers import open_logger

    with ExitStack() as stack:
        run = stack.enter_context(live(training))  # first: it takes the lock of the folder
        try:
            logger = stack.enter_context(open_logger(logger_kind, training))
        except UsageError as error:
            raise UsageError(f"{error}; then: {resume}") from error
        bar = stack.enter_context(TrainingBar())
        training.set_logger(LiveLogger(run, logger))

        def watch(progress: "TrainingProgress") -> None:
            bar.show(progress)
            run.update(progress)

        return training.train(watch)


def _what_now(task: "Game | GymTask", name: str, spec: str) -> list[str]:
    """Return the commands for a trained agent, a line each."""
    from games.engine.game import Game

    quoted = shlex.quote(name)
    if isinstance(task, Game):
        others = f" {'random' if task.competitive else spec}" * (task.num_players - 1)
        return [f"watch it:  arena watch {quoted} {spec}{others}", f"play it:   arena play {quoted} {spec}"]
    watch = [f"watch it:  arena watch {quoted} {spec}"] if task.has_pixels else []
    return [*watch, f"its play:  arena collect {quoted} {spec} --out FILE.hdf5"]


def _resumed(options: Any) -> Any:
    """Return the options of a resumed run, made longer if more steps are asked for; refuse early what cannot change."""
    from arena.training.folder import RunFolder

    stored = RunDescription.read(options.run.out)
    if options.task == str(stored.folder):
        options = dataclasses.replace(options, task=stored.task)
    longer = lengthened(options.run, stored.options("run", options.run))
    if longer.steps != options.run.steps:
        apart = longer.steps // longer.num_snapshots
        print(f"snapshots are {apart:,} steps apart: the run goes on to {longer.steps:,} steps", file=sys.stderr)
    options = dataclasses.replace(options, run=longer)
    description = describe_run(make_task(options.task), options.algo, options.config, options.run)
    if isinstance(options.run, RunConfig):
        description["league"] = dataclasses.asdict(options.league)
    RunFolder(stored.folder, type(options.config)).claim(description, resume=True)
    return options


def _require_free(folder: Path) -> None:
    """Refuse a folder that holds something before torch is loaded, and before a screen opens."""
    from arena.training.folder import RunFolder

    RunFolder(folder).require_free()


def _ignore_file_errors(failure: threading.ExceptHookArgs) -> None:
    if not isinstance(failure.exc_value, OSError):
        threading.__excepthook__(failure)


def _write_failure(folder: Path, error: OSError) -> str:
    """Return the message for a run folder that cannot be written, with what is left of the training."""
    if not folder.is_dir():
        return f"the folder {folder} is gone, and the training with it; if it was moved, resume with --out and --resume"
    snapshots = sorted(path.name for path in folder.glob(f"{SNAPSHOT.partition('-')[0]}-*"))
    newest = f"its newest snapshot is {snapshots[-1]}" if snapshots else "it has no snapshot yet"
    return f"{folder} cannot be written ({error.strerror or error}); {newest}; --resume continues from the last state"


def _training(task: "Game | GymTask", options: Any) -> "TrainingRun":
    """Return the training that the options describe."""
    from games.engine.game import Game  # here, as numba takes longer than the help of a command

    learning_algorithm(options.algo)  # raises if there is none; only then do the options have no config
    if not isinstance(options.run, RunConfig):
        if not isinstance(task, Game) and not task.limits_episodes:
            from arena.training.tasks import MOST_STEPS

            cut = f"{options.task} sets no limit to an episode, which is cut off after {MOST_STEPS:,} steps"
            print(f"{cut}; max_episode_steps=N, after a comma, sets another", file=sys.stderr)
        return make_training(task, options.algo, options.config, options.run)
    if isinstance(task, Game) and not task.repeatable:
        warning = f"{task.spec} plays another game by the same seed and moves: this training is not resumed exactly"
        print(warning, file=sys.stderr)
    return make_training(task, options.algo, options.config, options.run, options.league, options.scale)
