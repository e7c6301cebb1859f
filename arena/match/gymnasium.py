"""Games as environments of Gymnasium: importing this module registers all of them.

`gymnasium.make("arena.match.gymnasium:arena/ConnectFour-v0", opponent="alphabeta:2")` imports it by itself; after an
import, `gymnasium.make("arena/ConnectFour-v0")` is enough. `arena.match.solo.SoloEnv` says what an environment takes.
"""

import gymnasium

from arena.policy.registry import GAMES

for _name in GAMES.names():
    gymnasium.register(
        f"arena/{''.join(word.capitalize() for word in _name.split('_'))}-v0",
        entry_point="arena.match.solo:SoloEnv",
        kwargs={"game": _name},
    )
