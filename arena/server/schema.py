"""The tables of a server, beside those of the store. Times are seconds since 1970; secrets are stored as hashes."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
ID = BigInteger().with_variant(Integer, "sqlite")  # only an INTEGER key numbers itself there

settings = Table(
    "server_settings",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

accounts = Table(
    "server_accounts",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),  # owner, submitter, worker, viewer
    Column("state", Text, nullable=False),  # pending, active, closed
    Column("created", Double, nullable=False),
)

keys = Table(
    "server_keys",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account", ForeignKey(accounts.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("created", Double, nullable=False),
    Column("expires", Double),  # none for never
    Column("revoked", Double),
    Index("server_keys_by_account", "account"),
)

ladders = Table(
    "server_ladders",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("game", Text, nullable=False),  # label
    Column("run", BigInteger, nullable=False),  # of the store: where its games are
    Column("clock", Text),
    Column("memory", Text),
    Column("openings", Text, nullable=False),
    Column("private", Boolean, nullable=False),  # for its members alone
    Column("seed", BigInteger, nullable=False),
    Column("ahead", Integer, nullable=False),  # most jobs that are planned and not yet counted
    Column("planned", BigInteger, nullable=False),  # jobs so far
    Column("counted", BigInteger, nullable=False),  # jobs in the ratings so far
    Column("state", Text, nullable=False),  # open, closed
    Column("created", Double, nullable=False),
)

members = Table(
    "server_members",
    METADATA,
    Column("ladder", ForeignKey(ladders.c.id), primary_key=True),
    Column("account", ForeignKey(accounts.c.id), primary_key=True),
)

invitations = Table(
    "server_invitations",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("ladder", ForeignKey(ladders.c.id)),  # of which it makes a member
    Column("uses", Integer, nullable=False),  # left
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
)

bundles = Table(
    "server_bundles",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("account", ForeignKey(accounts.c.id), nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("created", Double, nullable=False),
)

bots = Table(
    "server_bots",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("ladder", ForeignKey(ladders.c.id), nullable=False),
    Column("account", ForeignKey(accounts.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("player", Text, nullable=False),  # its name in the store
    Column("agent", Text, nullable=False),  # spec, with {folder} for where its bundle lies
    Column("bundle", Text),  # hash; none for a spec alone
    Column("state", Text, nullable=False),  # qualifying, active, rejected, retired, withdrawn
    Column("reason", Text, nullable=False),  # why it was rejected
    Column("steady", Boolean, nullable=False),  # gives the same game by the same seed
    Column("rating", Double, nullable=False),
    Column("deviation", Double, nullable=False),
    Column("volatility", Double, nullable=False),
    Column("games", Integer, nullable=False),
    Column("created", Double, nullable=False),
    UniqueConstraint("ladder", "name", "version", name="server_bots_versions"),
    UniqueConstraint("player", name="server_bots_players"),
    Index("server_bots_by_state", "ladder", "state"),
    Index("server_bots_by_account", "account"),
)

ratings = Table(
    "server_ratings",
    METADATA,
    Column("bot", ForeignKey(bots.c.id), primary_key=True),
    Column("games", Integer, primary_key=True),  # of the bot until then
    Column("rating", Double, nullable=False),
    Column("deviation", Double, nullable=False),
    Column("at", Double, nullable=False),  # when the last of them was reported
)

workers = Table(
    "server_workers",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account", ForeignKey(accounts.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("machine", JSON, nullable=False),
    Column("state", Text, nullable=False),  # active, blocked
    Column("reason", Text, nullable=False),  # why it was blocked
    Column("games", BigInteger, nullable=False),
    Column("created", Double, nullable=False),
    Column("seen", Double, nullable=False),
    UniqueConstraint("account", "name", name="server_workers_names"),
)

jobs = Table(
    "server_jobs",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("ladder", ForeignKey(ladders.c.id), nullable=False),
    Column("kind", Text, nullable=False),  # ladder, qualification, verification, live
    Column("number", BigInteger),  # of a job of the ladder
    Column("of", BigInteger),  # job that a verification plays again
    Column("live", BigInteger),  # live game in which a bot plays
    Column("bots", JSON, nullable=False),  # ids by place at the table; null is the agent random
    Column("seed", BigInteger, nullable=False),
    Column("opening", JSON, nullable=False),  # actions
    Column("state", Text, nullable=False),  # open, leased, done, counted, void
    Column("worker", ForeignKey(workers.c.id)),
    Column("lease", Text),  # hash of the token of who holds it
    Column("lease_s", Double),  # seconds that a lease lasts from its last renewal
    Column("expires", Double),  # end of the lease
    Column("tries", Integer, nullable=False),
    Column("games", JSON),  # results until they are counted: lines as arena.match.json_lines has them
    Column("digest", Text),  # of the results
    Column("checked", Text, nullable=False),  # "", wanted, right, forged, unsteady
    Column("score", Double),  # mean score of the first bot
    Column("expected", Double),  # the same, by ratings before
    Column("created", Double, nullable=False),
    Column("finished", Double),
    UniqueConstraint("ladder", "number", name="server_jobs_numbers"),
    Index("server_jobs_by_state", "state", "kind", "id"),
    Index("server_jobs_by_expiry", "state", "expires"),
    Index("server_jobs_by_worker", "worker", "state"),
    Index("server_jobs_by_of", "of"),
    Index("server_jobs_by_live", "live"),
)

live_games = Table(
    "server_live_games",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("ladder", ForeignKey(ladders.c.id), nullable=False),
    Column("first", ForeignKey(accounts.c.id), nullable=False),  # who has the first seat
    Column("second", ForeignKey(accounts.c.id), nullable=False),
    Column("challenger", ForeignKey(accounts.c.id), nullable=False),
    Column("bot", ForeignKey(bots.c.id)),  # which plays for the account of its seat; none between people
    Column("bot_seat", Integer),
    Column("clock", Text),
    Column("seed", BigInteger, nullable=False),
    Column("state", Text, nullable=False),  # waiting, playing, over, void
    Column("version", Integer, nullable=False),  # number of changes so far
    Column("actions", JSON, nullable=False),
    Column("spent", JSON, nullable=False),  # seconds of each action
    Column("draw_by", Integer),  # seat that offers a draw
    Column("since", Double, nullable=False),  # when the clock of the seat to move began
    Column("verdict", JSON),  # returns, reason, offender and detail; none before the end
    Column("created", Double, nullable=False),
    Index("server_live_games_by_first", "first", "state"),
    Index("server_live_games_by_second", "second", "state"),
    Index("server_live_games_by_ladder", "ladder", "state"),
)

audit = Table(
    "server_audit",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", BigInteger),  # none for the server's own machine
    Column("action", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index("server_audit_by_time", "at"),
)
