"""A bot in a live game: the worker asks it for its moves, and hands them to the server one by one."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from arena.base.errors import UsageError
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.server.client import Client
from arena.server.live_feed import UNCHANGED_S, query_after
from arena.server.models import JobGiven, LiveGameShown
from games.engine.game import Game

Patiently = Callable[[Callable[[], Any]], Any]
"""Returns the answer of a request, which it repeats while the server cannot be reached; None once it gives up."""


def play_live(
    client: Client, job: JobGiven, game: Game, spec: str, limits: Limits, patiently: Patiently, ends: Callable[[], bool]
) -> bool:
    """Play the bot of a job to the end of its live game; return False if `ends` said before that the worker ends.

    The bot plays by the clock of its ladder, `limits`. One that cannot be made, or breaks a rule, loses.
    """

    def ask(path: str, body: dict[str, Any] | None = None) -> LiveGameShown | None:
        address = f"/live/{job.live}{path}"
        content = None if body is None else body | {"lease": job.lease}
        answer = patiently(lambda: client.get(address) if content is None else client.post(address, content))
        return None if answer is None else LiveGameShown.model_validate(answer)

    live = ask("")
    try:
        policy = ContainedPolicy(spec, game, limits)
    except UsageError:
        return ask("/end", {"reason": Reason.CRASHED.value}) is not None
    with closing(policy):
        match = None
        while live is not None and live.state == "playing":
            if ends():
                return False
            if live.to_move != live.bot_seat:
                version, live = live.version, ask(query_after(live))
                if live is not None and live.version == version:
                    time.sleep(UNCHANGED_S)
                continue
            match = match or _new_match(game, live, policy, limits)
            live = ask(*_answer(match, live))
    return live is not None


def _new_match(game: Game, live: LiveGameShown, policy: ContainedPolicy, limits: Limits) -> Match:
    """Return the match of a live game at its beginning."""
    players = [(name, policy if seat == live.bot_seat else None) for seat, name in enumerate(live.players)]
    return Match(game, players, live.seed, limits=limits)


def _answer(match: Match, live: LiveGameShown) -> tuple[str, dict[str, Any]]:
    """Return the bot's move, or why it has none, as the server takes it."""
    for action in live.actions[len(match.actions) :]:
        match.play(action)
    match.advance()
    if match.verdict is not None and match.verdict.offender is not None:
        return "/end", {"reason": match.verdict.reason.value}
    return "/moves", {"place": len(match.actions) - 1, "action": match.actions[-1]}
