"""Layout of policies over the seats of a game: one for all, one a group of alike agents, one a seat, or as named."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from arena.base.errors import UnknownNameError, UsageError
from arena.policy.registry import learning_algorithm

if TYPE_CHECKING:
    from arena.policy.kinds import Algorithm
    from games.engine.game import Game
    from games.engine.seats import SeatGroup

SHARED, GROUPS, SEPARATE = "shared", "groups", "separate"
LAYOUTS = (SHARED, GROUPS, SEPARATE)


@dataclass(frozen=True)
class Holding:
    """Seats that one policy holds."""

    seats: tuple[int, ...]
    algorithm: str = ""
    """Name of the algorithm that it learns by, where it is not that of the training."""

    def group(self, game: "Game") -> "SeatGroup | None":
        """Return the group of alike agents that all these seats belong to; None if they belong to several, or none."""
        groups = {game.group_of(seat) for seat in self.seats}
        return groups.pop() if len(groups) == 1 else None


def layout(game: "Game", seats: str) -> tuple[Holding, ...]:
    """Return what each policy holds; none where one policy holds all seats, as they have it in common.

    `seats` is "shared", one policy for all seats; "groups", one for each group of seats whose agents are alike;
    "separate", one for each seat; or it names the agents: "a+b,c" has a policy for a and b and one for c,
    "a+b=ppo,c=a2c" also says by which algorithms they learn, and "adversary_*,agent_0" names several by a pattern.
    Raises `UsageError` for names that are none, seats without a policy or with two, and for one policy of seats of
    which some have numbered actions and others continuous ones.
    """
    if seats == SHARED:
        holdings = [Holding(tuple(range(game.num_players)))]
    elif seats == GROUPS:
        holdings = [Holding(group.seats) for group in game.groups]
    elif seats == SEPARATE:
        holdings = [Holding((seat,)) for seat in range(game.num_players)]
    else:
        holdings = list(_named(game, seats))
    for holding in holdings:
        _require_one_kind(game, holding, seats)
    return () if seats == SHARED else tuple(holdings)


def _named(game: "Game", text: str) -> Iterator[Holding]:
    """Yield the holdings that a text names, `a+b=ppo,c`."""
    if "," not in text and not set("+=*") & set(text) and text not in game.agents:
        raise UnknownNameError("way to hold the seats", text, LAYOUTS)
    free = dict.fromkeys(range(game.num_players))
    for part in text.split(","):
        names, _, algorithm = part.partition("=")
        seats = [seat for name in names.split("+") for seat in _seats_of(game, name.strip())]
        for seat in seats:
            if seat not in free:
                raise UsageError(f"seats={text!r}: {game.agents[seat]} of {game.spec} has two policies")
            del free[seat]
        if algorithm:
            learning_algorithm(algorithm)  # raises if there is none
        yield Holding(tuple(seats), algorithm)
    if free:
        left = ", ".join(game.agents[seat] for seat in free)
        raise UsageError(f"seats={text!r}: no policy holds {left} of {game.spec}")


def _seats_of(game: "Game", name: str) -> list[int]:
    """Return the seats of the agents with a name, or whose names fit a pattern."""
    if name in game.agents:
        return [game.agents.index(name)]
    fitting = [seat for seat, agent in enumerate(game.agents) if fnmatchcase(agent, name)]
    if not fitting:
        raise UnknownNameError(f"agent of {game.spec}", name, game.agents)
    return fitting


def _require_one_kind(game: "Game", holding: Holding, text: str) -> None:
    numbered = [seat for seat in holding.seats if game.box_of(seat) is None]
    continuous = [seat for seat in holding.seats if seat not in numbered]
    if numbered and continuous:
        one, two = game.agents[numbered[0]], game.agents[continuous[0]]
        raise UsageError(
            f"seats={text!r}: one policy cannot hold {one} and {two} of {game.spec}: the actions of {one} are "
            f"numbered, those of {two} continuous; seats=groups has a policy for each kind"
        )


def config_for(own: "Algorithm", algorithm: "Algorithm", config: Any) -> Any:
    """Return the config of a policy that learns by its `own` algorithm in a training of another, whose config is given.

    It is the usual one, with those options changed that are changed in the training's and that both have.
    """
    if own.config is algorithm.config:
        return config
    usual, own_usual = algorithm.usual_config(single=False), own.usual_config(single=False)
    changed = {f.name: getattr(config, f.name) for f in fields(config)}
    changed = {k: v for k, v in changed.items() if v != getattr(usual, k) and hasattr(own_usual, k)}
    return replace(own_usual, **changed)
