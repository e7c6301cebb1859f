"""`arena play`: people and agents at one table, on the screen."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import tyro

from arena.cli.home import STORE
from arena.errors import UsageError
from arena.match.limits import Limits
from arena.registry import make_agent, make_game
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.match.contained import ContainedPolicy
    from arena.policy.protocol import Policy
    from arena.tui.screens.play import PlayScreen

HUMAN = "human"
SIMULATIONS = 400
"""Of a hint, where nobody else is asked."""


@dataclass(frozen=True)
class Options:
    """Play against an agent in the terminal, by keys, mouse or typed moves; or against people at the same keyboard.

    Agents think in processes of their own, and the screen stays alive whatever they do. Every game that ends is kept in
    the store. The screen tells its keys: ? lists all of them.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """What is played; options follow the name, tic_tac_toe:m=6,n=6,k=4."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="AGENT [AGENT ...]", help_behavior_hint="(required)"),
    ]
    """Who holds the other seats, one for all or one each: mcts:400, ppo:runs/c4; human or human:NAME is a person."""
    seat: int = 1
    """Your seat in the first game; 1 moves first."""
    time: Annotated[str | None, tyro.conf.arg(metavar="TIME", help_behavior_hint="")] = None
    """Time that each side has for all its moves of a game: 90s, 5m, 1h."""
    hints: Annotated[str | None, tyro.conf.arg(metavar="AGENT", help_behavior_hint="")] = None
    """Who gives hints; by default mcts:400, or ismcts:400 where something is hidden."""
    open: bool = False
    """Show what agents think while the game is on, and not only after it."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = STORE
    """Where games are kept: the path of an SQLite file, or the URL of another database."""
    seed: int = 0
    """The same seed and the same moves give the same games."""


def run(options: Options) -> int:
    """Show the games; returns the exit status. `UsageError` before the terminal is touched."""
    from arena.tui.app import launch

    with screen(options) as shown:
        return launch(shown)


@contextmanager
def screen(options: Options) -> Iterator["PlayScreen"]:
    """The screen of these options; `UsageError` if there is something wrong with them."""
    game = make_game(options.game)
    seats = game.num_players
    if not 1 <= options.seat <= seats:
        raise UsageError(f"--seat {options.seat} is not a seat of {game.name}; seats are 1 to {seats}")
    if len(options.agents) not in (1, seats - 1):
        wanted = "1 agent" if seats == 2 else f"1 agent, or {seats - 1}"
        raise UsageError(f"{game.name} has {seats} seats, one of them yours; name {wanted}, not {len(options.agents)}")
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} is below 0")
    time_s = _seconds(options.time)
    specs = options.agents if len(options.agents) == seats - 1 else options.agents * (seats - 1)

    from arena.tui.keeper import Keeper
    from arena.tui.screens.play import PlayScreen
    from arena.tui.screens.sitting import Terms

    with ExitStack() as stack:

        def seat(spec: str) -> "ContainedPolicy":
            from arena.tui.seating import seated

            limits = Limits(time_per_game=options.time, time_to_start="10m")
            return stack.enter_context(closing(seated(spec, game, limits)))

        names = _names(specs)
        others: list[tuple[str, Policy | None]] = [
            (name, None if _is_person(spec) else seat(spec)) for name, spec in zip(names, specs, strict=True)
        ]
        adviser = options.hints or _usual_adviser(game)
        hints = None if adviser is None else (adviser, seat(adviser))
        keeper = Keeper(options.store)
        stack.callback(keeper.finish)
        terms = Terms(options.seat - 1, options.seed, time_s, hints, options.open, keeper)
        yield PlayScreen(game, others, terms)


def _seconds(time: str | None) -> float | None:
    try:
        return Limits(time_per_game=time).game_s
    except UsageError as error:
        raise UsageError(str(error).replace("time_per_game=", "--time ")) from None


def _is_person(spec: str) -> bool:
    return spec.partition(":")[0] == HUMAN


def _names(specs: Sequence[str]) -> list[str]:
    """What the others are called; a person by the name that follows the colon, and no two alike.

    >>> _names(["human", "human:Ada", "random", "random"])
    ['guest', 'Ada', 'random', 'random 2']
    """
    names: list[str] = []
    for spec in specs:
        name = (spec.partition(":")[2] or "guest") if _is_person(spec) else spec
        count = 1 + sum(other == name or other.startswith(f"{name} ") for other in names)
        names.append(name if count == 1 else f"{name} {count}")
    return names


def _usual_adviser(game: Game) -> str | None:
    """Who is asked for hints if nobody is named; None where neither can play."""
    for spec in (f"mcts:{SIMULATIONS}", f"ismcts:{SIMULATIONS}"):
        try:
            make_agent(spec, game).close()
        except UsageError:
            continue
        return spec
    return None
