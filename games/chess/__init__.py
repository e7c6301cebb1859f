"""Chess, with all its rules.

Rules: FIDE's Laws of Chess (2023). The game ends by checkmate, stalemate, or a draw; `draws` says by which draws:

- `automatic`: a position without mating material (bare kings, one knight or bishop beside them, bishops on squares of
  one colour only), the third occurrence of a position, fifty moves of each without a capture or a pawn's move. What
  players may claim, happens.
- `pettingzoo`: the same, and both claims a move ahead: the game also ends when the player to move could bring about the
  third occurrence or the fiftieth move. So end the games of PettingZoo's `chess_v6` (it asks python-chess whether a
  draw can be claimed).

Agents, actions, masks, observations and rewards are those of `chess_v6` in either case (its infos list legal moves at
the end; ours are empty). `games.chess.actions` describes the 8 x 8 x 73 actions. A player sees planes [8, 8, 111], its
own side below and first:

- 0 to 3: castling rights, own kingside and queenside, the other's kingside and queenside (PettingZoo's manual has the
  sides the other way round, its code has them like this);
- 4: all set for black; 5: one bit, at the number of full moves without an event; 6: all set;
- then 13 for each of the last eight positions, latest first (the one that a game begins with is never shown): own
  pawns, knights, bishops, rooks, queens and king, the other's, and whether the position had been there before. A pawn
  that has just gone two squares stands behind its own pieces, on the first rank.

In text a move is written in standard algebraic notation, `Nf3`, and read in that or by its squares, `g1f3`. Positions
are read and written as FEN, games as PGN:

>>> from games import chess
>>> chess.to_pgn(chess.game(), [2421, 2413]).splitlines()[-1]
'1. e4 e6 *'
"""

from functools import partial

from games.chess.actions import NUM_ACTIONS
from games.chess.drawing import picture
from games.chess.fen import Draws, fen, position, starting_position
from games.chess.notation import action_text, parse_action, uci
from games.chess.pgn import PGN, PgnRecord, from_pgn, to_pgn
from games.chess.rules import apply, heuristic, legal_actions, observe, random_action
from games.engine.boards import win_or_loss
from games.engine.compiled import CompiledGame
from games.engine.options import checked_options
from games.engine.ruleset import Ruleset
from games.engine.views import views

__all__ = [
    "PgnRecord",
    "action_text",
    "env",
    "fen",
    "from_pgn",
    "game",
    "parallel_env",
    "parse_action",
    "position",
    "raw_env",
    "to_pgn",
    "uci",
]

LONGEST = (16 * 6 + 30 + 1) * 100
"""Pawns make 16 * 6 moves at most, 30 pieces are taken at most, and no more than 99 other moves follow each other."""


@checked_options
def game(draws: Draws = "automatic") -> CompiledGame:
    """Describe the game; `draws` says which draws end it.

    A game that begins elsewhere is `dataclasses.replace(game(), initial=position(fen))`.
    """
    return CompiledGame(
        name="chess",
        title="Chess",
        options={"draws": draws},
        agents=("player_0", "player_1"),
        num_actions=NUM_ACTIONS,
        observation_shape=(8, 8, 111),
        observation_dtype=bool,
        max_length=LONGEST,
        initial=starting_position(draws),
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=win_or_loss,
            random_action=random_action,
            heuristic=heuristic,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        position_text=fen,
        parse_position=partial(position, draws=draws),
        notation=PGN,
        pettingzoo_name="chess_v6" if draws == "pettingzoo" else None,
    )


env, raw_env, parallel_env = views(game)
