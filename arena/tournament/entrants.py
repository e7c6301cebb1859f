"""Who enters a tournament: a name, and the agent that plays under it."""

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.policy.protocol import Policy
from arena.policy.snapshots import newest_snapshot
from arena.tournament.config import TournamentConfig
from games.engine.game import Game

SCHEDULE = 1
"""Raised when the same configuration would lead to other games than before."""


@dataclass(frozen=True)
class Entrant:
    """One who plays."""

    name: str
    agent: str | Policy
    """A spec, from which it can be made anywhere; or a policy of this process."""

    @property
    def spec(self) -> str:
        """Its spec; `UsageError` if there is none."""
        if isinstance(self.agent, str):
            return self.agent
        raise UsageError(
            f"{self.name} is a {type(self.agent).__name__} of this process; where agents play in other processes, "
            "or games are kept in a store, give the spec of an agent, as alphabeta:4"
        )


def read_entrants(words: Sequence[str]) -> dict[str, str]:
    """Specs by name, from words `SPEC` (which is its own name) or `NAME=SPEC`; `UsageError` for a name given twice."""
    named = []
    for word in words:
        found = re.fullmatch(r"([^=:]+)=(.+)", word)
        named.append((found[1].strip(), found[2]) if found else (word, word))
    twice = next((name for name, count in Counter(name for name, _ in named).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"two agents of one name, {twice!r}; give each a name of its own, as in first={twice}")
    return dict(named)


def pinned(spec: str) -> str:
    """The spec, with the newest snapshot in place of a run folder: a training may go on beside the tournament."""
    name, _, argument = spec.partition(":")
    if argument and Path(argument).is_dir():
        return f"{name}:{newest_snapshot(Path(argument))}"
    return spec


def run_key(game: Game, entrants: Sequence[Entrant], config: TournamentConfig, openings: Sequence[Any]) -> str:
    """A hash of everything that fixes the games: equal keys, equal games."""
    told = asdict(config)
    del told["anchor"]  # which only shifts the ratings
    agents = [(entrant.name, entrant.spec, _content(entrant.spec)) for entrant in entrants]
    everything = [SCHEDULE, game.label, agents, told, openings]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def _content(spec: str) -> Mapping[str, str]:
    """Hashes of the files that a spec names, programs and checkpoints, by their paths."""
    argument = spec.partition(":")[2]
    try:
        words = {argument, *shlex.split(argument)}
    except ValueError:  # an open quotation mark
        words = {argument}
    paths = [Path(word) for word in sorted(words) if word]
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}
