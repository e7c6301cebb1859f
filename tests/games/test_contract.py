"""The contract of every registered game, played through the vector environment."""

import copy
import pickle

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games.engine.errors import UsageError
from games.engine.game import TERMINAL
from games.engine.registry import make_game
from tests.games.playing import SPECS, positions, random_actions, random_line, second_legal

pytestmark = pytest.mark.parametrize("spec", SPECS)


def test_shapes_and_dtypes(spec):
    game = make_game(spec)
    env = GameVectorEnv(game, 5)
    obs, info = env.reset()
    assert info.is_empty()
    for _ in range(2):
        assert obs.agent_id.shape == (5,)
        assert obs.obs.shape == (5, *game.observation_shape)
        assert obs.obs.dtype == game.observation_dtype
        assert obs.mask.shape == (5, game.num_actions)
        assert obs.mask.dtype == np.bool_
        obs, rewards, terminated, truncated, _ = env.step(second_legal(obs.mask))
        assert rewards.shape == terminated.shape == truncated.shape == (5, game.num_players)
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float32, np.bool_, np.bool_)


def test_a_random_game_ends_in_time_and_its_returns_sum_to_zero(spec):
    game = make_game(spec)
    env = GameVectorEnv(game, 64)
    env.reset()
    rng = np.random.default_rng(7)
    returns = np.zeros((64, game.num_players))
    has_rewards = False
    for _ in range(game.max_length):
        alive = np.flatnonzero(~env.over)
        if not len(alive):
            break
        assert env.mask[alive].any(axis=1).all()
        _, rewards, terminated, truncated, _ = env.step(random_actions(env.mask[alive], rng), alive)
        returns[alive] += rewards
        has_rewards |= rewards.any()
        ended, never = (truncated, terminated) if game.truncates else (terminated, truncated)
        assert not never.any()
        assert (ended.all(axis=1) == env.over[alive]).all()
        assert (ended.any(axis=1) == env.over[alive]).all()
    assert env.over.all()
    assert (env.states["current_player"] == TERMINAL).all()
    assert env.mask.all(), "the mask of a finished game is all True"
    if game.zero_sum:
        # rewards are float32: neither a third nor chips in big blinds of 5 are exact, and errors grow with the sums
        assert np.abs(returns.sum(axis=1)).max() <= 1e-6 * max(1.0, np.abs(returns).max())
    assert has_rewards, "somebody wins sometimes"


def test_a_batch_of_one_equals_a_row_of_many(spec):
    game = make_game(spec)
    many = GameVectorEnv(game, 8)
    many.reset(seed=3)
    ones = [GameVectorEnv(game, 1) for _ in range(8)]
    for row, one in enumerate(ones):
        one.reset(seed=3 + row)
    rng = np.random.default_rng(1)
    while not many.over.all():
        alive = np.flatnonzero(~many.over)
        actions = random_actions(many.mask[alive], rng)
        batch = many.step(actions, alive)
        for j, row in enumerate(alive):
            single = ones[row].step(actions[j : j + 1])
            assert all((a[j] == b[0]).all() for a, b in zip(batch[1:4], single[1:4], strict=True))
            assert batch[0][j] == single[0][0]
            assert many.states[row] == ones[row].states[0]


@pytest.mark.full
def test_every_seat_sees_the_same_board_from_its_own_side(spec):
    game = make_game(spec)
    env = GameVectorEnv(game, 1)
    env.reset()
    rng = np.random.default_rng(2)
    while not env.over[0]:
        observation, *_ = env.step(random_actions(env.mask, rng))
        views = env.final_obs()
        assert (views.obs[0, env.seats[0]] == observation.obs[0]).all()
        assert (env.observations().obs == observation.obs).all()
        assert (views.mask[0, env.seats[0]] == env.mask[0]).all()
        if not env.over[0]:
            others = [seat for seat in range(game.num_players) if seat != env.seats[0]]
            assert not views.mask[0, others].any(), "only the seat to move has legal actions"
    assert env.final_obs().mask.all()


def test_a_copy_of_a_state_shares_nothing(spec):
    env = GameVectorEnv(make_game(spec), 2)
    env.reset()
    env.step([int(np.flatnonzero(mask)[0]) for mask in env.mask])
    kept = env.states[:1].copy()
    twin = GameVectorEnv(env.game, 2)
    twin.reset()
    twin.states[:], twin.seats[:], twin.mask[:] = env.states, env.seats, env.mask
    obs = env.observations().obs.copy()
    twin.step([int(np.flatnonzero(mask)[-1]) for mask in twin.mask])
    assert (env.states[:1] == kept).all()
    assert (env.observations().obs == obs).all()
    assert env.states[0] != twin.states[0]


