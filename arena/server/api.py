"""The routes of /api/v1. Each reads in a transaction, or hands one operation to the writer; the rest is elsewhere."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, Response
from sqlalchemy import Connection

from arena.base.errors import UsageError
from arena.match.json_lines import to_json_line
from arena.match.replay import game_labelled
from arena.match.verdict import MatchRecord
from arena.server import accounts, audit, bots, jobs, ladders, models, own_data, submissions, workers
from arena.server.accounts import Account
from arena.server.history import rating_history
from arena.server.jobs import lease_job, read_report
from arena.server.keeping import bundle_file, keep_bundle
from arena.server.refusals import CLOSED, MISSING, UNKNOWN_KEY, RefusedError, refusing
from arena.server.renewals import Renewal
from arena.server.reports import take_report
from arena.server.state import ServerState
from arena.store import MatchFilter, StoredMatch

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Refusal} for status in (400, 401, 403, 404, 409, 411, 413, 421, 422, 426, 429, 500, 503)
}
routes = APIRouter(prefix="/api/v1", responses=REFUSALS)
LadderName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
Id = Annotated[int, Path(ge=1, lt=2**63)]
Limit = Annotated[int, Query(ge=1, le=500)]
Before = Annotated[int | None, Query(ge=1, lt=2**63)]


def server_of(request: Request) -> ServerState:
    """Return the running server."""
    state: ServerState = request.app.state.server
    return state


async def running_server(request: Request) -> ServerState:
    """Return the running server. Asynchronous, as all that does not wait: other functions take a thread each."""
    return server_of(request)


Server = Annotated[ServerState, Depends(running_server)]


async def given_key(authorization: Annotated[str | None, Header(include_in_schema=False)] = None) -> str | None:
    """Return the key of the request, None if it has none."""
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer" or not key:
        raise RefusedError(UNKNOWN_KEY, "the header Authorization is 'Bearer KEY'")
    return key


async def needed_key(key: Annotated[str | None, Depends(given_key)]) -> str:
    """Return the key of the request; refuse requests without one."""
    if key is None:
        raise RefusedError(UNKNOWN_KEY, "this needs a key, in the header Authorization: Bearer KEY")
    return key


Key = Annotated[str, Depends(needed_key)]


async def caller(server: Server, key: Annotated[str | None, Depends(given_key)]) -> Account | None:
    """Return the account of the request's key, None for a request without one."""
    return None if key is None else await run_in_threadpool(_account, server, key)


async def known_caller(server: Server, key: Key) -> Account:
    """Return the account of the request's key; refuse requests without one."""
    return await run_in_threadpool(_account, server, key)


async def owner(account: Annotated[Account, Depends(known_caller)]) -> Account:
    """Return the account of an owner; refuse others."""
    account.require()
    return account


def _account(server: ServerState, key: str) -> Account:
    with server.reading() as connection:
        return accounts.account_of(connection, key)


Caller = Annotated[Account | None, Depends(caller)]
Known = Annotated[Account, Depends(known_caller)]
Owner = Annotated[Account, Depends(owner)]


@routes.post("/accounts", status_code=201)
def register(server: Server, wanted: models.Registration) -> models.NewKey:
    """Make an account, by invitation or, where the server allows it, to be approved."""
    account, key = server.writer.do(
        lambda connection: accounts.register(connection, wanted.name, wanted.invitation, server.config.approval)
    )
    return models.NewKey(account=account.name, role=account.role, state=account.state, key=key)


@routes.get("/accounts")
def list_accounts(server: Server, account: Owner) -> list[models.AccountShown]:
    """List all accounts."""
    with server.reading() as connection:
        return [models.AccountShown(**one) for one in accounts.list_accounts(connection)]


@routes.post("/accounts/{name}/approval")
def approve(server: Server, account: Owner, name: LadderName) -> models.Done:
    """Approve an account that waits for it, or open one again that was closed."""
    server.writer.do(lambda connection: accounts.set_state(connection, account.id, name, "active"))
    return models.Done()


@routes.delete("/accounts/{name}")
def close_account(server: Server, account: Owner, name: LadderName) -> models.Done:
    """Close an account: its keys open nothing any more."""
    server.writer.do(lambda connection: accounts.set_state(connection, account.id, name, "closed"))
    return models.Done()


@routes.post("/invitations", status_code=201)
def invite(server: Server, account: Owner, wanted: models.InvitationWanted) -> models.Invitation:
    """Make an invitation."""
    invitation = server.writer.do(
        lambda connection: accounts.invite(connection, wanted.role, wanted.ladder, wanted.uses, account.id)
    )
    return models.Invitation(invitation=invitation)


@routes.get("/me")
def me(server: Server, account: Known) -> models.AccountShown:
    """Say whom the key opens."""
    with server.reading() as connection:
        return models.AccountShown(**accounts.shown(connection, account.id))


