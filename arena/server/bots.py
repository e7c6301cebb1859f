"""Bots and their versions: what is submitted, its way into the ladder, and its end."""

import re
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from arena.match.verdict import FAULTS, MatchRecord
from arena.policy.agent_spec import AgentSpec
from arena.policy.registry import AGENTS, agent_kind, make_game
from arena.ratings.glicko2 import START, UNKNOWN, VOLATILITY
from arena.server import audit
from arena.server.accounts import Account, is_member, require_name
from arena.server.counting import replan_jobs
from arena.server.jobs import QUALIFICATION, add_job
from arena.server.ladders import LadderRow, ladder_numbered, may_see
from arena.server.matchmaking import seed_of
from arena.server.refusals import CONFLICT, FORBIDDEN, INVALID, MISSING, TOO_MANY, RefusedError
from arena.server.schema import bots, bundles, jobs

MOST_BOTS = 20
"""Most bots of an account on a ladder, without older versions and withdrawn ones."""
MOST_A_DAY = 100
"""Most versions that an account may submit a day."""
BESIDE_THE_PLAN = 2**48
"""Number from which the seeds of qualifications are drawn, beyond that of any job."""
SPEC = re.compile(r"[A-Za-z0-9_-]{1,40}(:[A-Za-z0-9_=,.+-]{1,80}){0,3}")
"""Specs that anybody may submit: no paths, no command lines."""


def submit_bot(
    connection: Connection, account: Account, ladder: LadderRow, name: str, agent: str, bundle: str | None
) -> dict[str, Any]:
    """Enter a bot, or a new version of it; return its row. It plays once it has qualified.

    `bundle` is the hash of a bundle that was uploaded by the same account. Raises `RefusedError` for who may not
    enter, for names of others, for specs that run programs or read files, and beyond the quota.
    """
    account.require("submitter")
    _require_entry(connection, account, ladder)
    require_name(name, "bot")
    if bundle is None:
        require_open_spec(agent)
    elif not connection.execute(select(bundles).filter_by(digest=bundle, account=account.id)).first():
        raise RefusedError(MISSING, f"you have uploaded no bundle {bundle[:12]}")
    version = _next_version(connection, account, ladder, name)
    player = f"{name}.{version}"
    if connection.execute(select(bots.c.id).where(bots.c.player == player)).first():
        player = f"{ladder.name}.{name}.{version}"  # the same name on another ladder is another player
    new = {"ladder": ladder.id, "account": account.id, "name": name, "version": version, "player": player}
    new |= {"agent": agent, "bundle": bundle, "state": "qualifying", "reason": "", "steady": True, "games": 0}
    new |= {"rating": START, "deviation": UNKNOWN, "volatility": VOLATILITY, "created": time.time()}
    key = connection.execute(insert(bots).values(new)).inserted_primary_key
    assert key is not None
    _add_qualification(connection, ladder, int(key[0]))
    audit.note(connection, account.id, "submit", f"{player} on {ladder.name}: {bundle or agent}")
    return bot_numbered(connection, int(key[0]))


def require_open_spec(agent: str) -> None:
    """Raise `RefusedError` for a spec that runs a program, asks a server or reads files."""
    if not SPEC.fullmatch(agent):
        raise RefusedError(
            INVALID, f"agent {agent[:80]!r} is no spec without files, as alphabeta:4; others are bundles"
        )
    for part in agent.split(":"):
        name = AgentSpec.parse(part).name
        kind = agent_kind(name) if name in AGENTS.names() else None
        if kind is not None and (kind.reaches_out or kind.argument.startswith("DIR")):
            raise RefusedError(INVALID, f"agent {agent[:80]!r}: {name} runs a program or reads files; submit a bundle")
    if AgentSpec.parse(agent).name not in AGENTS.names():
        raise RefusedError(INVALID, f"there is no agent {AgentSpec.parse(agent).name!r}; 'arena agents' lists them")


