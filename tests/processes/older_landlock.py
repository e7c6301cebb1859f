"""The launcher of the sandbox, where the kernel has an older Landlock."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
from arena.processes import landlock  # run with -I: the path has to be told first


class OlderKernel:
    """The C library on a kernel with version 5."""

    def __getattr__(self, name):
        return lambda *arguments: 5 if arguments[0] == landlock.CREATE_RULESET else 0


if __name__ == "__main__":
    landlock.LIBC = OlderKernel()
    landlock.main()
