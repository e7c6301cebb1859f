"""Forms of the home screen: the fields of each command, and the command line made from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from arena.policy.registry import AGENTS
from arena.tui.services.jobs import as_name, free_folder
from arena.tui.state.intents import Intent, PlayIntent, WatchIntent

LEARNERS = ("ppo", "a2c", "dqn", "rainbow", "discrete-sac", "alphazero")
"""Algorithms suggested first; every other may be typed."""


@dataclass(frozen=True)
class FormField:
    """One field of a form."""

    name: str
    label: str
    value: str = ""
    suggestions: Sequence[str] = ()
    """Completions of the text; the right arrow accepts one."""
    type: Literal["text", "integer", "number"] = "text"
    """Kind of text that may be typed."""

    def holding(self, value: str) -> "FormField":
        """Return a copy with another value."""
        return replace(self, value=value)


@dataclass(frozen=True)
class FormContext:
    """Everything that a form's fields depend on."""

    game: str
    agents: Sequence[str]
    """Specs to choose from."""
    agent: str
    """Spec that was selected, or empty."""
    runs: Path
    store: str
    traits: str | None
    """Traits of the game, which begin with its number of seats; None if not yet known."""

    @property
    def seats(self) -> int:
        """Number of seats."""
        digits = (self.traits or "2p").partition("p")[0]
        return int(digits) if digits.isdigit() else 2


@dataclass(frozen=True)
class CommandForm:
    """Form of one command."""

    kind: str
    title: str
    verb: str
    fields: Callable[[FormContext], list[FormField]]
    command: Callable[[FormContext, Mapping[str, str]], list[str]] | None = None
    """Words of a command that runs as a process of its own."""
    intent: Callable[[FormContext, Mapping[str, str]], Intent] | None = None
    """Intent of a command that is a screen."""

    def words(self, context: FormContext, values: Mapping[str, str]) -> list[str]:
        """Return the command line that the values make."""
        if self.intent is not None:
            return self.intent(context, values).words
        return self.command(context, values) if self.command is not None else []


def _number(text: str, otherwise: int) -> int:
    """Return a number that may not be typed yet."""
    return int(text) if text.isascii() and text.isdecimal() else otherwise


def _play_fields(context: FormContext) -> list[FormField]:
    return [
        FormField("agent", "against", context.agent or "one-ply", context.agents),
        FormField("seat", "your seat", "1", type="integer"),
    ]


def _play_intent(context: FormContext, values: Mapping[str, str]) -> Intent:
    return PlayIntent(context.game, (values["agent"],), context.store, _number(values["seat"], 1))


def _watch_fields(context: FormContext) -> list[FormField]:
    agents = [context.agent or "one-ply", *["random"] * (context.seats - 1)]
    fields = [FormField(f"agent-{i}", f"seat {i + 1}", agent, context.agents) for i, agent in enumerate(agents)]
    return [
        *fields,
        FormField("games", "games", "10", type="integer"),
        FormField("speed", "moves a second", "1", type="number"),
    ]


def _watch_intent(context: FormContext, values: Mapping[str, str]) -> Intent:
    agents = tuple(value for name, value in values.items() if name.startswith("agent-"))
    try:
        speed = float(values["speed"])
    except ValueError:
        speed = 1.0
    return WatchIntent(context.game, agents, _number(values["games"], 10), speed)


def _train_fields(context: FormContext) -> list[FormField]:
    known = [*(name for name in LEARNERS if name in AGENTS.names()), *AGENTS.names()]
    return [
        FormField("algo", "algorithm", "ppo", known),
        FormField("steps", "steps", "1500000", type="integer"),
        FormField("out", "folder (or none)", ""),
        FormField("more", "more options", ""),
    ]


def _train_words(context: FormContext, values: Mapping[str, str]) -> list[str]:
    usual = context.runs / as_name(f"{context.game}-{values['algo']}")
    folder = values["out"] or str(free_folder(usual))
    return ["train", context.game, values["algo"], "--steps", values["steps"], "--out", folder, *values["more"].split()]


def _tournament_fields(context: FormContext) -> list[FormField]:
    agents = list(dict.fromkeys([*([context.agent] if context.agent else []), "random", "one-ply"]))
    return [FormField("agents", "agents", " ".join(agents)), FormField("games", "games a pair", "100", type="integer")]


def _tournament_words(context: FormContext, values: Mapping[str, str]) -> list[str]:
    agents = values["agents"].split()
    return ["tournament", context.game, *agents, "--games", values["games"], "--store", context.store]


PLAY = CommandForm("play", "play against an agent", "play", _play_fields, intent=_play_intent)
WATCH = CommandForm("watch", "watch agents play", "watch", _watch_fields, intent=_watch_intent)
TRAIN = CommandForm("train", "train an agent", "begin", _train_fields, _train_words)
TOURNAMENT = CommandForm("tournament", "rate agents against each other", "begin", _tournament_fields, _tournament_words)
