"""Building a bot from its sources: in the sandbox of the machine that plays, before its first game there.

The bundle is copied into the sandbox's own `/tmp`, which is small and gone afterwards; what the build leaves comes back
as a tar, and is checked as a bundle is: regular files with plain names, not too many and not too large.
"""

import os
import shlex
import subprocess
import threading
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.text import printable
from arena.processes.guarded import Bounds, guarded
from arena.processes.sandbox import CORES, VARIABLE, WITH_FILES, sandboxed
from arena.server.bundles import MOST_BYTES, write_files

BUILD_S = 300.0
"""Seconds for a build."""
BUILD_MEMORY = 2 * 2**30
BUILD_PROCESSES = 64
MOST_WORDS = 300
"""Letters of a failed build's last words that its author sees."""
SCRIPT = """
mkdir /tmp/build && cp -r {folder}/. /tmp/build && chmod -R u+w /tmp/build && cd /tmp/build || exit 98
({build}) >/tmp/log 2>&1 </dev/null || {{ tail -c 2000 /tmp/log; exit 99; }}
find . -type f -printf '%P\\0' | tar --null --no-recursion --format=ustar -cf - -T -
"""


class BuildError(UsageError):
    """A bot that cannot be built, and loses its games."""


def build(command: str, sources: Path, place: Path) -> None:
    """Run a build in the sandbox on the files of a folder, and write what it leaves into the new folder `place`.

    Raises `BuildError` for a build that fails, takes too long, or leaves what a bundle may not hold.
    """
    if os.environ.get(VARIABLE) not in WITH_FILES:
        raise BuildError(f"bots are built in {' or '.join(WITH_FILES)}, and this worker uses neither")
    script = SCRIPT.format(folder=shlex.quote(str(sources)), build=command)
    run = guarded(sandboxed(["sh", "-c", script, str(sources)]), Bounds(BUILD_MEMORY, BUILD_PROCESSES, CORES))
    process = run.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    late = threading.Timer(BUILD_S, process.kill)
    late.start()
    try:
        content = process.stdout.read(MOST_BYTES + 1)  # never more, whatever it prints
        fate = run.fate(1.0) if len(content) <= MOST_BYTES else None
    finally:
        timed_out = not late.is_alive()
        late.cancel()
        process.stdout.close()
        run.end(process)
    if timed_out:
        raise BuildError(f"its build took more than {BUILD_S:.0f} s")
    if len(content) > MOST_BYTES:
        raise BuildError(f"its build leaves more than {MOST_BYTES:,} bytes")
    if fate is None or fate.code != 0:
        raise BuildError(f"its build failed ({fate or 'it was ended'}): {_last_words(content)}")
    try:
        write_files(content, place)
    except UsageError as error:
        raise BuildError(f"what its build leaves cannot be kept: {error}") from None


def _last_words(content: bytes) -> str:
    """Return the end of what a build said, in one line."""
    return printable(" ".join(content.decode(errors="replace").split())[-MOST_WORDS:]) or "it said nothing"
