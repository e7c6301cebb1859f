"""Gin rummy for two players, one hand of it, as RLCard and PettingZoo play it.

A player who gathers melds (sets of three or four cards of one rank, runs of three or more of one suit, the ace low)
goes out. Chance says who begins and gets eleven cards; the other gets ten. The first discards; then in turn each draws
a card from the stock or takes the top of the discard pile, and discards another one than was just taken. Cards in no
meld are deadwood: aces count 1, picture cards 10. With eleven cards, a player who can lay one away so that the other
ten are all in melds goes gin, and may do nothing else; one who can lay one away so that at most 10 points of deadwood
are left may knock. The hand is dead when two cards are left in the stock and the top discard is not wanted, or after
199 actions. Then seat 0 scores, and seat 1. Going gin earns 1, knocking 0.5, whatever the other has; all others lose a
hundredth of their deadwood. Nothing is laid off, and undercutting is not rewarded.

Actions are those of PettingZoo's `gin_rummy_v4` (in PettingZoo up to 1.26): 0 and 1 score for that seat, 2 draws, 3
takes the top discard, 4 declares the hand dead, 5 goes gin, 6 + c discards card c, 58 + c knocks and lays it away. Card
13 s + r has suit s of spades, hearts, diamonds, clubs, and rank r from ace to king. Observations have a row for the own
hand, the top discard, all other discards, and what the other has taken from the pile and still holds; with
`opponents_hand_visible` one more for all cards that are not seen, in the stock or in the other's hand.

Once somebody goes out or declares the hand dead all cards lie open: only scoring is left. Differences from PettingZoo:

- Each seat sees its own side. There all are shown what the seat to move sees, its hand included.
- The mask of a seat that is not to move is all zero, as its documentation says. There it is that of the seat to move.
- The options' rewards stay in force after `reset(seed=...)`. There RLCard's own come back, 0.2 for knocking.
- A player who goes gin lays away the lowest-numbered card that leaves ten in melds. There it is one of these that a
  Python set happens to name first.
"""

import numpy as np

from games.engine.compiled import CompiledGame
from games.engine.game import CHANCE
from games.engine.options import checked_options
from games.engine.ruleset import Ruleset
from games.engine.views import views
from games.gin_rummy.drawing import action_text, parse_action, picture
from games.gin_rummy.knowledge import KNOWN, PLANES, determinize, information_state, observe, redact
from games.gin_rummy.melds import NUM_CARDS
from games.gin_rummy.rules import (
    LONGEST,
    NUM_ACTIONS,
    STATE,
    apply,
    chance_outcomes,
    draw_outcome,
    legal_actions,
    returns,
)


@checked_options
def game(knock_reward: float = 0.5, gin_reward: float = 1.0, opponents_hand_visible: bool = False) -> CompiledGame:
    """Describe the game; the rewards are those of who knocks and of who goes gin."""
    initial = np.zeros((), STATE)
    for field in ("pile", "actions", "cards", "first", "ender", "laid_away"):
        initial[field] = -1
    initial["knock_reward"], initial["gin_reward"] = knock_reward, gin_reward
    initial["current_player"] = CHANCE
    return CompiledGame(
        name="gin_rummy",
        title="Gin rummy",
        options={
            "knock_reward": knock_reward,
            "gin_reward": gin_reward,
            "opponents_hand_visible": opponents_hand_visible,
        },
        agents=("player_0", "player_1"),
        num_actions=NUM_ACTIONS,
        observation_shape=(PLANES + opponents_hand_visible, NUM_CARDS),
        max_length=LONGEST,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
            draw_outcome=draw_outcome,
            redact=redact,
            determinize=determinize,
            information_state=information_state,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=NUM_CARDS,
        information_shape=(KNOWN,),
        perfect_information=False,
        zero_sum=False,
        pettingzoo_name="gin_rummy_v4",
    )


env, raw_env, parallel_env = views(game)
