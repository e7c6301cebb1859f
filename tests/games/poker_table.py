"""Compare hands of no-limit hold'em with pokerkit, action by action: turns, legal actions, chips and winnings.

pokerkit (J. Kim, "PokerKit: a comprehensive Python library for fine-grained multi-variant poker game simulations", IEEE
Transactions on Games, 2023) numbers its players from the first one after the button. It differs from the rules in two
things. It takes the first bet or raise of a round for a full one even if it is an all-in of less than a big blind, and
lets seats that have acted already raise again after it: `is_reopened` mends that. And it takes together all side pots
that have the same winners before it splits them, where each is split by itself (TDA, rule 21): `payoffs` does that.

`python -m tests.games.poker_table 100000` plays that many hands and prints the events in them; it takes half an hour.
"""

import sys
from collections import Counter
from typing import Any

import numpy as np
import pokerkit

from games.engine.cards import card_text
from games.engine.game import CHANCE, Game
from games.engine.holdem import HAND, OPEN
from games.engine.registry import make_game
from games.texas_holdem_no_limit.real import raise_target
from games.texas_holdem_no_limit.table import CALL, FOLD, RAISE
from tests.rules_by_hand import rules_of

REAL = "texas_holdem_no_limit:rules=real"
TABLES = [
    f"{REAL},bets=0 1",
    f"{REAL},stacks=7 100,bets=0 1",
    f"{REAL},num_players=3,stacks=20 9 100,bets=0 1",
    f"{REAL},num_players=4,stacks=100 23 11 5,blinds=2 5,bets=0.25 0.75",
    f"{REAL},num_players=10,stacks=40 9 13 100 3 77 31 8 5 21,blinds=1 3,bets=0 0.333 1",
]
EVENTS = {"short all-in", "not reopened", "showdown", "side pots", "shared", "odd chips"}
"""Events that random hands must contain, else the comparison says little."""
BY_HAND = {"CARD_BURNING", "HOLE_DEALING", "BOARD_DEALING", "HOLE_CARDS_SHOWING_OR_MUCKING"}
DONE_BY_ITSELF = tuple(step for step in pokerkit.Automation if step.name not in BY_HAND)


