"""Figures of a server in the text format of Prometheus."""

from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from arena.server.schema import bots, jobs, ladders, workers
from arena.server.state import BOUNDS_S, ServerState
from arena.server.workers import list_workers


def text(connection: Connection, state: ServerState) -> str:
    """Return all figures."""
    return "\n".join([*_requests(state), *_tables(connection)]) + "\n"


def _requests(state: ServerState) -> Iterator[str]:
    counts = state.requests
    yield "# TYPE arena_requests_total counter"
    for status, count in sorted(counts.by_status.items()):
        yield f'arena_requests_total{{status="{status}"}} {count}'
    yield "# TYPE arena_request_seconds histogram"
    for bound, count in zip(BOUNDS_S, counts.within, strict=True):
        yield f'arena_request_seconds_bucket{{le="{bound:g}"}} {count}'
    total = sum(counts.by_status.values())
    yield f'arena_request_seconds_bucket{{le="+Inf"}} {total}'
    yield f"arena_request_seconds_sum {counts.seconds:.6f}"
    yield f"arena_request_seconds_count {total}"
    yield "# TYPE arena_draining gauge"
    yield f"arena_draining {int(state.draining)}"


def _tables(connection: Connection) -> Iterator[str]:
    for name, table in (("jobs", jobs), ("bots", bots)):
        yield f"# TYPE arena_{name} gauge"
        for of, count in connection.execute(select(table.c.state, func.count()).group_by(table.c.state)):
            yield f'arena_{name}{{state="{of}"}} {count}'
    yield "# TYPE arena_verifications gauge"
    for of, count in connection.execute(select(jobs.c.checked, func.count()).group_by(jobs.c.checked)):
        if of:
            yield f'arena_verifications{{result="{of}"}} {count}'
    yield "# TYPE arena_ladder_counted_jobs counter"
    for name, counted in connection.execute(select(ladders.c.name, ladders.c.counted).order_by(ladders.c.name)):
        yield f'arena_ladder_counted_jobs{{ladder="{name}"}} {counted}'
    known = list_workers(connection)
    yield "# TYPE arena_workers gauge"
    yield f'arena_workers{{state="alive"}} {sum(one["alive"] for one in known)}'
    yield f'arena_workers{{state="blocked"}} {sum(one["state"] == "blocked" for one in known)}'
    yield "# TYPE arena_games_total counter"
    yield f"arena_games_total {connection.execute(select(func.coalesce(func.sum(workers.c.games), 0))).scalar_one()}"
