"""What follows from a report, in the transaction in which it is taken: each kind of job has its own consequence."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from arena.match.json_lines import from_json_line
from arena.match.verdict import MatchRecord
from arena.server.bots import qualify
from arena.server.counting import count_jobs
from arena.server.database import SECRET, setting
from arena.server.jobs import LADDER, QUALIFICATION, report_job
from arena.server.ladders import ladder_numbered
from arena.server.schema import jobs
from arena.server.verification import is_sampled, settle, want_verification


def take_report(connection: Connection, number: int, lease: str, records: Sequence[MatchRecord], share: float) -> bool:
    """Take the games of a job, and do what follows; return False if it was reported before, alike.

    `share` of the results of ladders are played again by other workers.
    """
    if not report_job(connection, number, lease, records):
        return False
    row = connection.execute(select(jobs).where(jobs.c.id == number)).one()
    if row.kind == LADDER:
        if is_sampled(setting(connection, SECRET) or "", number, share):
            want_verification(connection, row)
        ladder = ladder_numbered(connection, row.ladder)
        if row.number == ladder.counted:
            count_jobs(connection, ladder)
    elif row.kind == QUALIFICATION:
        same = jobs.c.kind == QUALIFICATION, jobs.c.ladder == row.ladder, jobs.c.seed == row.seed
        both = connection.execute(select(jobs).where(*same)).all()
        if all(one.state == "done" for one in both):
            qualify(connection, row, [[from_json_line(line)[1] for line in one.games] for one in both])
    else:
        settle(connection, connection.execute(select(jobs).where(jobs.c.id == row.of)).one())
    return True
