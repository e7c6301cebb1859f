"""Entrants of a tournament: agents with names."""

import hashlib
import json
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.base.errors import UsageError
from arena.base.files import read_text
from arena.policy.agent_spec import AgentSpec
from arena.policy.protocol import Policy
from arena.policy.registry import AGENTS, agent_kind
from arena.policy.snapshots import CONFIG, find_snapshot, names_snapshot, read_config
from arena.store import Store
from arena.tournament.config import TournamentConfig
from games.engine.game import Game

OPTIONS = "[,NAME=VALUE...]"
"""End of the arguments of agents that take options."""
WRAPPED, CHECKPOINT = "AGENT", "DIR"
"""End of the arguments of agents that play as another one, and beginning of those of trained agents."""
HASH = 8
"""Digits of a snapshot's hash in its name."""
SCHEDULE = 1
"""Version of the schedule; increased whenever the same configuration leads to other games."""


@dataclass(frozen=True)
class Entrant:
    """A player in a tournament."""

    name: str
    agent: str | Policy
    """A spec, from which any process can make it, or a policy of this process."""

    @property
    def spec(self) -> str:
        """Spec of the agent; `UsageError` if it is a policy of this process."""
        if isinstance(self.agent, str):
            return self.agent
        raise UsageError(
            f"{self.name} is a {type(self.agent).__name__} of this process; where agents play in other processes, "
            "or games are kept in a store, give the spec of an agent, as alphabeta:4"
        )


