"""The forms of the home screen: what each command is asked, and the words that come of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.registry import AGENTS
from arena.tui.jobs import as_name, free_folder
from arena.tui.screens.form import Field

LEARNERS = ("ppo", "a2c", "dqn", "rainbow", "discrete-sac", "alphazero")
"""Offered first to who wants to train; every algorithm may be typed."""


@dataclass(frozen=True)
class Setting:
    """What is known when a form is opened."""

    game: str
    agents: Sequence[str]
    """Specs to choose among."""
    agent: str
    """One that was pointed at, or empty."""
    runs: Path
    store: str
    traits: str | None
    """Of the game; begins with its number of seats."""

    @property
    def seats(self) -> int:
        """How many play."""
        digits = (self.traits or "2p").partition("p")[0]
        return int(digits) if digits.isdigit() else 2


@dataclass(frozen=True)
class Form:
    """How one command is asked for."""

    kind: str
    title: str
    verb: str
    fields: Callable[[Setting], list[Field]]
    words: Callable[[Setting, Mapping[str, str]], list[str]]
    opens: bool = True
    """Whether it is a screen; else it is started on its own."""


def _play_fields(setting: Setting) -> list[Field]:
    return [
        Field("agent", "against", setting.agent or "one-ply", setting.agents),
        Field("seat", "your seat", "1", type="integer"),
    ]


def _play_words(setting: Setting, values: Mapping[str, str]) -> list[str]:
    return ["play", setting.game, values["agent"], "--seat", values["seat"], "--store", setting.store]


def _watch_fields(setting: Setting) -> list[Field]:
    agents = [setting.agent or "one-ply", *["random"] * (setting.seats - 1)]
    fields = [Field(f"agent-{i}", f"seat {i + 1}", agent, setting.agents) for i, agent in enumerate(agents)]
    return [
        *fields,
        Field("games", "games", "10", type="integer"),
        Field("speed", "moves a second", "1", type="number"),
    ]


def _watch_words(setting: Setting, values: Mapping[str, str]) -> list[str]:
    agents = [value for name, value in values.items() if name.startswith("agent-")]
    return ["watch", setting.game, *agents, "--games", values["games"], "--speed", values["speed"]]


def _train_fields(setting: Setting) -> list[Field]:
    known = [*(name for name in LEARNERS if name in AGENTS.names()), *AGENTS.names()]
    return [
        Field("algo", "algorithm", "ppo", known),
        Field("steps", "steps", "1500000", type="integer"),
        Field("out", "folder (or none)", ""),
        Field("more", "more options", ""),
    ]


def _train_words(setting: Setting, values: Mapping[str, str]) -> list[str]:
    usual = setting.runs / as_name(f"{setting.game}-{values['algo']}")
    folder = values["out"] or str(free_folder(usual))
    return ["train", setting.game, values["algo"], "--steps", values["steps"], "--out", folder, *values["more"].split()]


def _tournament_fields(setting: Setting) -> list[Field]:
    agents = list(dict.fromkeys([*([setting.agent] if setting.agent else []), "random", "one-ply"]))
    return [Field("agents", "agents", " ".join(agents)), Field("games", "games a pair", "100", type="integer")]


def _tournament_words(setting: Setting, values: Mapping[str, str]) -> list[str]:
    agents = values["agents"].split()
    return ["tournament", setting.game, *agents, "--games", values["games"], "--store", setting.store]


PLAY = Form("play", "play against an agent", "play", _play_fields, _play_words)
WATCH = Form("watch", "watch agents play", "watch", _watch_fields, _watch_words)
TRAIN = Form("train", "train an agent", "begin", _train_fields, _train_words, opens=False)
TOURNAMENT = Form(
    "tournament", "rate agents against each other", "begin", _tournament_fields, _tournament_words, opens=False
)
