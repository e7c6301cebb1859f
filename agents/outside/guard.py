"""A program that runs another and lets it live no longer than whoever asked for it: `guard.py PIPE COMMAND...`.

It begins a process group (its parent starts it as the leader of a session) and runs the command in it. `PIPE` is the
reading end of a pipe whose other end its parent alone holds: when that closes, however the parent came to its end, the
whole group is killed, with all that the command has started. Who waits for that is a process of its own, which outlives
the command: one that ends with its parent, as soon as nobody speaks to it, may leave others behind. Needs nothing but
Python's own library.
"""

import os
import signal
import sys


def main() -> None:
    """Run the command; exit as it does, 128 + n after signal n, 127 if it cannot be started."""
    pipe, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(pipe, False)
    if os.fork() == 0:
        watch(pipe)
    program = os.fork()
    if program == 0:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
            os._exit(127)
    close_streams()
    _, status = os.waitpid(program, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def watch(pipe: int) -> None:
    """Kill the group, this process too, when the other end of the pipe closes."""
    close_streams()
    os.read(pipe, 1)
    os.killpg(0, signal.SIGKILL)


def close_streams() -> None:
    """Let go of the program's streams: its end is to be seen on them."""
    for stream in (0, 1, 2):
        os.close(stream)


if __name__ == "__main__":
    main()