def qualify(connection: Connection, row: Row[Any], records: Sequence[Sequence[MatchRecord]]) -> None:
    """Let a bot in after its qualification, played twice, if it broke no rule; note whether both were alike."""
    bot = connection.execute(select(bots).where(bots.c.id == row.bots[0])).one()
    if bot.state != "qualifying":
        return
    lost = [
        record.verdict
        for game in records
        for record in game
        if record.verdict.reason in FAULTS and record.players[record.verdict.offender or 0] == bot.player
    ]
    if lost:
        reason = f"{lost[0].reason}: {lost[0].detail}"[:500]
        connection.execute(update(bots).where(bots.c.id == bot.id).values(state="rejected", reason=reason))
        audit.note(connection, None, "reject", f"{bot.player}: {reason}")
        return
    steady = len({tuple((game.actions, game.verdict) for game in one) for one in records}) == 1
    older = bots.c.ladder == bot.ladder, bots.c.name == bot.name, bots.c.state == "active"
    connection.execute(update(bots).where(*older).values(state="retired"))
    connection.execute(update(bots).where(bots.c.id == bot.id).values(state="active", steady=steady))
    audit.note(connection, None, "qualify", bot.player)
    replan_jobs(connection, ladder_numbered(connection, bot.ladder))


def withdraw_bot(connection: Connection, account: Account, number: int) -> None:
    """Pair a bot no more; its games stay. `RefusedError` for the bot of somebody else."""
    bot = bot_numbered(connection, number)
    if bot["account"] != account.id and account.role != "owner":
        raise RefusedError(FORBIDDEN, f"{bot['player']} is not yours")
    if bot["state"] == "withdrawn":
        raise RefusedError(CONFLICT, f"{bot['player']} has been withdrawn already")
    connection.execute(update(bots).where(bots.c.id == number).values(state="withdrawn"))
    replan_jobs(connection, ladder_numbered(connection, bot["ladder"]))
    waiting = jobs.c.kind == QUALIFICATION, jobs.c.state == "open", jobs.c.ladder == bot["ladder"]
    for row in connection.execute(select(jobs).where(*waiting)).all():
        if row.bots[0] == number:
            connection.execute(update(jobs).where(jobs.c.id == row.id).values(state="void"))
    audit.note(connection, account.id, "withdraw", bot["player"])


def bot_numbered(connection: Connection, number: int) -> dict[str, Any]:
    """Return the row of a bot; `RefusedError` if there is none."""
    row = connection.execute(select(bots).where(bots.c.id == number)).one_or_none()
    if row is None:
        raise RefusedError(MISSING, f"there is no bot {number}")
    return dict(row._mapping)


def visible_bot(connection: Connection, number: int, account: Account | None) -> tuple[dict[str, Any], LadderRow]:
    """Return a bot and its ladder; one on a ladder that an account may not see is as one that there is not."""
    bot = bot_numbered(connection, number)
    ladder = ladder_numbered(connection, bot["ladder"])
    if not may_see(connection, ladder, account):
        raise RefusedError(MISSING, f"there is no bot {number}")
    return bot, ladder


def list_bots(connection: Connection, **which: Any) -> list[dict[str, Any]]:
    """Return the rows of bots with these values, in order of entry."""
    return [dict(row._mapping) for row in connection.execute(select(bots).filter_by(**which).order_by(bots.c.id))]


def _require_entry(connection: Connection, account: Account, ladder: LadderRow) -> None:
    if ladder.state != "open":
        raise RefusedError(CONFLICT, f"{ladder.name} is closed")
    if ladder.rules.private and not is_member(connection, ladder.id, account):
        raise RefusedError(FORBIDDEN, f"{ladder.name} is for its members alone")
    of_today = bots.c.account == account.id, bots.c.created > time.time() - 86400
    if connection.execute(select(func.count()).where(*of_today)).scalar_one() >= MOST_A_DAY:
        raise RefusedError(TOO_MANY, f"you have submitted {MOST_A_DAY} versions in a day, the most that is possible")


def _next_version(connection: Connection, account: Account, ladder: LadderRow, name: str) -> int:
    known = list_bots(connection, ladder=ladder.id, name=name)
    if known and known[0]["account"] != account.id:
        raise RefusedError(FORBIDDEN, f"{name} on {ladder.name} is somebody else's; take another name")
    playing = bots.c.ladder == ladder.id, bots.c.account == account.id, bots.c.state.in_(("active", "qualifying"))
    count = connection.execute(select(func.count(bots.c.name.distinct())).where(*playing)).scalar_one()
    if not known and count >= MOST_BOTS:
        raise RefusedError(TOO_MANY, f"you have {MOST_BOTS} bots on {ladder.name}; withdraw one first")
    return len(known) + 1


def _add_qualification(connection: Connection, ladder: LadderRow, bot: int) -> None:
    """Plan a match against `random`, twice: a bot that plays the same game both times is steady."""
    others = [None] * (make_game(ladder.rules.game).num_players - 1)
    for _ in range(2):
        add_job(connection, ladder, QUALIFICATION, [bot, *others], seed_of(ladder.rules.seed, BESIDE_THE_PLAN + bot))