@routes.get("/me/data")
def my_data(server: Server, account: Known) -> dict[str, Any]:
    """Return all that the server has about one's account."""
    with server.reading() as connection:
        return own_data.export_data(connection, account)


@routes.delete("/me")
def delete_me(server: Server, account: Known) -> models.Done:
    """Delete one's account with all that is its own; games stay, under a number."""
    folder = server.config.bundles
    for file in server.writer.do(lambda connection: own_data.delete_data(connection, account, folder)):
        file.unlink(missing_ok=True)
    return models.Done()


@routes.get("/me/keys")
def my_keys(server: Server, account: Known) -> list[models.KeyShown]:
    """List one's keys, without what opens."""
    with server.reading() as connection:
        return [models.KeyShown(**one) for one in accounts.list_keys(connection, account.id)]


@routes.post("/me/keys", status_code=201)
def new_key(server: Server, account: Known, wanted: models.KeyName) -> models.NewKey:
    """Make a further key of one's account."""
    key = server.writer.do(lambda connection: accounts.add_key(connection, account.id, wanted.name))
    return models.NewKey(account=account.name, role=account.role, state=account.state, key=key)


@routes.delete("/me/keys/{number}")
def revoke_key(server: Server, account: Known, number: Id) -> models.Done:
    """Revoke one of one's keys."""
    server.writer.do(lambda connection: accounts.revoke_key(connection, account.id, number))
    return models.Done()


@routes.get("/ladders")
def list_ladders(server: Server, account: Caller) -> list[models.LadderShown]:
    """List the ladders that one may see."""
    with server.reading() as connection:
        return [_ladder(one) for one in ladders.list_ladders(connection, account)]


@routes.post("/ladders", status_code=201)
def new_ladder(server: Server, account: Owner, wanted: models.LadderWanted) -> models.LadderShown:
    """Make a ladder."""
    rules = ladders.LadderRules(**wanted.model_dump(exclude={"name"}))
    return _ladder(server.writer.do(lambda connection: ladders.add_ladder(connection, wanted.name, rules, account.id)))


@routes.get("/ladders/{name}")
def ladder(server: Server, account: Caller, name: LadderName) -> models.LadderShown:
    """Return a ladder."""
    with server.reading() as connection:
        return _ladder(ladders.visible_ladder(connection, name, account))


@routes.get("/ladders/{name}/standings")
def standings(server: Server, account: Caller, name: LadderName) -> list[models.BotStanding]:
    """List the bots of a ladder by rating."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
        return [models.BotStanding(**one) for one in ladders.standings(connection, visible.id)]


@routes.get("/ladders/{name}/games")
def games(
    server: Server, account: Caller, name: LadderName, limit: Limit = 50, before: Before = None
) -> list[models.GameShown]:
    """List the newest games of a ladder, the newest first; with `before`, only those below that number."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
    stored = server.store.matches(MatchFilter(run=visible.run), limit=limit, before_id=before)
    return [
        models.GameShown(
            id=one.id,
            number=one.number,
            added=one.added,
            players=list(one.record.players),
            returns=list(one.record.verdict.returns),
            reason=one.record.verdict.reason.value,
            length=len(one.record.actions),
        )
        for one in stored
    ]


@routes.get("/matches/{number}")
def match(server: Server, account: Caller, number: Id) -> models.MatchShown:
    """Return a game of a ladder that one may see, to be played again; not what was said in it, as on its page."""
    stored, its_ladder = visible_match(server, number, account)
    with refusing("its moves are none of this version's"):
        game = game_labelled(stored.record.game)
        line = to_json_line(game, replace(stored.record, transcripts=None))
    return models.MatchShown(id=stored.id, ladder=its_ladder.name, added=stored.added, line=line)


def visible_match(server: ServerState, number: int, account: Account | None) -> tuple[StoredMatch, ladders.LadderRow]:
    """Return a stored match with its ladder; `RefusedError` if there is none that an account may see."""
    try:
        stored = server.store.match(number)
    except UsageError:
        raise RefusedError(MISSING, f"there is no match {number}") from None
    with server.reading() as connection:
        return stored, ladders.ladder_of_run(connection, stored.run, account)


@routes.put("/bundles/{digest}", status_code=201)
async def put_bundle(server: Server, account: Known, digest: models.Digest, request: Request) -> models.BundleStored:
    """Upload a bundle: a plain tar whose SHA-256 is the last part of the address."""
    account.require("submitter")
    content = await request.body()
    await keep_bundle(server, account, digest, content)
    return models.BundleStored(bundle=digest)


@routes.get("/bundles/{digest}", response_class=Response)
def get_bundle(server: Server, account: Known, digest: models.Digest) -> Response:
    """Return a bundle, to workers and to whoever uploaded it."""
    return FileResponse(bundle_file(server, account, digest), media_type="application/x-tar")