class Table:
    """A hand on both sides, dealt alike."""

    def __init__(self, game: Game, rng: np.random.Generator):
        self.game, self.rules = game, rules_of(game)
        self.players = game.num_players
        self.cards = rng.permutation(52)[: HAND * self.players + OPEN].tolist()
        self.button = int(rng.integers(self.players))
        self.state = game.initial.reshape(1).copy()[0]
        self.mask = np.zeros(game.num_actions, np.bool_)
        stacks = [int(self.state["stack"][self.seat(i)]) for i in range(self.players)]
        blinds = tuple(self.state["blinds"].tolist())
        self.theirs = pokerkit.NoLimitTexasHoldem.create_state(
            DONE_BY_ITSELF, True, 0, blinds, blinds[1], stacks, self.players, mode=pokerkit.Mode.CASH_GAME
        )
        self.acted: set[int] = set()
        self.pots: list[pokerkit.Pot] = []
        self.paid: list[int] = []
        self.rules.apply(self.state, self.button)
        self.settle()

    def seat(self, index: int) -> int:
        """Our seat of pokerkit's player."""
        return (self.button + 1 + index) % self.players

    def settle(self) -> None:
        """Let chance deal the same cards on both sides, and pokerkit's players check who have nothing to decide."""
        while self.state["current_player"] == CHANCE:
            self.rules.apply(self.state, self.next_card())
        while self.theirs.status and (self.theirs.actor_index is None or self.must_check()):
            self.go_on()

    def next_card(self) -> int:
        """The card that our game deals next: its seat's, where cards lie by seat."""
        place, in_hands = int(self.state["dealt"]), HAND * self.players
        return self.cards[HAND * (place % self.players) + place // self.players if place < in_hands else place]

    def go_on(self) -> None:
        """Deal a hand, show one, burn a card, deal open cards, or check, on pokerkit's side."""
        theirs = self.theirs
        if theirs.can_deal_hole():
            seat = self.seat(theirs.hole_dealee_index)
            theirs.deal_hole("".join(map(card_text, self.cards[HAND * seat : HAND * seat + HAND])))
        elif theirs.can_show_or_muck_hole_cards():
            if not self.pots:
                self.pots, self.paid = list(theirs.pots), list(theirs.payoffs)
            theirs.show_or_muck_hole_cards(True)
        elif theirs.can_burn_card():
            theirs.burn_card("??")
        elif theirs.can_deal_board():
            count = sum(map(len, theirs.board_cards)) if theirs.board_cards else 0
            first = HAND * self.players + count
            theirs.deal_board("".join(map(card_text, self.cards[first : first + (1 if count else 3)])))
            self.acted.clear()
        else:
            theirs.check_or_call()

    def must_check(self) -> bool:
        """Return whether pokerkit waits for a player who has nothing to call and whom nobody could answer."""
        theirs = self.theirs
        return (
            theirs.actor_index is not None
            and theirs.checking_or_calling_amount == 0
            and theirs.min_completion_betting_or_raising_to_amount is None
        )

    def is_reopened(self) -> bool:
        """Return whether the player to act has not acted in this round, or faces at least a big blind more."""
        owed = self.theirs.checking_or_calling_amount
        return self.theirs.actor_index not in self.acted or owed >= self.state["blinds"][1]

    def compare(self) -> None:
        """Both ask the same player, show the same chips, and allow the same: to fold, to call, raises as large."""
        theirs, state = self.theirs, self.state
        seat = self.seat(theirs.actor_index)
        assert state["current_player"] == seat
        for index in range(self.players):
            assert theirs.stacks[index] == state["stack"][self.seat(index)] - state["paid"][self.seat(index)]
            assert theirs.bets[index] == state["bet"][self.seat(index)]
        self.mask[:] = False
        self.rules.legal_actions(state, self.mask)
        assert self.mask[CALL]
        assert self.mask[FOLD] == (theirs.checking_or_calling_amount > 0)
        least = theirs.min_completion_betting_or_raising_to_amount if self.is_reopened() else None
        targets = self.targets()
        assert bool(targets) == (least is not None)
        if targets:
            assert max(targets.values()) == theirs.max_completion_betting_or_raising_to_amount
            assert min(targets.values()) >= least
            if state["sizes"][0] == 0:
                assert min(targets.values()) == least

    def targets(self) -> dict[int, int]:
        """The bet that each raise which is legal leads to."""
        state, seat = self.state, int(self.state["current_player"])
        last = self.game.num_actions - 1
        everything = int(state["bet"][seat] + state["stack"][seat] - state["paid"][seat])
        return {
            action: everything if action == last else raise_target(state, seat, action - RAISE)
            for action in np.flatnonzero(self.mask).tolist()
            if action >= RAISE
        }

    def play(self, action: int) -> None:
        """Do the same on both sides."""
        theirs, targets = self.theirs, self.targets()
        self.acted.add(theirs.actor_index)
        if action == FOLD:
            theirs.fold()
        elif action == CALL:
            theirs.check_or_call()
        else:
            theirs.complete_bet_or_raise_to(targets[action])
        self.rules.apply(self.state, action)
        self.settle()

    def payoffs(self) -> list[int]:
        """Return the winnings of pokerkit's players, with each pot split by itself."""
        if not self.pots:
            return self.theirs.payoffs
        won = list(self.paid)
        for pot in self.pots:
            hands = {index: self.hand(index) for index in pot.player_indices}
            winners = [index for index in pot.player_indices if hands[index] == max(hands.values())]
            for index in winners:
                won[index] += pot.amount // len(winners)
            won[winners[0]] += pot.amount % len(winners)
        assert len(self.pots) > 1 or won == self.theirs.payoffs
        return won

    def hand(self, index: int) -> pokerkit.StandardHighHand:
        """The best five cards of pokerkit's player."""
        first = HAND * self.seat(index)
        texts = ("".join(map(card_text, cards)) for cards in (self.cards[first : first + HAND], self.cards[-OPEN:]))
        return pokerkit.StandardHighHand.from_game(*texts)

    def compare_results(self) -> None:
        """The hand is over on both sides, and each has won the same."""
        assert self.state["current_player"] < CHANCE
        won = np.zeros(self.players, np.float32)
        self.rules.returns(self.state, won)
        chips = np.rint(won * self.state["blinds"][1]).astype(int)
        payoffs = self.payoffs()
        assert chips.tolist() == [payoffs[(seat - self.button - 1) % self.players] for seat in range(self.players)]


def play_hand(game: Game, rng: np.random.Generator, counts: Counter[str]) -> None:
    """A random hand on both sides; `seen` counts what came up in it."""
    table = Table(game, rng)
    boldness = rng.random() ** 2  # many hands of few raises, some of many
    while table.theirs.status:
        table.compare()
        weights = table.mask * np.array([0.15, 1, *[boldness] * (game.num_actions - 3), boldness / 3])
        action = int(rng.choice(game.num_actions, p=weights / weights.sum()))
        counts.update(events(table, action))
        table.play(action)
    table.compare_results()
    counts.update(results(table.state))


def events(table: Table, action: int) -> list[str]:
    """Return the events that an action causes."""
    state, seat = table.state, int(table.state["current_player"])
    left = state["stack"][seat] - state["paid"][seat]
    owed = state["high"] - state["bet"][seat]
    short = action == table.game.num_actions - 1 and left - owed < state["full"]
    closed = owed < left and state["acted"][seat] == 1 and 0 < owed < state["full"]
    return ["short all-in"] * bool(short) + ["not reopened"] * bool(closed)


def results(state: Any) -> list[str]:
    """Return the events of sharing the pot."""
    standing = state["folded"] == 0
    amounts = {int(chips) for chips in state["paid"][standing]}
    best = state["strength"] == state["strength"].max()
    named = {"showdown": standing.sum() > 1, "side pots": len(amounts) > 1, "shared": best.sum() > 1}
    named["odd chips"] = len(set(state["won"][best].tolist())) > 1 and len(amounts) == 1
    return [name for name, is_so in named.items() if is_so]


def play_hands(hands: int, seed: int) -> Counter[str]:
    """Play that many random hands, at all tables together; returns the events in them."""
    rng, counts = np.random.default_rng(seed), Counter[str]()
    for spec in TABLES:
        game = make_game(spec)
        for _ in range(hands // len(TABLES)):
            play_hand(game, rng, counts)
    return counts


if __name__ == "__main__":
    print(f"{int(sys.argv[1]):,} hands are those of pokerkit:", dict(play_hands(int(sys.argv[1]), seed=2)))
