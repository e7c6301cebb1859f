"""Bundles: packed alike by everybody, refused if they lie, and played in the sandbox alone."""

import hashlib
import io
import tarfile
from dataclasses import replace

import pytest

from arena.base.errors import UsageError
from arena.server import job_games
from arena.server.bundles import MOST_FILES, pack, read_bundle, unpack
from arena.server.worker import Worker
from arena.server.workers import VERSION

pytestmark = pytest.mark.full

BOT = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "move":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""
PROGRAM = b'command = "python3 bot.py"'


def tar_of(*members, kind=tarfile.REGTYPE, link="", size=None):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        if link:
            info = tarfile.TarInfo("link")
            info.type, info.linkname = kind, link
            tar.addfile(info)
    return buffer.getvalue()


def with_manifest(text, *others):
    return tar_of(("bot.toml", text), *(others or [("bot.py", b"")]))


LIARS = {
    "no tar": (b"x" * 2000, "cannot be read"),
    "empty": (b"", "cannot be read"),
    "gzip": (b"\x1f\x8b" + b"\0" * 600, "cannot be read"),
    "cut": (with_manifest(PROGRAM)[:700], "."),
    "no manifest": (tar_of(("bot.py", b"")), "has a file bot.toml"),
    "parent": (with_manifest(PROGRAM, ("../bot.py", b"")), "plain names"),
    "absolute": (with_manifest(PROGRAM, ("/etc/passwd", b"")), "plain names"),
    "dots within": (with_manifest(PROGRAM, ("a/../../bot.py", b"")), "plain names"),
    "hidden": (with_manifest(PROGRAM, (".ssh/id", b"")), "plain names"),
    "escape": (with_manifest(PROGRAM, ("a\x1b[2J", b"")), "plain names"),
    "space": (with_manifest(PROGRAM, ("a b", b"")), "plain names"),
    "deep": (with_manifest(PROGRAM, ("/".join("abcdefghij"), b"")), "plain names"),
    "long": (with_manifest(PROGRAM, ("a" * 101, b"")), "plain names"),
    "twice": (with_manifest(PROGRAM, ("bot.py", b"1"), ("bot.py", b"2")), "twice"),
    "symbolic link": (tar_of(("bot.toml", PROGRAM), kind=tarfile.SYMTYPE, link="/etc/passwd"), "is a link"),
    "hard link": (tar_of(("bot.toml", PROGRAM), kind=tarfile.LNKTYPE, link="bot.toml"), "is a link"),
    "device": (tar_of(("bot.toml", PROGRAM), kind=tarfile.CHRTYPE, link="x"), "is a link, a folder or a device"),
    "pipe": (tar_of(("bot.toml", PROGRAM), kind=tarfile.FIFOTYPE, link="x"), "is a link, a folder or a device"),
    "many": (tar_of(*((f"f{n}", b"") for n in range(MOST_FILES + 1))), "at most"),
    "no toml": (with_manifest(b"command ="), "cannot be read"),
    "no text": (with_manifest(b"\xff\xfe"), "cannot be read"),
    "large manifest": (with_manifest(b"#" * 5000), "at most"),
    "two lines": (with_manifest(PROGRAM + b'\nagent = "random"'), "one line"),
    "other field": (with_manifest(b'build = "make"'), "one line"),
    "number": (with_manifest(b"command = 3"), "one line"),
    "own shell": (with_manifest(b'command = "sh -c id"'), "names no file"),
    "path outside": (with_manifest(b'command = "python3 bot.py /etc/passwd"'), "names '/etc/passwd'"),
    "quotes": (with_manifest(b'''command = "python3 'bot.py"'''), "cannot be read"),
    "line in it": (with_manifest(b'command = "python3 bot.py\\nid"'), "no command line"),
    "option first": (with_manifest(b'command = "--bind bot.py"'), "no command line"),
    "spec of a program": (with_manifest(b'agent = "cmd:id"'), "not of the form"),
    "spec elsewhere": (with_manifest(b'agent = "ppo:/home/ann/run"'), "not of the form"),
    "below a file": (with_manifest(PROGRAM, ("bot.py", b""), ("bot.py/x", b"")), "beside a folder or file"),
    "over a folder": (with_manifest(PROGRAM, ("a/b/c", b""), ("a/b", b"")), "beside a folder or file"),
    "pickle": (with_manifest(b'agent = "ppo:{folder}"', ("weights.pkl", b"")), "files .safetensors"),
}


