"""The Connect Four solver: brute force, published scores, mirror images, small boards and the book."""

import numpy as np
import pytest

import games
from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.connect_four_board import (
    children,
    following,
    from_state,
    has_four,
    keys,
    measures,
    mirrored,
    positions_after,
)
from agents.perfect.connect_four_book import lines, make_book, read_book, shipped_book, write_book
from arena.base.errors import UsageError
from arena.match.match import Match
from tests.agents.perfect import brute_force

GAME = games.make("connect_four")
BOARD = measures(6, 7)


@pytest.fixture(scope="module")
def solver():
    return ConnectFourSolver(GAME, np.zeros(1 << 20, np.uint64))


def position(text):
    """After moves in columns 1 to 7."""
    match = Match(GAME, [("a", None), ("b", None)], opening=[int(sign) - 1 for sign in text])
    return from_state(match.state)


@pytest.mark.full
def test_it_agrees_with_brute_force_on_a_thousand_late_positions(solver):
    states = brute_force.late_positions(GAME, 1000, left=13, seed=1)
    score = brute_force.values(GAME, states)
    assert set(np.sign(score.max(axis=1))) == {-1, 0, 1}
    for state, values in zip(states, score, strict=True):
        value = values.max()
        last = int(state["length"]) + 1 + round(np.log(abs(value)) / np.log(brute_force.DECAY)) if value else 44
        assert solver.score(*from_state(state)) == np.sign(value) * ((44 - last) // 2)
        best, result = solver.best(state)
        assert result == np.sign(value)
        assert (best == (values == value)).all()


@pytest.mark.full
@pytest.mark.parametrize(
    ("moves", "score"),
    [  # the examples of Pons's page, and forced ends
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("23163416124767223154467471272416755633", 0),
        ("65214673556155731566316327373221417", -1),
        ("52753311433677442422121", 8),
        ("1233722555341451114725221333", -1),
        ("112233", 18),
    ],
)
def test_published_scores(solver, moves, score):
    assert solver.score(*position(moves)) == score


def test_mirror_images_are_worth_the_same(solver):
    for text in ("1233722555341451114725221333", "52753311433677442422121"):
        own, mask = position(text)
        reflected = [mirrored(np.array([word]), BOARD)[0] for word in (own, mask)]
        assert tuple(reflected) == position("".join(str(8 - int(sign)) for sign in text))
        assert solver.score(*reflected) == solver.score(own, mask)


def test_what_is_known_of_a_position_is_known_of_its_mirror_image(solver):
    solver.forget()
    own, mask = position("123372255534145")
    before = solver.num_searched
    score = solver.score(own, mask)
    first, before = solver.num_searched - before, solver.num_searched
    assert solver.score(*(mirrored(np.array([word]), BOARD)[0] for word in (own, mask))) == score
    assert solver.num_searched - before < first / 20


def test_every_position_is_worth_its_best_move(solver):
    own, mask = position("12337225553414511")
    after_own, after_mask, lawful = children(np.array([own]), np.array([mask]), BOARD)
    scores = [
        -solver.score(*words)
        for *words, fine in zip(after_own[:, 0], after_mask[:, 0], lawful[:, 0], strict=True)
        if fine
    ]
    assert solver.score(own, mask) == max(scores)


@pytest.mark.full
@pytest.mark.parametrize(
    ("rows", "columns", "winner"),
    # who wins small boards: John Tromp's table of sizes (tromp.github.io/c4/c4.html)
    [(4, 4, 0), (4, 5, 0), (5, 4, 0), (5, 5, 0), (4, 6, -1), (6, 4, 0), (4, 7, 0), (5, 6, 0), (6, 5, 0)],
)
def test_small_boards_are_known(rows, columns, winner):
    small = ConnectFourSolver(games.make("connect_four", rows=rows, columns=columns), np.zeros(1 << 20, np.uint64))
    assert np.sign(small.score(np.uint64(0), np.uint64(0))) == winner


def test_the_first_player_wins_by_the_centre_column_alone():
    best, value = ConnectFourSolver(GAME).best(GAME.initial)
    assert value == 1
    assert best.tolist() == [column == 3 for column in range(7)]


def test_the_book_holds_the_known_scores_of_the_first_moves():
    book = shipped_book()
    assert book.look_up(*position("")).score == 1
    assert [book.look_up(*position(str(column))).score for column in range(1, 8)] == [2, 1, 0, -1, 0, 1, 2]


@pytest.mark.parametrize("seat", [0, 1])
def test_what_the_book_says_of_a_position_follows_from_what_it_says_two_plies_later(seat):
    book = shipped_book()
    own, mask = positions_after(seat, BOARD)
    seen = 0
    while True:
        answers = [book.look_up(*words) for words in zip(own, mask, strict=True)]
        after = lines(own, mask, answers, BOARD)
        if any(book.look_up(*words) is None for words in zip(*after, strict=True)):
            break  # the book ends here
        for place, answer in enumerate(answers):
            for column in np.flatnonzero(answer.best):
                worst = after_reply(book, own[[place]], mask[[place]], column)
                assert answer.score == worst
                seen += 1
        own, mask = after
    assert seen >= 5


def after_reply(book, own, mask, column):
    """The least score that the other one's replies to a move leave."""
    moved = following(own, mask, BOARD, np.arange(7)[:, None] == column)
    replied, mask, lawful = children(*moved, BOARD)
    if (lawful & has_four(replied ^ mask, BOARD)).any():  # one of them wins at once
        return -((43 - int(moved[1][0]).bit_count()) // 2)
    return min(book.look_up(*words).score for words in zip(*following(*moved, BOARD), strict=True))


def test_a_book_answers_whoever_was_perfect_from_the_first_move_on(tmp_path):
    """On a small board, where everything can be solved without one."""
    game = games.make("connect_four", rows=4, columns=5)
    board = measures(4, 5)
    solver = ConnectFourSolver(game, np.zeros(1 << 20, np.uint64))
    answers = make_book(6, board, lambda *words: [solver.solve(*each) for each in zip(*words, strict=True)])
    write_book(tmp_path / "book.npz", answers)
    with_book = ConnectFourSolver(game, book=read_book(tmp_path / "book.npz", board))
    for seed in range(20):
        match, rng, seat = Match(game, [("a", None), ("b", None)]), np.random.default_rng(seed), seed % 2
        while match.state["length"] < 6 and not match.over:
            legal = np.flatnonzero(match.legal)
            if match.state["current_player"] == seat:
                best, value = with_book.best(match.state)
                expected = solver.best(match.state)
                assert (best == expected[0]).all()
                assert value == expected[1] == with_book.value(match.state)
                legal = np.flatnonzero(best)
            match.play(int(rng.choice(legal)))
    assert with_book.num_searched == 0


def test_positions_are_counted_once_with_their_mirror_images():
    counts = [len(positions_after(moves, BOARD)[0]) for moves in range(6)]
    assert counts == [1, 4, 25, 121, 568, 2144]
    own, mask = positions_after(5, BOARD)
    found = keys(own, mask, BOARD)
    assert (np.diff(found.astype(np.int64)) > 0).all()
    assert not has_four(own, BOARD).any()


@pytest.mark.parametrize("options", [{"k": 5}, {"k": 3}, {"columns": 8}, {"rows": 7}])
def test_boards_that_are_too_large_are_refused(options):
    with pytest.raises(UsageError, match="perfect: Connect Four is solved with k=4 on boards up to 6 rows"):
        ConnectFourSolver(games.make("connect_four", **options))
