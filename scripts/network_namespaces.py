"""Network namespaces joined by cables that can be cut: several machines on one, for Linux and a user who may make them.

The first place is the hub. Every other place is joined to it by a cable (a pair of virtual Ethernet devices) of its
own, and reaches the hub alone. A cut cable loses whatever is sent, and tells neither side.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from types import TracebackType

HUB = "10.77.0.1"
"""Address of the hub, from every place."""
READY_S = 10.0


class Network:
    """A hub and `places` others; `RuntimeError` where namespaces cannot be made."""

    def __init__(self, places: int):
        if missing := [program for program in ("ip", "nsenter", "unshare") if shutil.which(program) is None]:
            raise RuntimeError(f"{', '.join(missing)} is missing (Debian: iproute2, util-linux)")
        self._holders: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(1 + places):
                self._holders.append(_namespace())
            self._ip(0, "address", "add", f"{HUB}/32", "dev", "lo")
            self._ip(0, "link", "set", "lo", "up")
            for place in range(1, 1 + places):
                self._lay_cable(place)
        except BaseException:
            self.close()
            raise

    def at(self, place: int, command: Sequence[str]) -> list[str]:
        """Return a command as it is run at a place, 0 for the hub; in the same process as without."""
        return ["nsenter", "-t", str(self._holders[place].pid), "-n", "--", *command]

    def cut(self, place: int) -> None:
        """Cut the cable between the hub and a place."""
        self._ip(0, "link", "set", f"cable{place}", "down")

    def mend(self, place: int) -> None:
        """Join a place to the hub again."""
        self._ip(0, "link", "set", f"cable{place}", "up")

    def close(self) -> None:
        """Remove the namespaces; what still runs in them has no network any more."""
        for holder in self._holders:
            holder.kill()
            holder.wait()

    def __enter__(self) -> "Network":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lay_cable(self, place: int) -> None:
        here, there = f"10.77.{place}.1", f"10.77.{place}.2"
        peer = ("peer", "name", "hub", "netns", str(self._holders[place].pid))
        self._ip(0, "link", "add", f"cable{place}", "type", "veth", *peer)
        for at, device, address in ((0, f"cable{place}", here), (place, "hub", there)):
            self._ip(at, "address", "add", f"{address}/24", "dev", device)
            self._ip(at, "link", "set", device, "up")
        self._ip(place, "link", "set", "lo", "up")
        self._ip(place, "route", "add", "default", "via", here)

    def _ip(self, place: int, *words: str) -> None:
        done = subprocess.run(self.at(place, ["ip", *words]), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def _namespace() -> "subprocess.Popen[bytes]":
    """Return a process that does nothing in a network namespace of its own."""
    holder = subprocess.Popen(
        ["unshare", "--net", "--", "sleep", "infinity"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    outside, until = os.stat("/proc/self/ns/net").st_ino, time.monotonic() + READY_S
    while time.monotonic() < until and holder.poll() is None:
        if os.stat(f"/proc/{holder.pid}/ns/net").st_ino != outside:
            return holder
        time.sleep(0.005)
    holder.kill()
    _, error = holder.communicate()
    raise RuntimeError(f"no network namespace can be made: {error.decode(errors='replace').strip()}")
