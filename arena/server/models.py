"""What goes over the wire, typed: requests are checked against these, answers are made of them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from arena.server.accounts import MOST_USES

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Secret = Annotated[str, Field(min_length=8, max_length=128, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[int, Field(ge=1, lt=2**63)]
Role = Literal["owner", "submitter", "worker", "viewer"]
Line = Annotated[str, Field(max_length=2**20)]


class Message(BaseModel):
    """A message: nothing in it that is not declared, and nothing turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Refusal(Message):
    """Why a request was refused."""

    detail: str


class Registration(Message):
    """A request for an account."""

    name: Name
    invitation: Secret | None = None


class NewKey(Message):
    """A key, which nobody can look up again, and the account that it opens."""

    account: str
    role: str
    state: str
    key: str


class KeyName(Message):
    """A request for a further key."""

    name: Name


class KeyShown(Message):
    """A key as it is listed."""

    id: int
    name: str
    created: float
    expires: float | None


class AccountShown(Message):
    """An account as it is listed."""

    name: str
    role: str
    state: str
    created: float


class InvitationWanted(Message):
    """A request for an invitation."""

    role: Role = "submitter"
    ladder: Name | None = None
    uses: Annotated[int, Field(ge=1, le=MOST_USES)] = 1


class Invitation(Message):
    """An invitation, which nobody can look up again."""

    invitation: str


class LadderWanted(Message):
    """A request for a ladder; see `arena.server.ladders.LadderRules`."""

    name: Name
    game: Annotated[str, Field(max_length=200)]
    clock: Annotated[str, Field(max_length=60)] | None = None
    memory: Annotated[str, Field(max_length=20)] | None = None
    openings: Annotated[str, Field(max_length=20)] = "random:2"
    private: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    ahead: Annotated[int, Field(ge=1, le=100_000)] = 64


class LadderShown(Message):
    """A ladder."""

    name: str
    game: str
    clock: str | None
    memory: str | None
    openings: str
    private: bool
    state: str
    counted: int
    """Jobs that are in the ratings."""


class BotStanding(Message):
    """A bot on a ladder."""

    bot: int
    player: str
    rating: float
    deviation: float
    games: int
    active: bool


class RatingShown(Message):
    """A past rating of a bot."""

    games: int
    """Games of the bot until then."""
    rating: float
    deviation: float
    at: float


class GameShown(Message):
    """A game of a ladder."""

    id: int
    number: int
    added: float
    players: list[str]
    returns: list[float]
    reason: str
    length: int


class MatchShown(Message):
    """A game of a ladder, whole."""

    id: int
    ladder: str
    added: float
    line: str
    """The match as a line of JSON, as in files that end in .jsonl."""


class BundleStored(Message):
    """A bundle that has been uploaded."""

    bundle: str


class BotWanted(Message):
    """A bot to be entered: a spec alone, or the hash of a bundle that was uploaded before."""

    name: Name
    agent: Annotated[str, Field(max_length=400)] | None = None
    bundle: Digest | None = None


class BotShown(Message):
    """A bot, with why it was rejected."""

    id: int
    name: str
    version: int
    player: str
    state: str
    reason: str
    rating: float
    deviation: float
    games: int


class WorkerWanted(Message):
    """A worker that begins."""

    name: Name
    version: Annotated[str, Field(max_length=40)]
    machine: Annotated[dict[Annotated[str, Field(max_length=40)], Any], Field(max_length=20)] = {}


class WorkerNumber(Message):
    """The number of a worker."""

    worker: int


class WorkerShown(Message):
    """A worker as it is listed."""

    id: int
    name: str
    account: str
    state: str
    reason: str
    games: int
    seen: float
    alive: bool
    p_value: float | None
    """Of its residuals: near 0 where its bots score otherwise than expected."""


class JobWanted(Message):
    """A request for a job."""

    worker: Number
    sandbox: bool = False
    """True if programs run in a sandbox there."""


class SeatShown(Message):
    """A player of a job."""

    player: str
    agent: str
    bundle: str | None


class JobGiven(Message):
    """A job to play: one table, all sides."""

    id: int
    lease: str
    lease_s: float
    game: str
    clock: str | None
    memory: str | None
    table: list[SeatShown]
    seed: int
    opening: list[int | list[float]]
    live: int | None
    """The live game in which the only bot of the table is to play; none for games to report."""


class Lease(Message):
    """The token of who holds a job."""

    lease: Secret


class Report(Message):
    """The games of a job, each a line as `arena.match.json_lines` has it."""

    lease: Secret
    games: Annotated[list[Line], Field(min_length=1, max_length=64)]


class Reported(Message):
    """A report that was taken."""

    repeated: bool
    """True if the same report had been taken before."""


class Challenge(Message):
    """A wish to play somebody: a person by the name of their account, or a bot of the ladder."""

    opponent: Name | None = None
    bot: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,79}$")] | None = None
    seat: Annotated[int, Field(ge=1, le=2)] = 1
    clock: Annotated[str, Field(max_length=60)] | None = None


class LiveMove(Message):
    """A move of a live game."""

    place: Annotated[int, Field(ge=0, lt=2**31)]
    """Number of moves before it."""
    action: Annotated[int, Field(ge=0, lt=2**31)]
    lease: Secret | None = None
    """Of the worker whose bot moves; none for a person."""


class Leaving(Message):
    """Why somebody leaves a live game, or takes back a challenge; the last two are for bots."""

    reason: Literal["resigned", "late", "illegal", "crashed"] = "resigned"
    lease: Secret | None = None
    """Of the worker whose bot leaves; none for a person."""


class LiveGameShown(Message):
    """A live game: what was played, and how it stands."""

    id: int
    ladder: str
    game: str
    players: list[str]
    """Names of accounts, or of a bot, by seat."""
    bot_seat: int | None
    """Seat of the bot, from 0; none between people."""
    challenger: str
    clock: str | None
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    state: Literal["waiting", "playing", "over", "void"]
    version: int
    """Grows with every change."""
    actions: list[int]
    to_move: int | None
    """Seat from 0; none unless the game is being played."""
    seats: list[int]
    """Seat of each action, from 0."""
    spent_s: list[float]
    """Seconds of each action."""
    draw_by: int | None = None
    """Seat, from 0, that offers a draw, until the other moves; none for no offer."""
    since: float
    """When the clock of the seat to move began."""
    returns: list[float] | None
    reason: str | None
    offender: int | None


class AuditEntry(Message):
    """An entry of the log."""

    id: int
    at: float
    account: str | None
    action: str
    detail: str


class Done(Message):
    """Something was done that needs no words."""

    done: Literal[True] = True
