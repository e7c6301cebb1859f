"""What a terminal is sent, and how it is gone on with: textual's driver of this system, put right in two ways."""

from textual.driver import Driver

from arena.tui.theme import plain


def terminal_driver(driver: type[Driver], ascii_only: bool) -> type[Driver]:
    """`driver`, which writes ASCII alone if asked, and goes on only after it was suspended.

    A terminal that is closed sends SIGCONT with its SIGHUP. Textual takes any SIGCONT for the end of a suspension and
    begins to read the terminal once more, in a second thread that nobody ends.
    """

    class ArenaDriver(driver):  # type: ignore[valid-type, misc]  # the class is known at run time
        def write(self, data: str) -> None:
            super().write(plain(data) if ascii_only else data)

        def _sigcont_application(self, *details: object) -> None:
            if self._must_signal_resume:
                super()._sigcont_application(*details)

    return ArenaDriver
