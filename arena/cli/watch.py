"""`arena watch`: games between agents on the screen."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import tyro

from arena.base.checks import require_above, require_at_least, require_between
from arena.base.errors import UsageError
from arena.cli.server_ladders import is_address
from arena.cli.server_matches import Broadcast, live_game
from arena.cli.unused_options import refuse_unused
from arena.match.by_moves import PolicyByMoves
from arena.match.limits import Limits
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from arena.tournament.openings import openings_of
from arena.training.gym_names import is_gym
from arena.training.task_names import make_gym_task
from arena.tui.services.agents import contained_agent
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.server.live_spectator import LiveSpectator
    from arena.tui.screens.base import ArenaScreen
    from arena.tui.state.intents import WatchIntent

MOST_BOARDS = 16


@dataclass(frozen=True)
class Options:
    """Watch agents play each other in the terminal; they change seats after every game.

    An agent in a Gymnasium environment that renders pixels is watched the same way, episode by episode. The address of
    a ladder server, or of a ladder's page, shows the newest game of the ladder, and then those that come in; that of
    the page of a live game shows it as it is played.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME|URL")]
    """Game, with options after its name (tic_tac_toe:m=6,n=6,k=4), Gymnasium environment (gym:CartPole-v1), or address
    of a ladder or a live game: https://arena.example.org/ladders/chess, https://arena.example.org/live/3."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="[AGENT ...]", help_behavior_hint=""),
    ] = ()
    """Agents, one for each seat (one in all for an environment, none for a ladder): random, one-ply, alphabeta:4,
    ppo:runs/c4."""
    games: int = 10
    """Number of games, or episodes."""
    seed: int = 0
    """Random seed; the same seed gives the same games."""
    speed: Annotated[float | None, tyro.conf.arg(metavar="FLOAT", help_behavior_hint="")] = None
    """Moves per second; by default 1, in an environment its own frames per second."""
    boards: int = 1
    """Number of games shown at once, 1 to 16."""
    limits: Limits = field(default_factory=Limits)
    openings: str = "random:0"
    """Openings: random:N for N random legal moves, file:PATH for a file with a line of moves each; every opening is
    played from all seats."""


def run(options: Options) -> int:
    """Show the games and return the exit status; raise `UsageError` before the terminal is touched."""
    from arena.tui.app import launch

    with screen(options) as opened:
        return launch(opened)


def options_of(intent: "WatchIntent") -> Options:
    """Return the options that another screen asks for."""
    limits = Limits(clock=intent.clock)
    given = Options(intent.game, intent.agents, games=intent.games, speed=intent.speed, limits=limits)
    return given if intent.openings is None else replace(given, openings=intent.openings)


@contextmanager
def screen(options: Options) -> Iterator["ArenaScreen"]:
    """Yield the screen of these options; raise `UsageError` if they are wrong."""
    require_at_least(1, games=options.games)
    require_above(0, speed=options.speed)
    require_at_least(0, seed=options.seed)
    kind = _ladder if is_address(options.game) else _episodes if is_gym(options.game) else _series
    with kind(options) as opened:
        yield opened


@contextmanager
def _ladder(options: Options) -> Iterator["ArenaScreen"]:
    """Yield the screen of the games of a ladder server."""
    if options.agents:
        raise UsageError(f"{options.game} is a server's address, whose bots play; name no agents")
    unused = "games", "seed", "boards", "limits", "openings"
    refuse_unused(options, Options(options.game), unused, f"for games played here, and {options.game} is none")
    if (spectator := live_game(options.game)) is not None:
        try:
            yield _live(spectator, options.speed)
        finally:
            spectator.stop_waiting()
        return
    from arena.tui.screens.replay import ReplayScreen

    broadcast = Broadcast(options.game)
    newest = broadcast.next()
    if newest is None:
        raise UsageError(f"the ladder {broadcast.ladder} has no games yet")
    yield ReplayScreen(newest, broadcast.ladder, speed=options.speed or 1.0, next_match=broadcast.next)


def _live(spectator: "LiveSpectator", speed: float | None) -> "ArenaScreen":
    """Return the screen of a live game, whose moves are shown as they come."""
    from arena.tui.screens.watch import WatchScreen
    from arena.tui.state.pace import FASTEST

    players = [(name, PolicyByMoves(spectator)) for name in spectator.names]
    limits = Limits(clock=spectator.clock)
    return WatchScreen(spectator.game, players, games=1, speed=speed or FASTEST, limits=limits, live=spectator)


@contextmanager
def _episodes(options: Options) -> Iterator["ArenaScreen"]:
    """Yield the screen of an agent in a Gymnasium environment."""
    if len(options.agents) != 1:
        raise UsageError(f"{options.game} has one seat; name 1 agent, not {len(options.agents)}")
    unused = "boards", "limits", "openings"
    refuse_unused(options, Options(options.game), unused, f"for games, and {options.game} is none")
    from arena.training.episodes import WatchedEpisodes
    from arena.tui.screens.episodes import EpisodesScreen

    task, agent = make_gym_task(options.game), options.agents[0]
    with closing(WatchedEpisodes(task, agent, options.seed)) as episodes:
        speed = options.speed or episodes.frames_per_second
        yield EpisodesScreen(options.game, agent, episodes, options.games, speed)


@contextmanager
def _series(options: Options) -> Iterator["ArenaScreen"]:
    """Yield the screen of a series of games."""
    game = make_game(options.game)
    seats, named = game.num_players, len(options.agents)
    if named != seats:
        raise UsageError(f"{game.name} has {seats} seats; name {seats} agents, not {named}")
    require_between(1, MOST_BOARDS, boards=options.boards)
    openings = openings_of(game, options.openings, min(-(-options.games // seats), 1000), options.seed)

    from arena.tui.screens.boards import BoardsScreen
    from arena.tui.screens.watch import WatchScreen

    series = options.games, options.seed, options.speed or 1.0, openings
    with ExitStack() as stack:
        if min(options.boards, options.games) == 1:
            agents = [
                (spec, stack.enter_context(closing(contained_agent(spec, game, options.limits))))
                for spec in options.agents
            ]
            yield WatchScreen(game, agents, *series, options.limits)
        else:
            boards = [_board(options, game, stack) for _ in range(min(options.boards, options.games))]
            yield BoardsScreen(game, boards, *series, options.limits)


def _board(options: Options, game: Game, stack: ExitStack) -> list[tuple[str, Policy]]:
    """Return the agents of one of several boards; they run in separate processes only if there are limits."""
    make = partial(contained_agent, limits=options.limits) if options.limits else make_agent
    return [(spec, stack.enter_context(closing(make(spec, game)))) for spec in options.agents]