def read_entrants(words: Sequence[str]) -> dict[str, str]:
    """Return specs by name, from words `SPEC` (also its name) or `NAME=SPEC`; `UsageError` for a repeated name."""
    named = []
    for word in words:
        named_spec = re.fullmatch(r"([^=:]+)=(.+)", word)
        named.append((named_spec[1].strip(), named_spec[2]) if named_spec else (word, word))
    twice = next((name for name, count in Counter(name for name, _ in named).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"two agents of one name, {twice!r}; give each a name of its own, as in first={twice}")
    return dict(named)


def named(name: str, spec: str) -> Entrant:
    """Return the entrant of a spec; one that was trained is the snapshot that it is now, by name and spec.

    A run's folder is replaced by its newest snapshot, and the name gets the hash of its weights, as in
    `ppo:runs/c4@1a2b3c4d`. So a later snapshot of the same run is another player.
    """
    wrapping, inner = split_wrapping(spec)
    agent, checkpoint = AgentSpec.parse(inner), pinned(spec)
    folder, _ = _folder_in(AgentSpec.parse(checkpoint.removeprefix(wrapping)))
    if not folder or not (Path(folder) / CONFIG).exists():
        return Entrant(name, checkpoint)
    version = f"@{str(read_config(Path(folder))['sha256'])[:HASH]}"
    if version in name:
        return Entrant(name, checkpoint)
    if name != spec:
        return Entrant(f"{name}{version}", checkpoint)
    run, rest = _folder_in(agent)  # the name is a spec as well: of these weights
    return Entrant(f"{wrapping}{replace(agent, argument=f'{run}{version}{rest}')}", checkpoint)


def split_wrapping(spec: str) -> tuple[str, str]:
    """Return what stands before the agent that another one plays as, and its spec: `noisy:0.2:` and `ppo:runs/c4`.

    Before a spec of any other kind stands nothing.
    """
    name = AgentSpec.parse(spec).name
    form = agent_kind(name).argument if name in AGENTS.names() else ""
    parts = spec.split(":", form.count(":") + 1)
    if not form.endswith(WRAPPED) or len(parts) < form.count(":") + 2:
        return "", spec
    wrapping, inner = split_wrapping(parts[-1])
    return f"{':'.join(parts[:-1])}:{wrapping}", inner


def pinned(spec: str) -> str:
    """Return the spec with a run folder replaced by the snapshot that it stands for: training may go on meanwhile."""
    wrapping, inner = split_wrapping(spec)
    agent = AgentSpec.parse(inner)
    folder, rest = _folder_in(agent)
    return f"{wrapping}{replace(agent, argument=f'{find_snapshot(Path(folder))}{rest}')}" if folder else spec


def _folder_in(agent: AgentSpec) -> tuple[str, str]:
    """Return the folder of a checkpoint with which an argument begins, "" for none, and the rest: `runs/c4`, `:100`."""
    argument = agent.argument
    if agent.name in AGENTS.names() and not agent_kind(agent.name).argument.startswith(CHECKPOINT):
        return "", argument
    head, _, tail = argument.rpartition(":")
    parts = ((argument, ""), (head, f":{tail}"))
    return next(((folder, rest) for folder, rest in parts if folder and names_snapshot(Path(folder))), ("", argument))


def identity(entrant: Entrant) -> dict[str, Any]:
    """Return what an entrant is, as JSON values: its spec, and hashes of the files that the spec names."""
    return {"spec": entrant.spec, "files": _content(entrant.spec)}


def specs_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the specs of agents by name, as far as the configuration of a stored run says them."""
    agents = config.get("agents")
    if not isinstance(agents, Mapping):
        return {}
    specs = {name: one.get("spec") if isinstance(one, Mapping) else one for name, one in agents.items()}
    return {name: spec for name, spec in specs.items() if isinstance(spec, str)}


def known_specs(store: Store, game: str) -> dict[str, str]:
    """Return the specs of the players of a game (its label) by name, as far as the store says them."""
    return {name: spec for run in store.runs(game) for name, spec in specs_of(run.config).items()}


def require_same(entrant: Entrant, specs: Mapping[str, str], where: str) -> None:
    """Raise `UsageError` if an earlier run, described by `where`, has another spec under the entrant's name.

    A snapshot is known by its hash, wherever it lies.
    """
    spec = specs.get(entrant.name, entrant.spec)
    if spec != entrant.spec and "@" not in entrant.name:
        raise UsageError(
            f"{entrant.name} is {entrant.spec} now, and was {spec} in {where}: one name is one player; give it another "
            f"name, as in {entrant.name}-2={entrant.spec}"
        )


def run_key(game: Game, entrants: Sequence[Entrant], config: TournamentConfig, openings: Sequence[Any]) -> str:
    """Return a hash of everything that determines the games: equal keys mean equal games."""
    settings = asdict(config)
    del settings["anchor"]  # which only shifts the ratings
    if not config.new_only:
        del settings["new_only"]
    if not config.adjudication:
        del settings["adjudication"]
    agents = [(entrant.name, entrant.spec, _content(entrant.spec)) for entrant in entrants]
    everything = [SCHEDULE, game.label, agents, settings, openings]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def _content(spec: str) -> Mapping[str, str]:
    """Return hashes of the files that a spec names, programs and checkpoints, by path."""
    agent = AgentSpec.parse(split_wrapping(spec)[1])
    argument = agent.argument
    try:
        words = {argument, _folder_in(agent)[0], *shlex.split(argument)}
    except ValueError:  # an open quotation mark
        words = {argument}
    paths = [Path(word) for word in sorted(words) if word]
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}


def read_agents(path: Path) -> dict[str, str]:
    """Return specs by name from a file of TOML: `name = "spec"` a line, or a table `[name]` with `spec = "..."`.

    A table may have options of the agent besides, where its specs take them: `spec = "uci:stockfish"` with
    `nodes = 1000` is `uci:stockfish,nodes=1000`. Paths in specs are relative to the working directory. Raises
    `UsageError` for anything else.
    """
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}") from None
    specs: dict[str, str] = {}
    for name, value in content.items():
        table = dict(value) if isinstance(value, dict) else {"spec": value}
        spec = table.pop("spec", None)
        if not isinstance(spec, str) or not spec or not name.strip() or not name.isprintable():
            raise UsageError(f'{path}: {name!r} is not an agent; write a line name = "spec", as deep = "alphabeta:8"')
        try:
            specs[name] = _with_options(spec, table)
        except UsageError as error:
            raise UsageError(f"{path}: {name}: {error}") from None
    if not specs:
        raise UsageError(f'{path} has no agents; write a line for each, as deep = "alphabeta:8"')
    return specs


def _with_options(spec: str, options: Mapping[str, Any]) -> str:
    """Return a spec with options of its agent; `UsageError` for an agent that takes none, and for wrong values."""
    if not options:
        return spec
    agent = AgentSpec.parse(spec)
    syntax = agent_kind(agent.name).argument
    if not syntax.endswith(OPTIONS):
        usual = f"{agent.name}:{syntax}" if syntax else agent.name
        raise UsageError(f"{next(iter(options))!r} is not an option of {agent.name}; all of it is in its spec, {usual}")
    return ",".join([spec, *(f"{name}={_option_text(name, value)}" for name, value in options.items())])


def _option_text(name: str, value: Any) -> str:
    """Return the value of an option as a spec has it."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not isinstance(value, str | int | float) or set(",\n") & set(text) or set("=,\n") & set(name):
        raise UsageError(f"{name!r} = {value!r} is no option; write a number, true, false, or a text without commas")
    return text