@pytest.mark.parametrize("liar", LIARS)
def test_bundles_that_lie_are_refused(liar):
    content, reason = LIARS[liar]
    with pytest.raises(UsageError, match=reason):
        read_bundle(content)


def test_a_folder_is_packed_alike_by_everybody(tmp_path):
    for name in ("one", "two"):
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True)
        (folder / "bot.toml").write_bytes(PROGRAM)
        (folder / "bot.py").write_text(BOT)
        (folder / "data" / "book.txt").write_text("d4")
    one, two = pack(tmp_path / "one"), pack(tmp_path / "two")
    assert one.digest == two.digest
    assert one.agent == "cmd:python3 '{folder}/bot.py'"
    spec = unpack(one, tmp_path / "placed")
    assert str(tmp_path / "placed" / "bot.py") in spec
    assert (tmp_path / "placed" / "data" / "book.txt").read_text() == "d4"
    assert not (tmp_path / "placed" / "bot.py").stat().st_mode & 0o222
    (tmp_path / "one" / "link").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="no regular file"):
        pack(tmp_path / "one")


def submitted(site, tmp_path, text=BOT):
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_bytes(PROGRAM)
    (folder / "bot.py").write_text(text)
    bundle = pack(folder)
    ann = site.account("ann", "submitter")
    ann.put(f"/bundles/{bundle.digest}", bundle.content)
    return ann, bundle, ann.post("/ladders/small/bots", {"name": "mine", "bundle": bundle.digest})


def test_a_program_plays_in_the_sandbox(start, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_SANDBOX", "bubblewrap")
    site = start(takes_programs=True)
    site.ladder()
    ann, _, bot = submitted(site, tmp_path)
    bob = site.account("bob", "worker")
    number = bob.post("/workers", {"name": "bare", "version": VERSION})["worker"]
    assert bob.ask("POST", "/jobs", {"worker": number}).status_code == 204  # it has no sandbox
    assert Worker(bob, "boxed", True).run(most=2) == 2
    assert ann.get(f"/bots/{bot['id']}")["state"] == "active", ann.get(f"/bots/{bot['id']}")["reason"]


@pytest.mark.slow("waits for a program that never answers")
def test_a_program_that_never_answers_keeps_no_worker(start, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_SANDBOX", "bubblewrap")
    monkeypatch.setattr(job_games, "LONGEST_MOVE", "move=300ms")
    limits_of = job_games.limits_of
    monkeypatch.setattr(job_games, "limits_of", lambda job: replace(limits_of(job), time_to_start="6s"))
    site = start(takes_programs=True)
    site.ladder()
    ann, _, bot = submitted(
        site, tmp_path, BOT.replace('elif message["type"] == "move":', "else:\n        import time; time.sleep(600)")
    )
    assert Worker(site.account("bob", "worker"), "boxed", True).run(most=2) == 2
    shown = ann.get(f"/bots/{bot['id']}")
    assert shown["state"] == "rejected"
    assert "late" in shown["reason"]


def test_bundles_are_for_who_uploaded_them_and_for_workers(start, tmp_path):
    site = start(takes_programs=True, bundles_mb=1)
    site.ladder()
    ann, bundle, _ = submitted(site, tmp_path)
    path = f"/bundles/{bundle.digest}"
    assert ann.fetch(path) == bundle.content == site.account("bob", "worker").fetch(path)
    eve = site.account("eve", "submitter")
    assert eve.ask("GET", path).status_code == 404
    assert eve.ask("POST", "/ladders/small/bots", {"name": "stolen", "bundle": bundle.digest}).status_code == 404
    assert ann.ask("PUT", f"/bundles/{'0' * 64}", content=bundle.content).status_code == 422
    large = tar_of(("bot.toml", PROGRAM), ("bot.py", b"#" * 1_100_000))
    response = ann.ask("PUT", f"/bundles/{hashlib.sha256(large).hexdigest()}", content=large)
    assert response.status_code == 413
    assert "1 MB" in response.json()["detail"]


def test_a_server_without_a_sandbox_takes_no_programs(site, tmp_path):
    site.ladder()
    ann = site.account("ann", "submitter")
    content = with_manifest(PROGRAM)
    response = ann.ask("PUT", f"/bundles/{read_bundle(content).digest}", content=content)
    assert response.status_code == 403
    assert "takes no programs" in response.json()["detail"]
    assert not site.config.bundles.exists()
