"""`arena server`: a ladder server, and what its owner does on its machine."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from arena.base.checks import numbers_in, require_between
from arena.base.errors import UsageError
from arena.base.extras import extra_imported

NEEDED = {
    "ladder": "new GAME, close NAME or list",
    "invite": "no words, but --role",
    "key": "the NAME of an account",
    "approve": "the NAME of an account",
    "close": "the NAME of an account",
    "member": "the names of a LADDER and of an ACCOUNT",
    "unblock": "the number of a WORKER",
    "backup": "a FILE",
    "restore": "a FILE",
}


@dataclass(frozen=True)
class Options:
    """Serve ladders: bots are submitted, workers play their games, everybody sees who is best.

    Without an action the server starts; the others are for its owner, on its machine, also while it runs. ladder new
    GAME makes a ladder, ladder list lists them, ladder close NAME ends one. invite prints an invitation. key NAME
    prints a new key of an account, which it makes if need be. approve NAME and close NAME open and close accounts.
    member LADDER ACCOUNT lets an account see and enter a private ladder. unblock N lets a worker play again. backup
    FILE copies everything while the server runs, restore FILE makes a new folder of a copy.
    """

    action: Annotated[
        Literal["start", "ladder", "invite", "key", "approve", "close", "member", "unblock", "backup", "restore"],
        tyro.conf.Positional,
    ] = "start"
    """What to do."""
    words: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="WORD ...", help_behavior_hint="")
    ] = ()
    """What the action is about."""
    data: Path = Path("runs/server")
    """Folder of the server: bundles and, unless --store names another, the database."""
    store: Annotated[str | None, tyro.conf.arg(metavar="URL", help_behavior_hint="")] = None
    """Database, as postgresql://USER@HOST/NAME; by default an SQLite file in --data."""
    host: str = "127.0.0.1"
    """Address to listen on; 127.0.0.1 for this machine alone."""
    port: int = 8080
    """Port to listen on; 0 for any that is free."""
    names: tuple[str, ...] = ()
    """Host names that the server answers to, as arena.example.org; needed with another --host than this machine."""
    demo: bool = False
    """Fill it with two ladders whose bots play each other at once."""
    approval: bool = False
    """Let anybody ask for an account, for the owner to approve; else accounts are made by invitation alone."""
    programs: bool = False
    """Take bundles with programs, which workers with a sandbox play; only where this machine's sandbox works."""
    share: float = 0.05
    """Share of results that another worker plays again."""
    rate: float = 50.0
    """Requests a second of one key, or of one address without a key."""
    drain: float = 60.0
    """Seconds that jobs which are out may take to come back when the server ends."""
    tls: bool = False
    """Behind a proxy with TLS: browsers get cookies for TLS alone."""
    role: Literal["owner", "submitter", "worker", "viewer"] = "submitter"
    """Role of an invitation or of a new account (invite, key)."""
    uses: int = 1
    """Accounts that an invitation makes (invite)."""
    ladder: str | None = None
    """Name of a new ladder, by default that of its game (ladder new); ladder of which an invitation makes a member."""
    clock: str | None = None
    """Time control of a new ladder, as move=1s or 10+0.1; none for bots that are trusted to answer."""
    memory: str | None = None
    """Memory of a bot on a new ladder, as 500MB."""
    openings: str = "random:2"
    """Openings of a new ladder: so many random moves, played from all sides."""
    private: bool = False
    """A new ladder is for its members alone."""
    seed: int = 0
    """Seed of a new ladder."""
    ahead: int = 64
    """Most jobs of a new ladder that are given out and not yet counted."""
    json: bool = False
    """Print JSON (ladder list)."""

    def __post_init__(self) -> None:
        require_between(0, 65535, **numbers_in(self, "port"))
        require_between(0, 1, **numbers_in(self, "share"))
        require_between(1, 1e9, **numbers_in(self, "rate"))
        require_between(0, 86400, **numbers_in(self, "drain"))
        require_between(1, 1000, **numbers_in(self, "uses"))
        require_between(1, 100_000, **numbers_in(self, "ahead"))
        require_between(0, 2**63 - 1, **numbers_in(self, "seed"))

    @property
    def url(self) -> str:
        """The database."""
        return self.store or str(self.data / "arena.db")


