"""Entrants of a tournament: agents with names."""

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.base.errors import UsageError
from arena.policy.agent_spec import AgentSpec
from arena.policy.protocol import Policy
from arena.policy.snapshots import BEST, LATEST, find_snapshot
from arena.tournament.config import TournamentConfig
from games.engine.game import Game

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


def pinned(spec: str) -> str:
    """Return the spec with a run folder replaced by the snapshot that it stands for: training may go on meanwhile."""
    agent = AgentSpec.parse(spec)
    if agent.argument and (agent.folder.is_dir() or agent.folder.name in (BEST, LATEST)):
        return str(replace(agent, argument=str(find_snapshot(agent.folder))))
    return spec


def run_key(game: Game, entrants: Sequence[Entrant], config: TournamentConfig, openings: Sequence[Any]) -> str:
    """Return a hash of everything that determines the games: equal keys mean equal games."""
    settings = asdict(config)
    del settings["anchor"]  # which only shifts the ratings
    agents = [(entrant.name, entrant.spec, _content(entrant.spec)) for entrant in entrants]
    everything = [SCHEDULE, game.label, agents, settings, openings]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def _content(spec: str) -> Mapping[str, str]:
    """Return hashes of the files that a spec names, programs and checkpoints, by path."""
    argument = AgentSpec.parse(spec).argument
    try:
        words = {argument, *shlex.split(argument)}
    except ValueError:  # an open quotation mark
        words = {argument}
    paths = [Path(word) for word in sorted(words) if word]
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}
