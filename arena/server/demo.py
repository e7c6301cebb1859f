"""The demonstration: two ladders on which champions and searches meet, and the account of their worker."""

from arena.server import accounts, bots, ladders
from arena.store import Store

LADDERS = {
    "tic-tac-toe": ("tic_tac_toe", {"champion": "champion", "mcts-100": "mcts:100", "alphabeta-2": "alphabeta:2"}),
    "connect-four": (
        "connect_four",  # its champion is a solver, which takes minutes over what random openings lead to
        {"mcts-400": "mcts:400", "alphabeta-6": "alphabeta:6", "alphabeta-4": "alphabeta:4"},
    ),
}
"""Game and bots of each ladder, besides `EVERYWHERE`."""
EVERYWHERE = {"one-ply": "one-ply", "dice": "random"}
NAME = "demo"


def fill_demo(store: Store) -> str:
    """Make what the demonstration lacks in a store; return a new key of its account."""
    with store.writing() as connection:
        account = accounts.account_named(connection, NAME)
        if account is None:
            account = accounts.add_account(connection, NAME, accounts.OWNER)
            for name, (game, own) in LADDERS.items():
                ladder = ladders.add_ladder(
                    connection, name, ladders.LadderRules(game, openings="random:2"), account.id
                )
                for bot, agent in (own | EVERYWHERE).items():
                    bots.submit_bot(connection, account, ladder, bot, agent, None)
        return accounts.add_key(connection, account.id, accounts.SESSION, accounts.SESSION_S)