def run(options: Options) -> int:
    """Do what is asked for."""
    with extra_imported("server", "server"):
        import arena.server.app  # noqa: F401
    ACTIONS[options.action](options)
    return 0


def _words(options: Options, count: int) -> tuple[str, ...]:
    if len(options.words) != count:
        raise UsageError(f"arena server {options.action} needs {NEEDED[options.action]}")
    return options.words


def _start(options: Options) -> None:
    from arena.match.containment import switch_on_sandbox
    from arena.server.serving import LOOPBACK, serve
    from arena.server.state import ServerConfig

    if options.words:
        raise UsageError(f"arena server start takes no words, not {options.words[0]!r}")
    if options.host not in LOOPBACK and not options.names:
        raise UsageError(
            f"host={options.host} can be reached by others: say what it is called, as --names arena.example.org"
        )
    if options.programs:
        switch_on_sandbox()
    config = ServerConfig(
        data=options.data,
        hosts=(*options.names, *LOOPBACK[:2], "[::1]"),
        approval=options.approval,
        share=options.share,
        rate=options.rate,
        burst=4 * options.rate,
        takes_programs=options.programs,
        secure_cookies=options.tls,
    )
    serve(options.url, config, options.host, options.port, options.drain, options.demo)


def _ladder(options: Options) -> None:
    from arena.server.database import writing_to
    from arena.server.ladders import LadderRules, add_ladder, close_ladder, list_all
    from games.engine.identity import GameId

    action, *names = options.words or ("list",)
    if (action, len(names)) not in (("new", 1), ("close", 1), ("list", 0)):
        raise UsageError(f"arena server ladder needs {NEEDED['ladder']}")
    with writing_to(options.url) as connection:
        if action == "new":
            rules = LadderRules(
                names[0], options.clock, options.memory, options.openings, options.private, options.seed, options.ahead
            )
            name = options.ladder or GameId.parse(names[0]).name.replace(":", "-")
            print(f"{add_ladder(connection, name, rules).name} is open.")
        elif action == "close":
            close_ladder(connection, names[0])
            print(f"{names[0]} is closed.")
        else:
            known = list_all(connection)
            if options.json:
                print(json.dumps([{"name": one.name, "game": one.rules.game, "jobs": one.counted} for one in known]))
            for one in [] if options.json else known:
                print(f"{one.name:20} {one.rules.game}, {one.counted} jobs counted, {one.state}")


def _invite(options: Options) -> None:
    from arena.server import accounts
    from arena.server.database import writing_to

    _words(options, 0)
    with writing_to(options.url) as connection:
        print(accounts.invite(connection, options.role, options.ladder, options.uses))


def _key(options: Options) -> None:
    from arena.server import accounts
    from arena.server.database import writing_to

    [name] = _words(options, 1)
    with writing_to(options.url) as connection:
        account = accounts.account_named(connection, name) or accounts.add_account(connection, name, options.role)
        print(accounts.add_key(connection, account.id, "by-owner"))


def _account(options: Options) -> None:
    from arena.server import accounts
    from arena.server.database import writing_to

    [name] = _words(options, 1)
    with writing_to(options.url) as connection:
        accounts.set_state(connection, None, name, "active" if options.action == "approve" else "closed")


def _member(options: Options) -> None:
    from arena.server import accounts
    from arena.server.database import writing_to

    ladder, name = _words(options, 2)
    with writing_to(options.url) as connection:
        accounts.add_member(connection, ladder, name)


def _unblock(options: Options) -> None:
    from arena.server.database import writing_to
    from arena.server.workers import unblock_worker

    [number] = _words(options, 1)
    if not number.isdecimal():
        raise UsageError(f"{number!r} is not the number of a worker")
    with writing_to(options.url) as connection:
        unblock_worker(connection, int(number))


def _backup(options: Options) -> None:
    from arena.server.backup import back_up, restore

    [file] = _words(options, 1)
    if options.action == "backup":
        print(f"{file}: {back_up(options.data, Path(file)):,} bytes")
    else:
        restore(Path(file), options.data)
        print(f"{options.data} is restored.")


ACTIONS: dict[str, Callable[[Options], None]] = {
    "start": _start,
    "ladder": _ladder,
    "invite": _invite,
    "key": _key,
    "approve": _account,
    "close": _account,
    "member": _member,
    "unblock": _unblock,
    "backup": _backup,
    "restore": _backup,
}
