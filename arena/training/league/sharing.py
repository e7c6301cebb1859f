"""Leagues shared by several trainers: snapshots in a common folder, records in a store.

Each trainer has a name, and its learners and snapshots are called NAME/main, NAME/main-0007. It publishes its own
snapshots and counts, and adopts those of others: their checkpoints are copied into its run after their hashes are
checked, so that later losses in the folder do no harm. Training goes on while the store or the folder is unreachable.
"""

import contextlib
import json
import os
import re
import socket
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import read_json
from arena.base.folders import write_folder
from arena.base.typed import field
from arena.policy.checkpoint import WEIGHTS
from arena.policy.snapshots import CONFIG, read_config
from arena.store import ResultCount, Snapshot, Store
from arena.training.league.payoff import Counts, Payoff
from arena.training.league.records import League, Member, Role
from arena.training.league.scale import ScaleConfig
from arena.training.league.workers.sources import OnDisk

IDENTITY = "league-id.json"
"""File in the shared folder with the identity, game and algorithm of the league."""
TRAINER = "trainer.json"
"""File with the identity of a trainer, in its shared folder and in its run."""
COPIES = "shared"
"""Subfolder of the run with the checkpoints of other trainers."""
NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""Pattern of the names of other trainers' snapshots: trainer and member."""
ROLES: dict[str, Role] = {role: role for role in get_args(Role)}
STORE_WAIT_S = 5.0
"""Seconds that an exchange waits for others to finish writing."""


