"""Play as OpenSpiel's MCTS (C++): cmd:python scripts/openspiel_bot.py SIMULATIONS.

A program for `cmd:` (agents/outside/PROTOCOL.md) that plays tic_tac_toe, connect_four, othello, hex without the swap,
gomoku, breakthrough and kalah, whose rules are the same in both. Each move is searched anew by random playouts,
with OpenSpiel's solver for proven results. In checkers:draw_after=20 there is one difference: OpenSpiel draws after 40
moves without a capture, even if men move; from then on this program moves at random.
"""

import json
import random
import re
import sys
from collections.abc import Mapping
from typing import Any

import pyspiel

UCT_C = 1.4
MEMORY_MB = 1000
GAMES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "tic_tac_toe": ("tic_tac_toe", {"m": 3, "n": 3, "k": 3}),
    "connect_four": ("connect_four", {"rows": 6, "columns": 7, "k": 4}),
    "othello": ("othello", {"size": 8}),
    "hex": ("hex(board_size={size})", {"swap": False}),
    "gomoku": ("mnk(m={size},n={size},k=5)", {"overline": True}),
    "breakthrough": ("breakthrough", {"rows": 8, "columns": 8}),
    "checkers": ("checkers", {"draw_after": 20}),
    "kalah": ("mancala", {"houses": 6, "seeds": 4, "empty_capture": False, "sweep": True}),
}
"""OpenSpiel's name of each game, and the options with which its rules are the same."""


def their_name(hello: Mapping[str, Any]) -> str | None:
    """Return OpenSpiel's name of the game that is announced, None if it has no such game."""
    name, needed = GAMES.get(hello["game"], ("", {}))
    options = hello["options"]
    return name.format(**options) if name and needed.items() <= options.items() else None


def their_actions(game: str, state: Any, texts: Mapping[int, str]) -> dict[int, int]:
    """Return OpenSpiel's number of each action of a position, which ours knows by its number and its text."""
    if game == "kalah":
        return {action: action + (1 if state.current_player() == 0 else 8) for action in texts}
    if game == "breakthrough":  # rows are counted from the other side
        named = {state.action_to_string(action).rstrip("*"): action for action in state.legal_actions()}
        return {action: named[_turned(text)] for action, text in texts.items()}
    if game == "checkers":  # squares have numbers, and the board is reflected
        named = {state.action_to_string(action)[:4]: action for action in state.legal_actions()}
        return {action: named["".join(map(_place, re.split("[-x]", text)))] for action, text in texts.items()}
    return {action: action for action in texts}


def _place(number: str) -> str:
    row, column = divmod(int(number) - 1, 4)
    return f"{'hgfedcba'[2 * column + (row + 1) % 2]}{row + 1}"


def _turned(text: str) -> str:
    signs = (str(9 - int(sign)) if sign.isdigit() else sign for sign in text)
    return "".join(sign for sign in signs if sign.isalnum() and sign != "x")


def choose(hello: Mapping[str, Any], message: Mapping[str, Any], simulations: int, seed: int) -> int:
    """Return our number of the move that a search finds."""
    game = pyspiel.load_game(their_name(hello))
    state = game.new_initial_state()
    for action, text in zip(message["moves"], message["moves_notation"], strict=True):
        if state.is_terminal():
            return random.Random(seed).choice(message["legal"])
        state.apply_action(their_actions(hello["game"], state, {action: text})[action])
    if state.is_terminal():
        return random.Random(seed).choice(message["legal"])
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, UCT_C, simulations, MEMORY_MB, True, seed, False)
    chosen = bot.step(state)
    legal = dict(zip(message["legal"], message["notation"], strict=True))
    return next(ours for ours, theirs in their_actions(hello["game"], state, legal).items() if theirs == chosen)


def main() -> None:
    simulations, hello, seeds = int(sys.argv[1]), {}, {}
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any] | None = None
        if message["type"] == "hello":
            hello = message
            refusal = {"type": "refuse", "reason": "OpenSpiel has no such game, or not with these options"}
            answer = {"type": "ready"} if their_name(hello) else refusal
        elif message["type"] == "new_game":
            seeds[message["game_id"]] = message["seed"] % 2**31
        elif message["type"] == "move":
            seed = seeds[message["game_id"]] + len(message["moves"])
            answer = {"action": choose(hello, message, simulations, seed)}
        elif message["type"] == "quit":
            break
        if answer is not None:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
