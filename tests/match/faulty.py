"""Agents that go wrong at their second move, `faulty:HOW`; a package of their own, found by its entry point."""

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.registration import AgentKind

CHILD = [sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"]


def install(folder: Path) -> str:
    """Make the package in `folder`; returns what PYTHONPATH has to hold."""
    from tests.packages import declare  # not at the top, which the package has without these tests

    shutil.copy(__file__, folder / "faulty_agents.py")
    declare(folder, "faulty_agents", "arena.agents", "faulty = faulty_agents:AGENTS")
    return os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])


class Faulty(Policy):
    """Plays the lowest legal action, and does something bad from its second move on."""

    one_at_a_time = True

    def __init__(self, how: str):
        self.how, self.moves = how, 0

    def reset(self, seed=None):
        self.moves = 0
        if self.how == "hangs at the start":
            time.sleep(3600)

    def forward(self, batch, state=None):
        self.moves += 1
        act = batch.obs.mask.argmax(axis=1)
        if self.moves < 2 or (self.how in ONCE and self.moves > 2):
            return Batch(act=act)
        if self.how == "tells the time":
            tells_time(act, batch.obs.get("seconds_left", [math.nan]))
        return Batch(act=FAULTS[self.how](act))


def raises(act):
    raise RuntimeError("out of\nwits")


def hangs(act):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        pass


def sleeps(act):
    time.sleep(3600)


def thinks(act):
    time.sleep(1.0)
    return act


def prints(act):
    for _ in range(2048):
        os.write(1, b"x" * 2**20)
    return act


def tells_time(act, seconds_left):
    raise RuntimeError(f"{float(seconds_left[0]):.0f} s left")


def chatters(act):
    print("thinking about it", flush=True)
    return act


def hoards(act):
    hoard = []
    while True:
        hoard.append(bytearray(b"x" * 2**23))


def hoards_below(act):
    code = "hoard = []\nwhile True: hoard.append(bytearray(b'x' * 2**23))"
    subprocess.run([sys.executable, "-c", code], check=False)  # which the kernel may end before the guard looks
    time.sleep(600)
    return act


def scribbles(act):
    for file in range(3, 64):
        try:
            os.write(file, b"[" * 1000 + b"\n")
        except OSError:
            continue
    return act


def floods(act):
    while True:
        for file in range(3, 64):
            try:
                os.write(file, b"x" * 2**16)
            except OSError:
                continue


def forks(act):
    for _ in range(3):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(3600)
            os._exit(0)
    subprocess.Popen(CHILD, start_new_session=True)
    return act


def doubles(act):
    os.fork()
    return act


def exits(act):
    os._exit(3)


def quits(act):
    sys.exit("enough")


def dies(act):
    os.kill(os.getpid(), signal.SIGSEGV)
    return act


def complains(act):
    print("there is no engine", file=sys.stderr, flush=True)
    os._exit(1)


def hides(act):
    os.closerange(3, 64)
    time.sleep(3600)


FAULTS = {
    "raises": raises,
    "hangs": hangs,
    "sleeps": sleeps,
    "thinks": thinks,
    "prints": prints,
    "chatters": chatters,
    "hoards": hoards,
    "hoards below": hoards_below,
    "scribbles": scribbles,
    "floods": floods,
    "forks": forks,
    "doubles": doubles,
    "exits": exits,
    "quits": quits,
    "dies": dies,
    "complains": complains,
    "hides": hides,
    "illegal": lambda act: act - 1 - act,
    "garbage": lambda act: "e4",
    "too many": lambda act: [0, 1, 2],
    "beyond": lambda act: act + 10**15,
    "hangs at the start": lambda act: act,
}
ONCE = ("forks", "doubles")
AGENTS = {"faulty": "faulty_agents:AGENT"}
AGENT = AgentKind(summary="goes wrong", make=lambda game, how: Faulty(how), argument="HOW")
