"""Local best responses in limit hold'em: odds, beliefs, and what they win from simple players."""

import json

import numpy as np
import pytest

import games
from arena.analysis.holdem_odds import HANDS, conflicts, win_chances
from arena.analysis.local_response import PokerTables, after_raise, local_best_response
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.data.batch import Batch
from arena.match.match import Match
from arena.policy.protocol import Policy
from games.engine.limit_betting import CALL, CHECK, FOLD, RAISE

pytestmark = pytest.mark.full

ACES = [card for card in range(52) if card % 13 == 0]


class Simple(Policy):
    """Takes one action where it may, and otherwise checks or calls."""

    def __init__(self, action):
        self.action = action

    def forward(self, batch, state=None):
        mask = batch.obs.mask
        wanted = np.full(len(mask), self.action)
        wanted = np.where(mask[np.arange(len(mask)), wanted], wanted, np.where(mask[:, CHECK], CHECK, CALL))
        return Batch(act=wanted, probs=np.eye(4)[wanted])


class RaisesAces(Simple):
    def forward(self, batch, state=None):
        answer = super().forward(batch, state)
        aces = batch.obs.obs[:, ACES].sum(axis=1) >= 2
        raises = aces & batch.obs.mask[:, RAISE]
        answer.act = np.where(raises, RAISE, answer.act)
        answer.probs = np.eye(4)[answer.act]
        return answer


def card(text):
    """The number of a card such as `As`: ace to king of spades, hearts, diamonds, clubs."""
    return 13 * "shdc".index(text[1]) + "A23456789TJQK".index(text[0])


def hand_index(*cards):
    return int(np.flatnonzero((sorted(cards) == HANDS).all(axis=1))[0])


@pytest.mark.parametrize(
    ("own", "shown", "other", "chance"),
    [
        ("As Ah", "", "Ks Kh", 0.826),  # tables of odds
        ("As Kd", "", "Qs Qh", 0.432),
        ("9h 8h", "7h 6h 2c", "As Ac", 0.561),
        ("9h 8h", "7h 6h 2c 3d", "As Ac", 15 / 44),  # nine hearts and three fives, three tens
        ("9h 8h", "7h 6h 2c 3d Th", "As Ac", 1.0),
        ("2h 3d", "As Ks Qs Js Ts", "4c 5c", 0.5),
    ],
)
def test_odds_are_those_of_the_tables(own, shown, other, chance):
    own, shown, other = ([card(text) for text in cards.split()] for cards in (own, shown, other))
    weights = np.zeros(len(HANDS))
    weights[hand_index(*other)] = 1
    args = np.array(own, np.int8), np.array(shown, np.int8), HANDS, weights
    chances = win_chances(*args, 20_000, 0)
    assert chances[hand_index(*other)] == pytest.approx(chance, abs=0.01)
    assert np.count_nonzero(chances) == 1


def test_hands_with_known_cards_are_ruled_out():
    assert conflicts(np.array([0, 1, -1], np.int8)).sum() == 51 + 50
    assert conflicts(np.array([5, -1, -1], np.int8)).sum() == 51


def test_a_raise_leads_to_the_position_of_the_rules():
    game = games.make("texas_holdem")
    rng = np.random.default_rng(1)
    raised = 0
    for seed in range(100):
        match = Match(game, [(name, None) for name in "ab"], seed)
        while not match.over:
            state, seat = match.state, match.seat
            action = int(rng.choice(4, p=(odds := match.legal * [1.0, 2.0, 0.05, 1.0]) / odds.sum()))
            match.play(action)
            if action == RAISE:
                price = int(state["paid"][1 - seat] - state["paid"][seat])
                bet = 2 << int(state["round"]) // 2
                assert after_raise(state, seat, price + bet).tobytes() == match.state.tobytes()
                raised += 1
    assert raised > 200


def test_it_takes_the_blinds_of_one_who_folds():
    result = local_best_response(games.make("texas_holdem"), Simple(FOLD), "folds", 200)
    assert result.mean == pytest.approx(0.75, abs=0.07)  # the big blind, or the small one


@pytest.mark.slow("plays thousands of hands")
@pytest.mark.parametrize("action", [CALL, RAISE])
def test_it_wins_from_one_who_never_folds(action):
    result = local_best_response(games.make("texas_holdem"), Simple(action), "never folds", 400)
    assert result.mean - result.error > 0.3


def test_hands_that_would_have_played_otherwise_are_ruled_out():
    tables = PokerTables(games.make("texas_holdem"), RaisesAces(CALL), "aces", False, 400, np.random.default_rng(0))
    rows = [row for row, match in enumerate(tables.matches) if match.seat != tables.seats[row]]
    tables.play_agent(rows)
    pairs = (HANDS % 13 == 0).all(axis=1)
    actions = [tables.matches[row].actions[0] for row in rows]
    assert set(actions) == {CALL, RAISE}
    for row, action in zip(rows, actions, strict=True):
        assert ((tables.weights[row] > 0) == (pairs if action == RAISE else ~pairs)).all()


def test_a_showdown_counts_by_its_mean_over_the_hands():
    tables = PokerTables(games.make("texas_holdem"), Simple(CALL), "calls", False, 400, np.random.default_rng(0))
    means = tables.play()
    pairs = list(zip(tables.matches, tables.seats, strict=True))
    won = np.array([match.returns[seat] for match, seat in pairs])
    assert abs((means - won).mean()) < 3 * (means - won).std() / 20
    assert means.std() < 0.9 * won.std()
    for row, (match, seat) in enumerate(pairs):
        hand = match.state["cards"][2 * (1 - seat) :][:2]
        tables.weights[row] = np.arange(len(HANDS)) == hand_index(*hand.tolist())
    np.testing.assert_array_equal([tables._result(row) for row in range(400)], won)


def test_the_command_prints_the_bound(capsys):
    assert main(["exploitability", "texas_holdem", "random", "--local", "--games", "64", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 64
    assert result["local_best_response"] > 1
    assert main(["exploitability", "texas_holdem", "random", "--local", "--games", "64"]) == 0
    assert "a local best response wins +" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("leduc_poker random --local", "a local best response plays texas_holdem for two, not leduc_poker"),
        ("texas_holdem one-ply --local", "one-ply plays"),
        ("texas_holdem random --local --games 1", "games 1 is not at least 2"),
        ("texas_holdem random --local --approximate", "--local and --approximate are two ways"),
    ],
)
def test_what_cannot_be_measured_is_refused(command, message, capsys):
    assert main(["exploitability", *command.split()]) == 2
    assert message in capsys.readouterr().err


def test_an_agent_without_probabilities_is_measured_by_its_moves():
    class Silent(Simple):
        def forward(self, batch, state=None):
            return Batch(act=super().forward(batch, state).act)

    game = games.make("texas_holdem")
    with pytest.raises(UsageError, match="returns no probabilities of moves"):
        local_best_response(game, Silent(CALL), "silent", 8)
    assert local_best_response(game, Silent(CALL), "silent", 8, chosen=True).games == 8
