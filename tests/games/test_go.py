"""Go beside a plain slow version of it, beside PettingZoo's, and positions known by name."""

import warnings
from importlib import import_module

import numpy as np
import pytest

import games
from arena.env.native import GameVectorEnv
from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.go_reference import Go
from tests.games.playing import aec_views, children


def position(spec, moves):
    """The environment after moves in the game's notation."""
    env = GameVectorEnv(make_game(spec), 1)
    env.reset()
    for text in moves.split():
        env.step([env.game.parse_action(env.states[0], text)])
    return env


def legal(env, text):
    return bool(env.mask[0, env.game.parse_action(env.states[0], text)])


def stones(env):
    """The board, row by row from the top."""
    signs = np.array([".", "X", "O"])[env.game.picture(env.states[0]).pieces + 1]
    return ["".join(row) for row in signs]


def choose(rng, mask, last_passed):
    """A random action that seldom passes, but after a pass often, so that games go on and end."""
    actions = np.flatnonzero(mask)
    if len(actions) == 1 or rng.random() < (0.3 if last_passed else 0.02):
        return int(actions[-1])
    return int(rng.choice(actions[:-1]))


@pytest.mark.full
@pytest.mark.parametrize(("size", "num_games", "ko"), [(3, 40, "positional"), (5, 12, "simple")])
def test_random_games_beside_a_slow_version(size, num_games, ko):
    rng = np.random.default_rng(size)
    env = GameVectorEnv(f"go:size={size},ko={ko},komi=0.5", 1)
    points = [divmod(point, size) for point in range(size * size)]
    captures = 0
    for _ in range(num_games):
        env.reset()
        slow = Go(size, ko)
        while not env.over[0]:
            assert env.mask[0].tolist() == [slow.is_legal(point) for point in points] + [True]
            action = choose(rng, env.mask[0], slow.passes)
            _, rewards, _, _, _ = env.step([action])
            slow.play(points[action] if action < len(points) else None)
            pieces = env.game.picture(env.states[0]).pieces
            assert {point: ("black", "white")[pieces[point]] for point in points if pieces[point] >= 0} == slow.board
        black, white = slow.area("black"), slow.area("white")
        assert env.states["score"][0] == black - white
        assert rewards[0].tolist() == ([1, -1] if black > white + 0.5 else [-1, 1])
        assert slow.passes == 2 or len(slow.boards) == env.game.max_length + 1
        captures += slow.captures
    assert captures


def test_the_opening_of_a_big_game_beside_a_slow_version():
    env = GameVectorEnv("go", 1)
    env.reset()
    slow = Go(19, "positional")
    rng = np.random.default_rng(3)
    points = [divmod(point, 19) for point in range(361)]
    while len(slow.boards) < 350:
        action = int(rng.choice(np.flatnonzero(env.mask[0])[:-1]))
        env.step([action])
        slow.play(points[action])
        if len(slow.boards) % 20 == 0:
            assert env.mask[0].tolist() == [slow.is_legal(point) for point in points] + [True]
    assert slow.captures > 10


@pytest.mark.full
@pytest.mark.parametrize(("size", "num_games"), [(3, 40), (5, 25)])
def test_random_games_beside_pettingzoo(size, num_games):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = import_module("pettingzoo.classic.go_v5").env(board_size=size)
    ours = games.go.env(size=size, ko="simple")
    rng = np.random.default_rng(size)
    for _ in range(num_games):
        ours.reset()
        theirs.reset()
        views = aec_views(ours)
        assert views == aec_views(theirs)
        action, length = None, 0
        while ours.agents:
            if views["terminations"][ours.agent_selection]:
                action = None
            else:
                mask = views["observations"][ours.agent_selection]["action_mask"]
                action = choose(rng, np.array(mask), action == size * size)
                length += 1
            if length == ours.game.max_length:
                break  # which PettingZoo's game has not
            ours.step(action)
            theirs.step(action)
            views = aec_views(ours)
            assert views == aec_views(theirs)