class Sharing:
    """Exchanges snapshots and counts with other trainers at each call of `exchange`.

    Raises `UsageError` if store or folder cannot be used, the folder is of another game or algorithm, or the name is
    taken by another trainer.

    Args:
        store: URL or path of the store.
        folder: seen by all trainers, by whatever path.
        name: of this trainer.
        league: what this trainer knows; members and counts are added to it.
        run: the folder of its run, which need not be there yet.
        say: told, in a line, when something is in the way, and when no longer.

    """

    def __init__(self, store: str, folder: Path, name: str, league: League, run: Path, say: Callable[[str], None]):
        self._url, self._folder, self._name, self.league, self._run = store, folder, name, league, run
        self._say = say
        Store(store, wait_s=STORE_WAIT_S).close()
        with _explained(folder):
            league_id = _identity(folder / IDENTITY, _about(league))
        if league_id is None:
            raise UsageError(f"{folder} is not a league of {_about(league)}: --share another folder")
        if (folder / name / TRAINER).exists() and not (run / COPIES / TRAINER).exists():
            raise self._taken()
        self._league_id = league_id
        self._own: set[str] = set()
        """Names of this trainer's learners and members, as they were at the last exchange."""
        self._in_the_way = ""

    def join(self) -> None:
        """Claim the name for this run, whose folder exists now; raise `UsageError` if another trainer has it."""
        with _explained(self._folder):
            mine = _identity(self._run / COPIES / TRAINER, {})
            if mine is None or _identity(self._folder / self._name / TRAINER, {}, mine) is None:
                raise self._taken()

    def _taken(self) -> UsageError:
        return UsageError(f"{self._folder} has another trainer {self._name!r}: choose a name with --share-as")

    def exchange(self) -> int:
        """Publish what is new here, adopt what is new there, and return the number of adopted snapshots.

        A failure is reported once, and the exchange is tried again the next time.
        """
        came, trouble = 0, ""
        learners = {learner.name for learner in self.league.learners}
        self._own = learners | {member.name for member in self.league.members if member.learner in learners}
        try:
            with Store(self._url, create=False, wait_s=STORE_WAIT_S) as store:
                snapshots, counts = store.snapshots(self._league_id), store.counts(self._league_id)
                self._publish(store, snapshots, counts)
            came, trouble = self._take_up(snapshots, counts)
        except (UsageError, OSError) as error:
            trouble = str(error)
        if trouble and trouble != self._in_the_way:
            self._say(f"{trouble}; training goes on, and shares later")
        elif self._in_the_way and not trouble:
            self._say("the league is shared again")
        self._in_the_way = trouble
        return came

    # --- what is published --------------------------------------------------------------------------------------

    def _publish(self, store: Store, snapshots: Sequence[Snapshot], counts: Sequence[ResultCount]) -> None:
        """Add this trainer's new snapshots and counts to the store."""
        there = {row.name for row in snapshots}
        new = [m for m in self.league.members if m.name in self._own and self._there(m.name) not in there]
        for member in new:
            self._copy(self._run / member.folder, self._folder / self._there(member.name), member.sha256)
        store.add_snapshots(self._league_id, [self._snapshot(member) for member in new])
        mine = [*self._counts("training", self.league.training), *self._counts("evaluation", self.league.evaluation)]
        known = set(counts)
        store.put_counts(self._league_id, [count for count in mine if count not in known])

    def _snapshot(self, member: Member) -> Snapshot:
        parent = None if member.parent is None else self._there(member.parent)
        names = self._there(member.name), member.role, self._there(member.learner)
        return Snapshot(*names, member.generation, member.step, parent, member.sha256)

    def _counts(self, kind: str, payoff: Payoff) -> Iterator[ResultCount]:
        """Yield the results that this trainer counted itself."""
        for player, opponents in payoff.table.items():
            if player in self._own:
                for opponent, counts in opponents.items():
                    names = self._there(player), self._there(opponent)
                    yield ResultCount(kind, *names, counts.wins, counts.draws, counts.losses)

    def _there(self, name: str) -> str:
        """Return the name in the shared league: learners and members of this trainer get its name as a prefix."""
        return f"{self._name}/{name}" if name in self._own else name

    # --- what is taken up ---------------------------------------------------------------------------------------

    def _take_up(self, snapshots: Sequence[Snapshot], counts: Sequence[ResultCount]) -> tuple[int, str]:
        """Adopt what others published; return the number of new snapshots, and why others could not be adopted."""
        known = {member.name for member in self.league.members}
        came, trouble = 0, ""
        for row in snapshots:
            if row.name in known or row.name.startswith(f"{self._name}/"):
                continue
            try:
                self.league.members.append(self._taken_up(row))
                came += 1
            except CheckpointError as error:
                trouble = f"snapshot {row.name} cannot be taken up: {error}"
        for count in counts:
            if not count.player.startswith(f"{self._name}/"):
                payoff = self.league.training if count.kind == "training" else self.league.evaluation
                opponent = count.opponent.removeprefix(f"{self._name}/")
                payoff.table.setdefault(count.player, {})[opponent] = Counts(count.wins, count.draws, count.losses)
        return came, trouble

    def _taken_up(self, row: Snapshot) -> Member:
        """Return another trainer's snapshot as a member, with a copy of its checkpoint; `CheckpointError` if broken."""
        if NAME.fullmatch(row.name) is None or row.role not in ROLES:
            raise CheckpointError(f"{row.name!r} is not the name of a snapshot, or {row.role!r} not a role")
        copy = Path(COPIES, row.name)
        self._copy(self._folder / row.name, self._run / copy, row.sha256)
        moments = row.generation, row.step, row.parent
        return Member(row.name, ROLES[row.role], row.learner, *moments, str(copy), row.sha256)

    def _copy(self, source: Path, target: Path, sha256: str) -> None:
        """Copy a checkpoint atomically unless it exists; `CheckpointError` if its hash differs."""
        if (target / CONFIG).exists() and read_config(target)["sha256"] == sha256:
            return
        checkpoint = OnDisk(str(source), sha256).read()
        described = {key: checkpoint.description[key] for key in _about(self.league)}
        if described != _about(self.league):
            raise CheckpointError(f"{source} is of {described}, not of {_about(self.league)}")
        config = json.dumps(dict(checkpoint.description), indent=2).encode()
        write_folder(target, {CONFIG: config, WEIGHTS: checkpoint.weights})


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Raise `UsageError` in place of errors of the file system."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{folder}: a league cannot be shared here ({error.strerror})") from None


def sharing_of(scale: ScaleConfig, league: League, run: Path) -> Sharing:
    """Return the exchange with other trainers of a league that is shared."""
    assert scale.store is not None
    assert scale.share is not None
    name = scale.share_as or re.sub(r"[^\w.-]", "-", f"{socket.gethostname()}-{run.name}")
    return Sharing(scale.store, scale.share, name, league, run, partial(print, file=sys.stderr))


def _about(league: League) -> dict[str, Any]:
    """Return the game, its options and the algorithm of a league, in the form that JSON gives back."""
    return json.loads(json.dumps({"game": league.game, "options": league.options, "algorithm": league.algorithm}))


def _identity(file: Path, about: Mapping[str, Any], wanted: str | None = None) -> str | None:
    """Return the identity in a file for `about`, created if missing; None if it differs from what is `wanted`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}-{uuid.uuid4().hex}")
    new.write_text(json.dumps({"id": wanted or uuid.uuid4().hex, **about}), encoding="utf-8")
    with contextlib.suppress(FileExistsError):
        os.link(new, file)  # whole, or not at all where another was faster
    new.unlink()
    try:
        content = read_json(file)
        identity = str(field(content, "id", str))
    except UsageError:
        return None
    same = all(content.get(key) == value for key, value in about.items())
    return identity if same and wanted in (None, identity) else None
