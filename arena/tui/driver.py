"""What a terminal is sent, and how it is read and gone on with: textual's driver of this system, put right."""

import codecs
import sys
from functools import partial

from textual.driver import Driver

from arena.tui.theme import plain


def terminal_driver(driver: type[Driver], ascii_only: bool) -> type[Driver]:
    """`driver`, which writes ASCII alone if asked, reads whatever comes, and goes on only after it was suspended.

    A terminal that is closed sends SIGCONT with its SIGHUP. Textual takes any SIGCONT for the end of a suspension and
    begins to read the terminal once more, in a second thread that nobody ends. What its drivers read they decode with
    a name of their module, which is set to a decoder that takes bytes in no UTF-8 for unknown characters: pasted
    ones would end the program.
    """

    class ArenaDriver(driver):  # type: ignore[valid-type, misc]  # the class is known at run time
        def write(self, data: str) -> None:
            super().write(plain(data) if ascii_only else data)

        def _sigcont_application(self, *details: object) -> None:
            if self._must_signal_resume:
                super()._sigcont_application(*details)

        def _run_input_thread(self) -> None:
            """Read; a fault ends the application as any other does, and not with textual's page."""
            try:
                self.run_input_thread()
            except Exception as error:
                self._app.call_later(self._app._handle_exception, error)

    vars(sys.modules[driver.__module__])["getincrementaldecoder"] = _lenient_decoder
    return ArenaDriver


def _lenient_decoder(encoding: str) -> partial[codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")