@pytest.mark.full
def test_spaces_beside_pettingzoo():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = import_module("pettingzoo.classic.go_v5").env()
    ours = games.go.env(ko="simple")
    ours.reset()
    theirs.reset()
    assert ours.possible_agents == theirs.possible_agents
    assert ours.metadata["name"] == theirs.metadata["name"]
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)


@pytest.mark.full
def test_legal_positions():
    """Boards on which every chain has a liberty (OEIS A094777), reached by any moves of either player in any order."""
    game = make_game("go:size=3,ko=simple")
    frontier = game.initial.reshape(1)
    known = set()
    while len(frontier):
        boards = frontier["past"] & 3
        fresh = [i for i, board in enumerate(boards) if (key := board.tobytes()) not in known and not known.add(key)]
        both = np.repeat(frontier[fresh], 2)
        both["current_player"] = np.arange(len(both)) % 2
        both["length"] = both["passes"] = 0
        both["ko"] = -1
        frontier = children(game, both)
    assert len(known) == 12_675


@pytest.mark.parametrize(
    ("moves", "rows"),
    [
        ("B2 A2 A1 pass A3", ["X..", ".X.", "X.."]),  # a stone in the corner of the side
        ("A1 A2 pass B2 C2 B1", ["...", "OOX", ".O."]),
        ("A1 A3 B1 B3 A2 C3 B2", ["OOO", "XX.", "XX."]),
        ("A1 A3 B1 B3 A2 C3 B2 C2 pass C1", ["OOO", "..O", "..O"]),  # four stones of one chain
        ("B3 A3 B1 A1 A2", [".X.", "X..", ".X."]),  # two chains by one stone
    ],
)
def test_captures(moves, rows):
    assert stones(position("go:size=3", moves)) == rows


def test_suicide_is_illegal_unless_it_takes():
    env = position("go:size=3", "B1 A3 B2 C1 A2")
    assert stones(env) == ["O..", "XX.", ".XO"]
    assert not legal(env, "A1"), "white would have no liberty there"
    env.step([9])
    assert legal(env, "A1"), "black may fill it"
    env = position("go:size=3", "A2 B2 B1 C1 pass A3 pass")
    assert stones(env) == ["O..", "XO.", ".XO"]
    assert legal(env, "A1"), "it takes"
    env.step([6])
    assert stones(env) == ["O..", ".O.", "O.O"]


@pytest.mark.parametrize("ko", ["positional", "simple"])
def test_a_ko_is_not_taken_back_at_once(ko):
    spec, moves = f"go:size=5,ko={ko}", "B4 C4 A3 D3 B2 C2 C3 B3"
    env = position(spec, moves)
    assert stones(env) == [".....", ".XO..", "XO.O.", ".XO..", "....."]
    assert not legal(env, "C3")
    assert legal(position(spec, f"{moves} E1 E5"), "C3"), "after a move and its answer it is"


@pytest.mark.full
def test_an_earlier_position_does_not_come_back_under_superko():
    """White's last move takes two stones; one of them, put back, would make the board that white's C2 made."""
    for ko, may in (("positional", False), ("simple", True)):
        env = position(f"go:size=3,ko={ko}", "A2 B2 pass A1 C1 C2 B1 A1")
        assert stones(env) == ["...", "XOO", "O.."]
        assert legal(env, "C1") is may
        assert legal(env, "B1")


@pytest.mark.full
@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("go:size=3", ""),
        ("go:size=3", "A2 B2 pass A1 C1 C2 B1 A1"),
        ("go:size=3,ko=simple", "A2 B2 pass A1 C1 C2 B1 A1"),
        ("go:size=5,ko=simple", "B4 C4 A3 D3 B2 C2 C3 B3"),
    ],
)
def test_random_actions_are_the_legal_ones_and_equally_likely(spec, moves):
    env = position(spec, moves)
    bits = np.random.default_rng(1).integers(2**64, size=6000, dtype=np.uint64)
    drawn = np.bincount([games.go.random_action(env.states[0], word) for word in bits], minlength=env.mask.shape[1])
    assert ((drawn > 0) == env.mask[0]).all()
    expected = 6000 / env.mask.sum()
    spread = ((drawn[env.mask[0]] - expected) ** 2 / expected).sum()
    assert spread < 2.5 * env.mask.sum(), "chi-square, whose mean is one less than the number of actions"


