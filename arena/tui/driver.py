"""Textual's terminal driver of this system, with fixes for ASCII terminals, broken input and closing terminals."""

import codecs
import sys
from functools import partial

from textual.driver import Driver

from arena.tui.state.plain import plain


def terminal_driver(driver: type[Driver], ascii_only: bool) -> type[Driver]:
    """Return a subclass of `driver` that can write ASCII alone, decodes any input, and resumes only after a suspension.

    A terminal that closes sends SIGCONT with its SIGHUP. Textual takes any SIGCONT for the end of a suspension, and
    starts a second reading thread that is never ended. Its driver modules also decode input with a strict decoder, so
    that pasted bytes outside UTF-8 would end the program; the decoder is replaced in the module by a lenient one.
    """

    class ArenaDriver(driver):  # type: ignore[valid-type, misc]  # the class is known at run time
        def write(self, data: str) -> None:
            super().write(plain(data) if ascii_only else data)

        def _sigcont_application(self, *details: object) -> None:
            if self._must_signal_resume:
                super()._sigcont_application(*details)

        def _run_input_thread(self) -> None:
            """Read; an error ends the application like any other, without textual's page."""
            try:
                self.run_input_thread()
            except Exception as error:
                self._app.call_later(self._app._handle_exception, error)

    vars(sys.modules[driver.__module__])["getincrementaldecoder"] = _lenient_decoder
    return ArenaDriver


def _lenient_decoder(encoding: str) -> partial[codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")
