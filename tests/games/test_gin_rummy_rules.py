"""Gin rummy by hand: its rules, what seats know, and what the other may hold by what it has done."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games.engine.compiler import instantiate
from games.engine.errors import UsageError
from games.engine.game import CHANCE
from games.engine.picture import IN_ASCII
from games.gin_rummy.drawing import cards_of, parse_action
from games.gin_rummy.melds import deadwood, gin_card
from games.gin_rummy.rules import DISCARD, DRAW, GIN, KNOCK, TAKE
from tests.games.chance import ONE_IN_A_MILLION, chi_square_excess
from tests.games.playing import positions
from tests.rules_by_hand import rules_of

pytestmark = pytest.mark.full

ALL = (1 << 52) - 1


def number(card):
    return parse_action(None, card) - DISCARD


def bits(text):
    return sum(1 << number(card) for card in text.split())


def hold(env, *hands):
    """Let the seats hold these cards."""
    env.states["hands"][0] = [bits(hand) for hand in hands]
    env.mask[:] = env.final_obs().mask[0, env.seats]


def start(*hands, spec="gin_rummy"):
    """A game that seat 0 begins, in which the seats hold these cards."""
    env = GameVectorEnv(spec, 1)
    env.reset(seed=0)
    while env.seats[0] != 0:
        env.reset()
    hold(env, *hands)
    return env


def play(env, *texts):
    """Play; `draw As` lets chance draw this card. Returns the rewards of the last action."""
    for text in texts:
        word, _, card = text.partition(" ")
        _, rewards, _, _, _ = env.step([parse_action(None, word if word == "draw" else text)])
        if word == "draw" and card:
            state = env.states[0]
            now = state["length"] - 1
            state["hands"][env.seats[0]] ^= 1 << int(state["cards"][now]) | 1 << number(card)
            state["cards"][now] = number(card)
            env.mask[:] = env.final_obs().mask[0, env.seats]
    return rewards[0].tolist()


def legal(env):
    return {env.game.action_text(env.states[0], action) for action in np.flatnonzero(env.mask[0])}


PLAIN = "2c 2h 4d 4h 6h 6d Th Tc Ks Kh"
"""A hand without melds."""
MELDS = "4s 5s 6s 8h 8d 8c Jd Qd Kd"


def test_who_can_go_gin_has_to():
    env = start(MELDS + " 7s Ac", PLAIN)
    assert legal(env) == {"gin"}
    play(env, "gin")
    assert env.states["laid_away"][0] == number("Ac")
    assert legal(env) == {"score 1"}
    play(env, "score 1")
    assert legal(env) == {"score 2"}
    assert play(env, "score 2") == pytest.approx([1, -(2 + 2 + 4 + 4 + 6 + 6 + 40) / 100])
    assert env.over[0]


def test_eleven_cards_in_melds_are_gin():
    env = start("As 2s 3s 4s 8h 8d 8c 8s Jd Qd Kd", PLAIN)
    play(env, "gin")
    state = env.states[0]
    assert state["laid_away"] == number("As")
    assert deadwood(int(state["hands"][0])) == 0


def test_knocking_with_at_most_ten_points():
    env = start("4s 5s 6s 8h 8d 8c Jd Qd Kd Ac 9h", PLAIN)
    knocks = {text for text in legal(env) if text.startswith("knock")}
    assert knocks == {"knock Ac", "knock 9h"}
    hold(env, "4s 5s 6s 8h 8d 8c Jd Qd 2c Ac 9h", PLAIN)
    assert not any(text.startswith("knock") for text in legal(env)), "22 points less one are too many"
    hold(env, "4s 5s 6s 8h 8d 8c 9h Ac 4c 5c Kd", PLAIN)
    assert "knock Kd" not in legal(env)
    hold(env, "4s 5s 6s 8h 8d 8c Ah Ac 3c 5c Kd", PLAIN)
    assert {text for text in legal(env) if text.startswith("knock")} == {"knock Kd"}
    assert play(env, "knock Kd", "score 1", "score 2") == pytest.approx([0.5, -0.64])


@pytest.mark.parametrize("how", ["gin", "knock Ac"])
def test_rewards_are_options(how):
    spec = "gin_rummy:knock_reward=-0.25,gin_reward=3.0"
    env = start(MELDS + (" 7s Ac" if how == "gin" else " 9h Ac"), PLAIN, spec=spec)
    assert play(env, how, "score 1", "score 2") == pytest.approx([3 if how == "gin" else -0.25, -0.64])


def test_the_card_just_taken_is_not_discarded_but_may_be_laid_away_to_knock():
    env = start("4s 5s 6s 8h 8d 8c Jd 3c 2c Ac 9h", "4c 5c 6c 7h 7d 7s Td Jh Qs Kh")
    play(env, "discard 9h", "take")
    assert "discard 9h" not in legal(env)
    play(env, "discard Kh")
    hold(env, "4s 5s 6s 8h 8d 8c Jd 3d 2d Ac", "4c 5c 6c 7h 7d 7s Td Jh Qs 9h")
    play(env, "take")
    assert "discard Kh" not in legal(env)
    hold(env, "4s 5s 6s 8h 8d 8c 3s 3d 2d Ac Kh", "4c 5c 6c 7h 7d 7s Td Jh Qs 9h")
    assert "discard Kh" not in legal(env)
    assert "knock Kh" in legal(env)


def test_the_hand_is_dead_when_two_cards_are_left():
    env = GameVectorEnv("gin_rummy", 1)
    env.reset(seed=4)
    drawn = 0
    while env.mask[0, DRAW] or not env.mask[0, TAKE]:
        action = DRAW if env.mask[0, DRAW] else int(env.mask[0].argmax())
        drawn += action == DRAW
        assert action != GIN
        env.step([action])
    assert drawn == 52 - 21 - 2
    assert legal(env) == {"take", "dead"}
    play(env, "dead", "score 1")
    state = env.states[0].copy()
    assert play(env, "score 2") == pytest.approx([-deadwood(int(hand)) / 100 for hand in state["hands"]])


def test_the_hand_is_dead_after_199_actions():
    env = GameVectorEnv("gin_rummy", 1)
    env.reset(seed=4)
    for _ in range(199):
        discards = [action for action in np.flatnonzero(env.mask[0]) if DISCARD <= action < KNOCK]
        env.step([TAKE if env.mask[0, TAKE] else discards[0]])
    assert legal(env) == {"dead"}
    play(env, "dead", "score 1", "score 2")
    assert env.over[0]
    assert env.states["length"][0] == env.game.max_length


def test_chance_deals_eleven_cards_and_ten():
    env = GameVectorEnv("gin_rummy", 400)
    env.reset(seed=1)
    first = env.seats
    assert 140 < first.sum() < 260
    rows = np.arange(400)
    assert (env.states["held"][rows, first] == 11).all()
    assert (env.states["held"][rows, 1 - first] == 10).all()
    assert (env.states["hands"][:, 0] & env.states["hands"][:, 1] == 0).all()
    dealt = env.states["hands"][:, 0] | env.states["hands"][:, 1]
    times = np.array([(dealt >> card & 1).sum() for card in range(52)])
    assert chi_square_excess(times, np.full(52, 1 / 52)) < ONE_IN_A_MILLION


@pytest.mark.parametrize(
    ("text", "action"),
    [("As", 6), ("kc", 57), ("discard 2s", 7), (" KNOCK  as", 58), ("knock kc", 109), ("Draw", 2), ("score 2", 1)],
)
def test_moves_that_are_typed(text, action):
    assert parse_action(None, text) == action


@pytest.mark.parametrize(
    "text", ["knock", "discard", "take As", "knock 10s", "1s", "Ax", "score", "knock As As", "gin As"]
)
def test_what_is_no_move(text):
    with pytest.raises(UsageError, match="type a move"):
        parse_action(None, text)


def knowledge(game):
    return instantiate("games.engine.knowledge", game)


def test_a_picture_for_a_seat_hides_the_cards_of_the_other_but_for_those_it_took():
    game = GameVectorEnv("gin_rummy", 1).game
    hidden = 0
    for state, _ in positions(game, seed=3):
        for seat in range(2):
            blank = state.reshape(1).copy()
            knowledge(game).redact_all(blank, np.array([seat]))
            picture = game.picture(blank[0])
            shown = {str(letter).translate(IN_ASCII) for letter in picture.letters[1 - seat]} - {"?", ""}
            if state["ending"]:
                assert "?" not in picture.letters[:2]
                continue
            known = cards_of(int(state["taken"][1 - seat]))
            assert {number(card) for card in shown} == set(known)
            assert (picture.letters[1 - seat] == "?").sum() == state["held"][1 - seat] - len(known)
            assert sum("deadwood" in note for note in picture.notes) == 1 + (len(known) == state["held"][1 - seat])
            hidden += 1
    assert hidden > 50


def collected():
    """A game in which seat 1 has taken nine cards, all in melds: one of its cards is hidden."""
    env = start("4s 8h Jd 5s 8d Qd Ah 3c 5c 7c 9c", PLAIN)
    play(env, "discard 4s", "take", "discard 2c", "draw 6s", "discard 8h", "take", "discard 2h")
    play(env, "draw 8c", "discard Jd", "take", "discard 4d", "draw Kd", "discard 5s", "take", "discard 4h")
    play(env, "draw 9d", "discard 8d", "take", "discard 6h", "draw Ad", "discard Qd", "take", "discard 6d")
    play(env, "draw 2d", "discard 6s", "take", "discard Th", "draw 3h", "discard 8c", "take", "discard Tc")
    play(env, "draw Qc", "discard Kd", "take", "discard Ks")
    return env


def drawn_once_more():
    """The same, but seat 1 has drawn a card then that nobody saw, and laid away another one."""
    env = collected()
    play(env, "draw Jc", "discard Jc", "draw Js", "discard Kh")
    return env


def possible_pasts(state, seat):
    """All (hand, cards drawn) of the other that agree with what `seat` has seen, by trying out all of them."""
    other, length = 1 - seat, int(state["length"])
    moves = [now for now in range(length) if int(state["first"]) ^ ((now + 1) // 2 % 2) == other]
    draws = [now for now in moves if state["actions"][now] == DRAW]
    laid_away, taken = [], set()
    for now in moves:
        if state["actions"][now] == TAKE:
            taken.add(int(state["cards"][now]))
        elif state["actions"][now] >= DISCARD:
            card = int(state["actions"][now]) - DISCARD
            laid_away += [] if card in taken else [card]
            taken.discard(card)
    pile = sum(1 << int(card) for card in state["pile"][: state["discarded"]])
    unseen = cards_of(ALL & ~(int(state["hands"][seat]) | int(state["taken"][other]) | pile))
    dealt = 10 + (state["first"] == other)
    for hidden in combinations(unseen, dealt + len(draws) - len(laid_away)):
        for drawn in permutations((*laid_away, *hidden), len(draws)):
            hand = {*laid_away, *hidden}.difference(drawn)
            came = iter(drawn)
            for now in moves:
                action = int(state["actions"][now])
                if action in (DRAW, TAKE):
                    hand.add(next(came) if action == DRAW else int(state["cards"][now]))
                elif action - DISCARD not in hand or gin_card(sum(1 << card for card in hand)) >= 0:
                    break
                else:
                    hand.remove(action - DISCARD)
            else:
                yield sum(1 << card for card in hand), drawn


@pytest.mark.parametrize("position", [collected, drawn_once_more])
def test_the_other_holds_what_it_may_by_all_that_it_has_done(position):
    """With a card that fits its melds it would have had to go gin; all other pasts are as likely."""
    env = position()
    state, seat = env.states[0], 0
    assert env.seats[0] == seat
    possible = list(possible_pasts(state, seat))
    hands = {hand for hand, _ in possible}
    assert len(hands) > 15
    assert not any(hand & bits("3s 7s 8s Td") for hand in hands)
    guesses = np.repeat(state.reshape(1), 300 * len(possible))
    seeds = np.random.default_rng(1).integers(2**64, size=len(guesses), dtype=np.uint64)
    knowledge(env.game).determinize_all(guesses, np.full(len(guesses), seat), seeds)
    draws = [now for now in range(state["length"]) if state["actions"][now] == DRAW and (now + 1) // 2 % 2 == 1]
    drawn = [tuple(row) for row in guesses["cards"][:, draws].tolist()]
    counted = Counter(zip(guesses["hands"][:, 1].tolist(), drawn, strict=True))
    assert set(counted) == set(possible)
    times = np.array(list(counted.values()))
    assert chi_square_excess(times, np.full(len(times), 1 / len(times))) < ONE_IN_A_MILLION


def test_what_is_imagined_is_a_game_that_could_have_been_played():
    """Dealt as it says, all the actions so far are legal one after the other, and lead to the same position."""
    env = GameVectorEnv("gin_rummy", 1)
    rules = rules_of(env.game)
    rng = np.random.default_rng(8)
    for seed in range(6):
        states = [
            state for state, _ in positions(env.game, seed) if state["current_player"] >= 0 and not state["ending"]
        ]
        for state in rng.choice(np.array(states), 8):
            guess = state.reshape(1).copy()
            seat = int(rng.integers(2))
            knowledge(env.game).determinize_all(guess, np.array([seat]), rng.integers(2**64, size=1, dtype=np.uint64))
            replayed = dealt_anew(env.game, guess[0], rules)
            mask = np.zeros(env.game.num_actions, np.bool_)
            for now in range(state["length"]):
                mask[:] = False
                rules.legal_actions(replayed, mask)
                assert mask[guess[0]["actions"][now]]
                rules.apply(replayed, int(guess[0]["actions"][now]))
                if replayed["current_player"] == CHANCE:
                    rules.apply(replayed, int(guess[0]["cards"][now]))
            replayed["random"] = guess[0]["random"]
            assert replayed.tobytes() == guess[0].tobytes()


def dealt_anew(game, state, rules):
    """The position before the first action of a game, by its cards now and all that came and went."""
    hands = [int(hand) for hand in state["hands"]]
    for now in reversed(range(state["length"])):
        seat = int(state["first"]) ^ ((now + 1) // 2 % 2)
        action = int(state["actions"][now])
        hands[seat] ^= 1 << (action - DISCARD if action >= DISCARD else int(state["cards"][now]))
    begin = game.initial.reshape(1).copy()[0]
    rules.apply(begin, int(state["first"]))
    for seat in (state["first"], 1 - state["first"]):
        for card in cards_of(hands[seat]):
            rules.apply(begin, card)
    return begin