@pytest.mark.full
def test_eight_boards_are_seen():
    env = position("go:size=3,ko=simple", "A3 pass B2")
    planes = env.observations().obs[0].transpose(2, 0, 1).astype(int).tolist()
    none, one = [[0, 0, 0] for _ in range(3)], [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    two = [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert planes[:6] == [two, none, none, one, one, none], "by black, by white's pass, by black"
    assert planes[6:] == [none] * 10 + [[[1, 1, 1]] * 3], "nothing yet; white is to move"


def test_equal_areas_are_a_draw():
    env = position("go:size=3,komi=0", "pass pass")
    assert env.over[0]
    assert env.states["winner"][0] == -1
    assert env.game.picture(env.states[0]).notes == ("White passes", "The areas are equal (area 0 to 0, komi 0)")


def test_komi_decides():
    for komi, winner in ((8.5, 0), (9, -1), (-9, 0)):
        env = position(f"go:size=3,komi={komi}", "A1 pass pass")
        assert env.states["winner"][0] == winner
    assert env.game.picture(env.states[0]).notes[0] == "Black passes"
    assert position("go:size=3,komi=-2.5", "pass pass").states["winner"][0] == 0


def test_in_text():
    env = position("go:size=3,komi=0.5", "B2 A1 C3 pass pass")
    assert env.game.picture(env.states[0]).text(ascii_only=True).splitlines() == [
        "    A   B   C",
        "  +---+---+---+",
        "3 |   |   | X |",
        "2 |   | X |   |",
        "1 | O |   |   |",
        "  +---+---+---+",
        "Black passes",
        "Black wins by 0.5 (area 2 to 1, komi 0.5)",
    ]


def test_a_game_at_its_limit_is_scored():
    env = GameVectorEnv("go:size=3,ko=simple", 1)
    env.reset()
    rng = np.random.default_rng(0)
    length = 0
    while not env.over[0]:
        actions = np.flatnonzero(env.mask[0])
        action = int(rng.choice(actions[:-1])) if len(actions) > 1 else 9
        _, rewards, _, _, _ = env.step([action])
        length += 1
    assert length == env.game.max_length == 120
    assert rewards.any()
    assert env.states["passes"][0] < 2


def test_a_record_is_small():
    dtype = make_game("go").state_dtype
    assert dtype.itemsize - dtype["hashes"].itemsize <= 4096
    assert make_game("go:ko=simple").state_dtype.itemsize <= 4096


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("size=0", "go: size=0 is not between 1 and 19"),
        ("size=20", "go: size=20 is not between 1 and 19"),
        ("size=9,komi=362", "go: komi=362.0 is not between -361 and 361"),
        ("komi=nan", "go: option komi=nan is not a number"),
        ("ko=super", "go: option ko='super' is none of 'positional', 'simple'"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UsageError) as caught:
        make_game(f"go:{options}")
    assert str(caught.value) == message


def test_points_have_no_letter_i():
    game = make_game("go")
    assert [game.action_text(game.initial, action) for action in (0, 8, 18, 342, 361)] == [
        "A19",
        "J19",
        "T19",
        "A1",
        "pass",
    ]
    assert game.parse_action(game.initial, "d4") == 15 * 19 + 3
    for text in ("I5", "U1", "A20", "D0"):
        with pytest.raises(UsageError, match=r"type a column and a row, from A1 to T19 \(no I\), or pass"):
            game.parse_action(game.initial, text)