def test_what_is_returned_is_a_copy(spec):
    env = GameVectorEnv(make_game(spec), 2)
    obs, _ = env.reset()
    returned = env.step(second_legal(obs.mask))[:4]
    kept = copy.deepcopy(returned)
    env.step(second_legal(returned[0].mask))
    assert returned[0] == kept[0]
    assert all((a == b).all() for a, b in zip(returned[1:], kept[1:], strict=True))
    obs.mask[:] = False
    returned[0].mask[:] = False
    assert env.mask.any(axis=1).all()


def test_symmetries_map_games_to_games(spec):
    game = make_game(spec)
    for observation_index, action_index in game.symmetries:
        assert sorted(observation_index) == list(range(np.prod(game.observation_shape)))
        assert sorted(action_index) == list(range(game.num_actions))
        image_of = np.argsort(action_index)  # action_index says where an entry comes from, this where it goes
        plain, mapped = GameVectorEnv(game, 1), GameVectorEnv(game, 1)
        plain.reset(seed=3)
        mapped.reset(seed=3)
        for action in random_line(spec, seed=3):
            observation, rewards, _, _, _ = plain.step([action])
            image, mapped_rewards, _, _, _ = mapped.step([image_of[action]])
            assert (observation.obs.reshape(-1)[observation_index] == image.obs.reshape(-1)).all()
            assert (plain.mask[0, action_index] == mapped.mask[0]).all()
            assert (rewards == mapped_rewards).all()
        assert mapped.over[0]


def test_a_picture_shows_the_last_move_and_points_at_every_action(spec):
    game = make_game(spec)
    for moves, (state, mask) in enumerate(positions(game, seed=4)):
        picture = game.picture(state)
        rows, columns = picture.pieces.shape
        assert picture.cell_actions.shape == (rows, columns)
        assert picture.action_cells.shape == (game.num_actions, 2)
        assert (len(picture.row_labels), len(picture.column_labels)) == (rows, columns)
        assert len(picture.bottom_labels) in (0, columns)
        assert picture.last is None or moves > 0
        assert picture.last is None or picture.pieces[picture.last] >= 0
        if state["current_player"] != TERMINAL:
            placed = mask & (picture.action_cells >= 0).all(axis=1)  # not a pass, say
            cells = picture.action_cells[placed]
            if picture.action_origins is None:
                assert (picture.cell_actions[cells[:, 0], cells[:, 1]] == np.flatnonzero(placed)).all()
            else:
                origins = picture.action_origins[placed]
                assert (picture.pieces[origins[:, 0], origins[:, 1]] == state["current_player"]).all()


def test_a_picture_is_drawn_in_two_ways_and_shares_nothing_with_the_state(spec):
    game = make_game(spec)
    for state, _ in positions(game, seed=5):
        kept, picture = state.copy(), game.picture(state)
        rows, columns = picture.pieces.shape
        for text in (picture.text(), picture.text(ascii_only=True)):
            board = text.splitlines()[1 : 3 + rows]
            ends = [len(line) for line in board[1:-1]]
            expected = [ends[0] + 2 * row * picture.slanted for row in range(rows)]
            assert ends == expected, "lines of one width, each half a cell further right where they are slanted"
        assert picture.text(ascii_only=True).isascii()
        assert picture.image(cell=10).shape == (rows * 10, columns * 10 + 5 * (rows - 1) * picture.slanted, 3)
        picture.pieces[:] = picture.cell_actions[:] = picture.action_cells[:] = 0
        assert state == kept


def test_action_text_reads_back(spec):
    game = make_game(spec)
    for state, mask in positions(game, seed=6):
        legal = np.flatnonzero(mask).tolist() if state["current_player"] != TERMINAL else []
        texts = [game.action_text(state, action) for action in legal]
        assert [game.parse_action(state, f" {text} ") for text in texts] == legal
        large = [text.upper().rstrip("+#") for text in texts]
        for action, text in zip(legal, large, strict=True):
            if large.count(text) == 1:  # bxc3 is a pawn's move in chess, Bxc3 a bishop's
                assert game.parse_action(state, text) == action


def test_text_that_means_no_action_is_refused(spec):
    game = make_game(spec)
    for text in ("", "?", "0", "-1", "99", "a0", "z9", "1.5", "a1b", "²"):
        with pytest.raises(UsageError, match="type a") as caught:
            game.parse_action(game.initial, text)
        assert "\n" not in str(caught.value)


def test_a_game_is_described_whole_by_its_name_and_options(spec):
    game = make_game(spec)
    again = make_game(game.name, **game.options)
    assert again.label == game.label
    assert (again.initial == game.initial).all()
    restored = pickle.loads(pickle.dumps(game))
    assert restored.label == game.label
    assert restored.initial == game.initial
