"""`arena check-game`: the checks of a game's rules."""

from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.base.checks import require_at_least
from arena.policy.registry import make_game
from games.engine.text import printable


@dataclass(frozen=True)
class Options:
    """Play a game at random and look for what breaks the contract of games; print each check with its result.

    Checked are: the ends of games and their returns, determinism (a seed and actions fix a game), bounds of
    observations, secrets (no seat is shown what is hidden from it), texts of actions, pictures and symmetries; of
    somebody else's environments all but secrets and symmetries. The exit status is 1 if a check fails.
    """

    game: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
    """Game to check, with its options: nim:heaps=5."""
    games: int = 10
    """Number of random games."""
    seed: int = 0
    """Seed of the first game; each further one adds 1."""


def run(options: Options) -> int:
    """Print a line a check; return the exit status."""
    require_at_least(1, games=options.games)
    require_at_least(0, seed=options.seed)
    status = 0
    for problem in make_game(options.game).problems(options.games, options.seed):
        print(f"{problem.check:<14} {printable(problem.text) or 'ok'}", flush=True)
        status = 1 if problem.text else status
    return status
