"""Forms of the home screen: the fields of each command, and the command line made from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from arena.policy.registry import AGENTS
from arena.policy.zoo.card import FIRST_LEVEL
from arena.tui.services.jobs import as_name, free_folder
from arena.tui.state.intents import Intent, PlayIntent, WatchIntent
from arena.tui.views.opponents import PERSON, Opponent, fitting, opponents
from games.engine.identity import GameId

if TYPE_CHECKING:
    from games.engine.game import Game
    from games.engine.options import Option

LEARNERS = ("ppo", "a2c", "dqn", "rainbow", "discrete-sac", "alphazero")
"""Algorithms suggested first; every other may be typed."""
OPTION = "option-"
"""Prefix of the fields for the options of a game."""
SEAT_OPTIONS = ("option-players", "option-num_players")
"""Fields by which games choose their number of seats."""


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
    meaning: str = ""
    """What it is, in a line, shown while the field has the focus."""
    choices: Sequence[Opponent] = ()
    """Values that page up and page down go through, each with what it is."""
    optional: bool = False
    """True if a number may be left out."""

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
    options: "Mapping[str, Option]" = field(default_factory=dict)
    """Options of the game with their defaults."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What each option means."""
    unit: str = "games"
    """What a session consists of: games, or hands in games for chips."""
    exact: Sequence[str] = ()
    """Agents that solve the game, or parts of it."""
    zoo: Sequence[Opponent] = ()
    """Levels of the game and its champion."""
    levels_anywhere: bool = False
    """Whether the levels play with any options of the game."""

    @property
    def seats(self) -> int:
        """Number of seats."""
        digits = (self.traits or "2p").partition("p")[0]
        return int(digits) if digits.isdigit() else 2

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """Agents and people to play against."""
        return opponents(self.traits, [spec for spec in self.agents if ":" in spec], self.exact, self.zoo)

    @property
    def first_opponent(self) -> str:
        """Spec of the agent that a person plays first."""
        specs = [one.spec for one in self.zoo]
        return next((spec for spec in (FIRST_LEVEL, *specs[:1]) if spec in specs), fitting(self.traits))

    def option_fields(self) -> list[FormField]:
        """Return a field for each option of the game."""
        return [
            FormField(f"{OPTION}{name}", name, str(value), meaning=self.meanings.get(name, ""))
            for name, value in self.options.items()
        ]

    def game_spec(self, values: Mapping[str, str]) -> str:
        """Return the game with those options that differ from their defaults."""
        chosen = {name: values.get(f"{OPTION}{name}", str(value)) for name, value in self.options.items()}
        changed = {name: text for name, text in chosen.items() if text and text != str(self.options[name])}
        return GameId(self.game, changed).spec

    def seats_of(self, values: Mapping[str, str]) -> int:
        """Return the number of seats with these options."""
        return next((_number(values[key], self.seats) for key in SEAT_OPTIONS if key in values), self.seats)


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


def option_meanings(game: "Game") -> dict[str, str]:
    """Return what each option of a game means, from its manual."""
    from games.engine.manual import manual_of

    options = next((part.paragraphs for part in manual_of(game) if part.heading == "Options"), ())
    points = (point.removeprefix("- ").replace("`", "").partition(": ") for point in options)
    return {name: meaning for name, _, meaning in points}


def _number(text: str, otherwise: int) -> int:
    """Return the number in a text; `otherwise` while the text is none."""
    return int(text) if text.isascii() and text.isdecimal() else otherwise


CLOCK_MEANING = "time of each side: 5m for a game, 5m+2s with 2 s more after each move, move=10s; empty for none"
OPENINGS_MEANING = "how games begin: random:4 for four random moves, file:PATH for a file of openings; empty for none"


def _play_fields(context: FormContext) -> list[FormField]:
    agent = context.agent or context.first_opponent
    many = "" if context.seats == 2 else f"; one for all, or {context.seats - 1} with blanks between them"
    return [
        FormField("agent", "against", agent, context.agents, meaning=f"who plays{many}", choices=context.opponents),
        FormField("seat", "your seat", "1", type="integer", meaning=f"1 to {context.seats}; 1 moves first"),
        FormField("clock", "clock", "", meaning=CLOCK_MEANING),
        FormField("hands", context.unit, "", type="integer", meaning=_session_meaning(context), optional=True),
        *context.option_fields(),
    ]


def _session_meaning(context: FormContext) -> str:
    return f"{context.unit} of the session, over which the score is kept; empty for as many as you like"


def _play_intent(context: FormContext, values: Mapping[str, str]) -> Intent:
    agents = tuple(values["agent"].split()) or (context.first_opponent,)
    seat, game = _number(values["seat"], 1), context.game_spec(values)
    if game != context.game and agents == (FIRST_LEVEL,) and not context.levels_anywhere:
        agents = (fitting(context.traits),)
    hands = _number(values["hands"], 0) if values.get("hands") else None
    return PlayIntent(game, agents, context.store, seat, values.get("clock") or None, hands)


def _watch_fields(context: FormContext) -> list[FormField]:
    agents = [context.agent or fitting(context.traits), *["random"] * (context.seats - 1)]
    choices = tuple(one for one in context.opponents if one.spec != PERSON)
    return [
        *(
            FormField(f"agent-{i}", f"seat {i + 1}", agent, context.agents, meaning="who plays", choices=choices)
            for i, agent in enumerate(agents)
        ),
        FormField("games", context.unit, "10", type="integer", meaning=f"{context.unit} of the series"),
        FormField("speed", "moves a second", "1", type="number"),
        FormField("clock", "clock", "", meaning=CLOCK_MEANING),
        FormField("openings", "openings", "", meaning=OPENINGS_MEANING),
        *context.option_fields(),
    ]


def _watch_intent(context: FormContext, values: Mapping[str, str]) -> Intent:
    named = [value for name, value in values.items() if name.startswith("agent-")]
    seats = context.seats_of(values)
    agents = tuple([*named, *named[-1:] * seats][:seats]) if seats != context.seats else tuple(named)
    try:
        speed = float(values["speed"])
    except ValueError:
        speed = 1.0
    clock, openings = values.get("clock") or None, values.get("openings") or None
    return WatchIntent(context.game_spec(values), agents, _number(values["games"], 10), speed, clock, openings)


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
    agents = list(dict.fromkeys([*([context.agent] if context.agent else []), "random", fitting(context.traits)]))
    return [FormField("agents", "agents", " ".join(agents)), FormField("games", "games a pair", "100", type="integer")]


def _tournament_words(context: FormContext, values: Mapping[str, str]) -> list[str]:
    agents = values["agents"].split()
    return ["tournament", context.game, *agents, "--games", values["games"], "--store", context.store]


PLAY = CommandForm("play", "play against an agent", "play", _play_fields, intent=_play_intent)
WATCH = CommandForm("watch", "watch agents play", "watch", _watch_fields, intent=_watch_intent)
TRAIN = CommandForm("train", "train an agent", "begin", _train_fields, _train_words)
TOURNAMENT = CommandForm("tournament", "rate agents against each other", "begin", _tournament_fields, _tournament_words)
