"""No-limit hold'em by the rules of a table: beside pokerkit over random hands, and rules one by one."""

import numpy as np
import pytest

from games.engine.compiler import instantiate
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL
from games.engine.registry import make_game
from tests.games.poker_table import EVENTS, REAL, play_hands
from tests.rules_by_hand import rules_of

pytestmark = pytest.mark.full

BUTTON = 0


class Hand:
    """One hand of our game by itself; the button is seat 0, cards come in the order of a list."""

    def __init__(self, options, cards=range(52)):
        self.game = make_game(f"{REAL},{options},bets=0 1")
        self.rules, self.state = rules_of(self.game), self.game.initial.reshape(1).copy()[0]
        self.cards = iter(cards)
        self.rules.apply(self.state, BUTTON)
        self.deal()

    def deal(self):
        while self.state["current_player"] == CHANCE:
            self.rules.apply(self.state, next(self.cards))

    @property
    def mover(self):
        return int(self.state["current_player"])

    @property
    def legal(self):
        mask = np.zeros(self.game.num_actions, np.bool_)
        self.rules.legal_actions(self.state, mask)
        return [self.game.action_text(self.state, action) for action in np.flatnonzero(mask)]

    def play(self, *texts):
        for text in texts:
            assert text in self.legal
            self.rules.apply(self.state, self.game.parse_action(self.state, text))
            self.deal()

    @property
    def returns(self):
        won = np.zeros(self.game.num_players, np.float32)
        self.rules.returns(self.state, won)
        return won.tolist()


def test_random_hands_are_those_of_pokerkit():
    assert set(play_hands(300, seed=1)) == EVENTS


def test_of_two_the_button_pays_the_small_blind_and_begins_and_ends_later_rounds():
    hand = Hand("num_players=2")
    assert hand.state["paid"].tolist() == [1, 2]
    assert hand.mover == 0
    hand.play("call")
    assert hand.mover == 1
    assert hand.legal == ["check", "raise min", "raise pot", "all-in"], "the big blind may raise"
    hand.play("check")
    assert hand.mover == 1


def test_of_three_the_button_begins_and_the_small_blind_later_rounds():
    hand = Hand("num_players=3")
    assert hand.state["paid"].tolist() == [0, 1, 2]
    assert hand.mover == 0
    hand.play("call", "call", "check")
    assert hand.mover == 1


def test_a_raise_of_the_pot_and_the_smallest_raise():
    hand = Hand("num_players=2")
    hand.play("raise pot")  # 2 to call, 4 on top
    assert hand.state["bet"].tolist() == [6, 2]
    hand.play("raise min")  # by 4 again
    assert hand.state["bet"].tolist() == [6, 10]


def test_an_all_in_for_less_than_a_raise_does_not_open_the_betting_anew():
    hand = Hand("num_players=3,stacks=100 9 100")
    hand.play("raise pot")  # to 7, by 5
    hand.play("all-in")  # to 9, by 2
    assert hand.legal == ["fold", "call", "raise min", "raise pot", "all-in"], "who has not acted may raise"
    hand.play("call")
    assert hand.mover == 0
    assert hand.legal == ["fold", "call"]


@pytest.mark.parametrize(("stack", "faced", "is_open"), [(13, 5, True), (11, 3, False)])
def test_several_all_ins_together_may_open_the_betting_anew(stack, faced, is_open):
    hand = Hand(f"num_players=4,stacks=10 {stack} 100 100,blinds=1 4")
    hand.play("raise min")  # seat 3, by 4 to 8
    hand.play("all-in")  # seat 0, by 2 to 10
    hand.play("all-in")  # seat 1
    hand.play("call")
    assert hand.mover == 3
    assert hand.state["high"] - hand.state["bet"][3] == faced
    assert ("raise min" in hand.legal) == is_open


def test_side_pots_and_what_nobody_called():
    """Seat 1 has aces and 10 chips, seat 2 kings and 30, seat 0 queens and 100."""
    queens, aces, kings = (11, 24), (0, 13), (12, 25)
    rest = [1, 16, 31, 46, 8]  # 2s 4h 6d 8c 9s
    hands = zip(queens, aces, kings, strict=True)
    hand = Hand("num_players=3,stacks=100 10 30", [card for cards in hands for card in cards] + rest)
    hand.play("all-in", "call", "call")
    assert hand.mover == TERMINAL
    assert hand.state["won"].tolist() == [70, 30, 40]
    assert hand.returns == [-15, 10, 5]


def test_nobody_is_asked_where_nobody_else_could_answer():
    hand = Hand("num_players=2,stacks=100 2")
    hand.play("call")
    assert hand.mover == TERMINAL, "the big blind is all-in, and the small blind has called it"


def test_who_wins_without_a_showdown_shows_nothing():
    hand = Hand("num_players=3")
    hand.play("fold", "fold")
    states = hand.game.initial.reshape(1).copy()
    for seat in range(3):
        states[0] = hand.state
        instantiate("games.engine.knowledge", hand.game).redact_all(states, np.array([seat]))
        shown = (states["cards"][0, :6] >= 0).reshape(3, 2).all(axis=1)
        assert shown.tolist() == [other == seat for other in range(3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("num_players=11", "num_players=11 is not between 2 and 10"),
        ("stacks=100 50 20", "stacks='100 50 20' is neither one number nor one for each of 2 players"),
        ("stacks=1", "stacks=1 is not between 2 and 1,000,000"),
        ("stacks=many", "stacks='many' is not a list of whole numbers"),
        ("blinds=5", "blinds='5' is not a small and a big blind"),
        ("blinds=3 2", "blinds='3 2' is not a small and a big blind"),
        ("bets=1 0.5", "bets='1 0.5' are not rising shares of the pot"),
        ("bets=nan", "bets='nan' are not rising shares of the pot"),
        ("bets=0.3333", "bets='0.3333' are not rising shares of the pot"),
        ("rules=rlcard,bets=2", "blinds and bets are fixed in rules=rlcard; use rules=real"),
        ("rules=rlcard,stacks=100 50", "in rules=rlcard all stacks are equal"),
    ],
)
def test_options_that_do_not_fit(options, message):
    with pytest.raises(UsageError, match=message):
        make_game(f"texas_holdem_no_limit:{options}" if "rules" in options else f"{REAL},{options}")
