"""How a learner's snapshot joins the league: past the gate, measured against those before it, and rated."""

from collections.abc import Callable
from pathlib import Path

from arena.errors import UsageError
from arena.league.config import LeagueConfig, RunConfig
from arena.league.gate import Examined, examine, opening_plies
from arena.league.pool import Pool
from arena.league.ratings import rate_members
from arena.league.records import League, Learner, Member, Rated
from arena.league.student import Student
from arena.policy.snapshots import SNAPSHOT
from arena.runs.evaluation import counts_against
from arena.seeding import spawn_seeds
from games.engine.game import Game

Write = Callable[[Student, str], str]
"""Writes a learner's snapshot into a folder, relative to the run's; returns the hash of its weights."""


class Admission:
    """Examines snapshots and keeps the records of those that join.

    Args:
        game: what is played.
        league: the league, which members are added to.
        config: what the gate asks for, and how many earlier members a new one is measured against.
        run: how many games a measurement has, and whose rating is 0: the first agent of the evaluation.
        pool: loads earlier members.
        write: writes snapshots.

    """

    def __init__(self, game: Game, league: League, config: LeagueConfig, run: RunConfig, pool: Pool, write: Write):
        self._game, self._league, self._config, self._run = game, league, config, run
        self._pool, self._write = pool, write
        self.examined: Examined | None = None
        """What came of the last snapshot that was examined at the gate."""

    def stand(self, student: Student, seed: int) -> bool:
        """Let a learner as it is now, which has been evaluated, stand for admission; whether it joins."""
        gate_seed, *seeds = spawn_seeds(seed, count=1 + len(self._league.members))
        record = student.record
        before = self._league.members_of(record.name)
        if record.role == "main" and self._config.gate != "none" and before:
            predecessor = self._pool.load(before[-1])
            self.examined = examine(self._game, student.policy, predecessor, self._config, gate_seed)
            if not self.examined.passed:
                record.refused += 1
                return False
        member = self._admit(student)
        for opponent, counts in (*student.results.items(), *self._against_earlier(student, seeds).items()):
            self._league.evaluation.add(member.name, opponent, *counts)
        self._rate(member)
        return True

    def require_hope(self, record: Learner) -> None:
        """`UsageError` if the gate has refused as many snapshots of a learner in a row as it may."""
        tries = self._config.gate_tries
        if tries and record.refused % tries == 0 and self.examined is not None:
            raise UsageError(
                f"the gate has refused {record.refused} snapshots of {record.name} in a row, the last with "
                f"{self.examined.said}; go on with --resume, or train anew and ask for less"
            )

    def _admit(self, student: Student) -> Member:
        """Write the snapshot of a learner and put it on the list."""
        league, record = self._league, student.record
        first = record is league.learners[0]
        folder = str((Path() if first else Path(record.name)) / SNAPSHOT.format(record.turns))
        sha256 = self._write(student, folder)
        name = f"{record.name}-{record.turns:04d}"
        member = Member(name, record.role, record.name, record.turns, league.step, record.parent, folder, sha256)
        league.members.append(member)
        record.parent, record.turns_since_member, record.refused = name, 0, 0
        return member

    def _against_earlier(self, student: Student, seeds: list[int]) -> dict[str, tuple[int, int, int]]:
        """Games of the newest member against those before it, as many of them as are asked for."""
        earlier = self._league.members[:-1]
        if self._config.matchmaker != "psro":  # which needs everybody's scores against everybody
            earlier = earlier[len(earlier) - min(len(earlier), self._config.earlier_met) :]
        games, plies = self._run.evaluation_games, opening_plies(self._game)
        return {
            other.name: counts_against(self._game, student.policy, self._pool.load(other), games, seed, plies)
            for other, seed in zip(earlier, seeds, strict=False)
        }

    def _rate(self, member: Member) -> None:
        league = self._league
        fixed = list(dict.fromkeys([*self._run.evaluation, *league.references]))
        names = [*fixed, *(each.name for each in league.members)]
        league.ratings = rate_members(league.evaluation, names, fixed[0] if fixed else None)
        if member.name in league.ratings:
            league.history.append(Rated(league.step, member.learner, member.name, *league.ratings[member.name]))