@routes.post("/ladders/{name}/bots", status_code=201)
def submit(server: Server, account: Known, name: LadderName, wanted: models.BotWanted) -> models.BotShown:
    """Enter a bot, or a new version of one's bot; it plays once it has qualified."""
    return _bot(submissions.submit(server, account, name, wanted.name, wanted.agent, wanted.bundle))


@routes.get("/ladders/{name}/bots")
def list_bots(server: Server, account: Caller, name: LadderName) -> list[models.BotShown]:
    """List all bots of a ladder, with all versions."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
        return [_bot(one) for one in bots.list_bots(connection, ladder=visible.id)]


@routes.get("/bots/{number}")
def bot(server: Server, account: Caller, number: Id) -> models.BotShown:
    """Return a bot."""
    with server.reading() as connection:
        return _bot(bots.visible_bot(connection, number, account)[0])


@routes.get("/bots/{number}/history")
def history(server: Server, account: Caller, number: Id) -> list[models.RatingShown]:
    """List past ratings of a bot by its number of games: the first ones all, later ones less and less often."""
    with server.reading() as connection:
        bots.visible_bot(connection, number, account)
        return [models.RatingShown(**one) for one in rating_history(connection, number)]


@routes.delete("/bots/{number}")
def withdraw(server: Server, account: Known, number: Id) -> models.Done:
    """Withdraw a bot of one's own: it is paired no more, its games stay."""
    server.writer.do(lambda connection: bots.withdraw_bot(connection, account, number))
    return models.Done()


@routes.get("/workers")
def list_workers(server: Server, account: Known) -> list[models.WorkerShown]:
    """List all workers."""
    with server.reading() as connection:
        return [models.WorkerShown(**one) for one in workers.list_workers(connection)]


@routes.post("/workers", status_code=201)
def register_worker(server: Server, account: Known, wanted: models.WorkerWanted) -> models.WorkerNumber:
    """Begin as a worker, or begin again."""
    number = server.writer.do(
        lambda connection: workers.register_worker(connection, account, wanted.name, wanted.version, wanted.machine)
    )
    return models.WorkerNumber(worker=number)


@routes.post("/jobs", responses={204: {"description": "there is no job now"}}, response_model=models.JobGiven)
async def lease(server: Server, key: Key, wanted: models.JobWanted) -> Any:
    """Take a job, which is held for `lease_s` seconds; 204 if there is none."""

    def operation(connection: Connection) -> jobs.Job | None:
        account = accounts.worker_of(connection, key)
        if server.draining:
            raise RefusedError(CLOSED, "the server gives out no more jobs: it will be back")
        worker = workers.require_active(connection, account, wanted.worker)
        return lease_job(connection, worker, wanted.sandbox)

    job = await server.writer.done(operation)
    return Response(status_code=204) if job is None else _job(job)


@routes.post("/jobs/{number}/lease")
async def renew(server: Server, key: Key, number: Id, current: models.Lease) -> models.Done:
    """Hold a job for longer."""
    await server.renewals.renew(Renewal(key, number, current.lease))
    return models.Done()


@routes.post("/jobs/{number}/report")
async def report(server: Server, key: Key, number: Id, played: models.Report) -> models.Reported:
    """Report the games of a job that one holds. The same report a second time changes nothing."""

    def records_of() -> list[MatchRecord]:
        with server.reading() as connection:
            accounts.worker_of(connection, key)
            return read_report(connection, number, played.lease, played.games)

    records = await run_in_threadpool(records_of)
    new = await server.writer.done(
        lambda connection: take_report(connection, number, played.lease, records, server.config.share)
    )
    return models.Reported(repeated=not new)


@routes.get("/audit")
def audit_log(server: Server, account: Owner, limit: Limit = 100, before: Before = None) -> list[models.AuditEntry]:
    """Return the newest entries of the log of who did what, the newest first."""
    with server.reading() as connection:
        return [models.AuditEntry(**one) for one in audit.entries(connection, limit, before)]


def _ladder(one: ladders.LadderRow) -> models.LadderShown:
    rules = {name: getattr(one.rules, name) for name in ("game", "clock", "memory", "openings", "private")}
    return models.LadderShown(name=one.name, state=one.state, counted=one.counted, **rules)


def _bot(row: dict[str, Any]) -> models.BotShown:
    return models.BotShown(**{name: row[name] for name in models.BotShown.model_fields})


def _job(job: jobs.Job) -> models.JobGiven:
    rules = job.rules
    return models.JobGiven(
        id=job.id,
        lease=job.lease,
        lease_s=job.lease_s,
        game=rules.game,
        clock=rules.clock,
        memory=rules.memory,
        table=[models.SeatShown(player=seat.player, agent=seat.agent, bundle=seat.bundle) for seat in job.table],
        seed=job.seed,
        opening=[list(action) if isinstance(action, tuple) else action for action in job.opening],
        live=job.live,
    )
