"""What runs in the process of a local worker: it plays the jobs that come through a pipe, until that is closed."""

import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

from arena.errors import UsageError
from arena.match.process_tree import end_with_parent
from arena.tournament.jobs import JobPlayer


def main() -> None:
    """Take the setup, then one job after the other; each is answered with its records, or with an exception."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what it means
    pipe = Connection(int(sys.argv[1]))
    try:
        player = JobPlayer(pipe.recv())
        try:
            while True:
                pipe.send(_answer(player, pipe.recv()))
        finally:
            player.close()
    except (EOFError, OSError):
        pass  # nobody wants anything any more


def _answer(player: JobPlayer, job: Any) -> Any:
    try:
        return player.play(job)
    except UsageError as error:
        return UsageError(str(error))  # the same, of a kind that travels
    except Exception:
        return RuntimeError(f"a worker of the tournament failed:\n{traceback.format_exc()}")


if __name__ == "__main__":
    main()
