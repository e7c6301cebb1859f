"""Arena: train agents by self-play, rate them in tournaments, watch them and play them in a terminal."""

from typing import TYPE_CHECKING

from arena.base.doors import door, put_up_signposts
from games.engine.source_files import find_source_files

if TYPE_CHECKING:
    from arena.base.errors import UsageError
    from arena.policy.registry import AGENTS, GAMES, make_agent, make_game

__all__ = ["AGENTS", "GAMES", "UsageError", "make_agent", "make_game"]
__version__ = "0.1.0"

put_up_signposts()
find_source_files()
if not TYPE_CHECKING:
    __getattr__, __dir__ = door(
        __name__,
        {"arena.base.errors": "UsageError", "arena.policy.registry": "AGENTS GAMES make_agent make_game"},
    )
