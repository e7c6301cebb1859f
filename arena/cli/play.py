"""`arena play`: games of people against agents, or each other, in the terminal."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.cli.home import STORE
from arena.cli.server_ladders import is_address
from arena.cli.unused_options import refuse_unused
from arena.match.limits import Limits
from arena.policy.agent_spec import AgentSpec
from arena.policy.registry import make_game
from arena.policy.zoo.opponents import first_opponent
from arena.tournament.entrants import named
from arena.tui.services.advisers import usual_advisers

if TYPE_CHECKING:
    from arena.match.contained import ContainedPolicy
    from arena.policy.protocol import Policy
    from arena.tui.screens.play import PlayScreen
    from arena.tui.state.intents import PlayIntent
    from games.engine.game import Game

HUMAN = "human"
RUNS = Path("runs")
"""Folder of trainings whose agents may give hints."""


@dataclass(frozen=True)
class Options:
    """Play against agents in the terminal, by keys, mouse or typed moves; or against people here or elsewhere.

    Agents run in separate processes, so the screen stays responsive whatever they do. Finished games are saved in the
    store. The screen shows its keys; ? lists all of them. With the address of a ladder you play one of its bots by
    name, or --with an account somebody at another machine, who challenges you back.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME|URL")]
    """Game, with options after its name (tic_tac_toe:m=6,n=6,k=4), or address of a ladder whose game is played:
    https://arena.example.org/ladders/chess."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="[AGENT ...]", help_behavior_hint=""),
    ] = ()
    """Players of the other seats, one for all or one each: level:5, champion, mcts:400, ppo:runs/c4; human or
    human:NAME is a person; on a ladder the name of a bot. By default level:3, in a game without levels the best agent
    known."""
    with_: Annotated[str | None, tyro.conf.arg(name="with", metavar="NAME", help_behavior_hint="")] = None
    """Account of whom you play over a server, in place of a bot of the ladder. ARENA_KEY holds your key."""
    seat: int = 1
    """Your seat in the first game; 1 moves first. Over a server who challenges first chooses it."""
    clock: Annotated[str | None, tyro.conf.arg(metavar="CLOCK", help_behavior_hint="")] = None
    """Time control of each side: 5m for a game, 5m+2s with 2 s more after each move, 40/60 for every 40 moves,
    move=10s."""
    hands: int | None = None
    """Length of the session in hands, or games, over which the screen keeps the score; unlimited by default."""
    hints: Annotated[str | None, tyro.conf.arg(metavar="AGENT", help_behavior_hint="")] = None
    """Agent that gives hints; by default the strongest available: perfect, a trained agent of the store or of runs/, or
    a search of two seconds."""
    open: bool = False
    """Show the agents' estimates during the game, and not only after it."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = STORE
    """Store of the games: path of an SQLite file, or URL of another database."""
    seed: int = 0
    """Random seed; the same seed and moves give the same games."""


def run(options: Options) -> int:
    """Show the games and return the exit status; raise `UsageError` before the terminal is touched."""
    from arena.tui.app import launch

    if is_address(options.game):
        return _play_over_server(options)
    with screen(options) as opened:
        return launch(opened)


def _play_over_server(options: Options) -> int:
    """Play somebody at another machine, or a bot of a ladder; return the exit status."""
    from arena.cli.server_play import play_over_server

    if len(options.agents) + (options.with_ is not None) != 1:
        raise UsageError(f"name one whom you play: arena play {options.game} BOT, or --with PERSON")
    refuse_unused(options, Options(options.game), ("hands", "hints", "open", "seed"), "for games that are played here")
    opponent = {"bot": options.agents[0]} if options.with_ is None else {"opponent": options.with_}
    return play_over_server(options.game, opponent, options.seat, options.clock, options.store)


def options_of(intent: "PlayIntent") -> Options:
    """Return the options that another screen asks for."""
    return Options(
        intent.game, intent.agents, seat=intent.seat, clock=intent.clock, hands=intent.hands, store=intent.store
    )


@contextmanager
def screen(options: Options) -> Iterator["PlayScreen"]:
    """Yield the screen of these options; raise `UsageError` if they are wrong."""
    if options.with_ is not None:
        raise UsageError(f"--with {options.with_}: for games over a server; in place of {options.game} name its ladder")
    game = make_game(options.game)
    seats = game.num_players
    if not 1 <= options.seat <= seats:
        raise UsageError(f"--seat {options.seat} is not a seat of {game.name}; seats are 1 to {seats}")
    agents = options.agents or (_first_opponent(game),)
    if len(agents) not in (1, seats - 1):
        count = "1 agent" if seats == 2 else f"1 agent, or {seats - 1}"
        raise UsageError(f"{game.name} has {seats} seats, one of them yours; name {count}, not {len(agents)}")
    require_at_least(0, seed=options.seed)
    require_at_least(1, **numbers_in(options, "hands"))
    limits = Limits(clock=options.clock, time_to_start="10m")
    specs = agents if len(agents) == seats - 1 else agents * (seats - 1)

    from arena.tui.parts.sitting import PlayOptions
    from arena.tui.screens.play import PlayScreen
    from arena.tui.services.match_recorder import MatchRecorder

    with ExitStack() as stack:

        def seat(spec: str) -> "ContainedPolicy":
            from arena.tui.services.agents import contained_agent

            return stack.enter_context(closing(contained_agent(spec, game, limits)))

        entered = {spec: named(spec, spec) for spec in specs if not _is_person(spec)}
        names = _names([entered[spec].name if spec in entered else spec for spec in specs])
        others: list[tuple[str, Policy | None]] = [
            (name, seat(entered[spec].spec) if spec in entered else None)
            for name, spec in zip(names, specs, strict=True)
        ]
        hints = [(options.hints, seat(options.hints))] if options.hints else []
        for adviser in () if options.hints else usual_advisers(game, options.store, RUNS):
            with suppress(UsageError):  # it does not play this game
                hints.append((adviser, seat(adviser)))
        recorder = MatchRecorder(options.store, limits)
        stack.callback(recorder.finish)
        first = options.seat - 1, options.seed
        terms = PlayOptions(*first, limits.control, hints, options.open, options.hands, recorder)
        yield PlayScreen(game, others, terms)


def _first_opponent(game: "Game") -> str:
    """Return the opponent of somebody who names none: a level, the champion, or a search that plays any game."""
    from arena.tui.views.opponents import SEARCH, SEARCH_HIDDEN

    open_game = game.perfect_information and not game.simultaneous
    return first_opponent(game) or (SEARCH if open_game else SEARCH_HIDDEN)


def _is_person(spec: str) -> bool:
    return AgentSpec.parse(spec).name == HUMAN


def _names(specs: Sequence[str]) -> list[str]:
    """Return unique names of the other players; a person has the name after the colon.

    >>> _names(["human", "human:Ada", "random", "random"])
    ['guest', 'Ada', 'random', 'random 2']
    """
    names: list[str] = []
    for spec in specs:
        name = (AgentSpec.parse(spec).argument or "guest") if _is_person(spec) else spec
        count = 1 + sum(other == name or other.startswith(f"{name} ") for other in names)
        names.append(name if count == 1 else f"{name} {count}")
    return names
