"""PettingZoo's gin_rummy_v4 of up to version 1.26: its file without the drawing, on its RLCard base class."""

from pettingzoo.classic.rlcard_envs.rlcard_base import RLCardBase
from pettingzoo.utils import wrappers
from rlcard.games.gin_rummy.utils import melding, utils
from rlcard.games.gin_rummy.utils.action_event import GinAction, KnockAction


def env(**options):
    """The environment with PettingZoo's usual checks."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(RLCardBase):
    """RLCard's game, with other rewards and, unless asked for, without the plane of unseen cards."""

    def __init__(self, knock_reward=0.5, gin_reward=1.0, opponents_hand_visible=False):
        self.render_mode = None
        self.metadata = {"name": "gin_rummy_v4", "is_parallelizable": False}
        self._planes = 5 if opponents_hand_visible else 4
        super().__init__("gin-rummy", 2, (self._planes, 52))
        self._knock_reward, self._gin_reward = knock_reward, gin_reward
        self.env.game.judge.scorer.get_payoff = self._get_payoff

    def _get_payoff(self, player, game):
        if game.round.going_out_player_id == player.player_id:
            if type(game.round.going_out_action) is KnockAction:
                return self._knock_reward
            if type(game.round.going_out_action) is GinAction:
                return self._gin_reward
        best = melding.get_best_meld_clusters(hand=player.hand)
        return -utils.get_deadwood_count(player.hand, best[0] if best else []) / 100

    def observe(self, agent):
        observation = super().observe(agent)
        return {**observation, "observation": observation["observation"][: self._planes]}
