"""A person plays an agent, in plain text, through the Python API: copy it and change it.

python scripts/play.py [GAME [AGENT [SEAT]]]    for example: connect_four alphabeta:4 2

`arena play` is the same on a full screen, with hints and undo.
"""

import sys

from arena.base.errors import UsageError
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent, make_game


def main(game_name: str = "connect_four", agent_spec: str = "alphabeta:4", seat: str = "1") -> None:
    game = make_game(game_name)  # options may follow: tic_tac_toe:m=6,n=6,k=4
    agent = make_agent(agent_spec, game)  # any name that `arena agents` lists
    if seat not in map(str, range(1, game.num_players + 1)):
        raise UsageError(f"{seat!r} is not a seat of {game.name}; seats are 1 to {game.num_players}")

    # One player a seat: a name and a policy. The person has the policy None; their moves come from outside.
    players = [("you", None) if i == int(seat) - 1 else (agent_spec, agent) for i in range(game.num_players)]
    match = Match(game, players, seed=0)

    while not match.over:
        name, policy = match.players[match.seat]
        state = match.state
        if policy is not None:
            num_moves = len(match.actions)
            match.advance()  # the agent chooses and plays; if it crashes or cheats, it has lost
            if len(match.actions) > num_moves:
                print(f"{name} plays {game.action_text(state, match.actions[-1])}")
            continue
        print(game.picture(state).text())
        try:
            match.play(game.parse_action(state, input("your move: ")))
        except UsageError as error:  # unreadable or illegal: nothing has changed, so ask again
            print(error)

    # The verdict holds the return of each seat, and the reason of the end.
    assert match.verdict is not None
    print(game.picture(match.state).text())
    if match.verdict.reason is not Reason.FINISHED:
        print(f"{agent_spec}: {match.verdict.reason}, {match.verdict.detail}")
    outcome = match.verdict.returns[int(seat) - 1]
    print("you win" if outcome > 0 else "you lose" if outcome < 0 else "a draw")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except UsageError as error:
        print(f"play: {error}", file=sys.stderr)
        sys.exit(2)
    except (EOFError, KeyboardInterrupt):  # the person left
        print()
        sys.exit(130)
