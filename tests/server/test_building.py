"""Bots that are built from their sources on the machine that plays, and builds that fail or do harm."""

import shutil

import pytest

from arena.base.errors import UsageError
from arena.processes.sandbox import VARIABLE, WITH_FILES
from arena.server import building
from arena.server.building import BuildError, build
from arena.server.bundles import pack, read_bundle
from arena.server.job_games import JobGames
from arena.server.worker import Worker
from tests.processes.sandboxes import switch_on
from tests.server.test_bundles import BOT, with_manifest

pytestmark = pytest.mark.full

MANIFEST = 'command = "python3 ./made/bot.py"\nbuild = "sh make.sh"\n'
CLASH = """
mkdir one two; echo x > one/a; mkdir two/a; echo x > two/a/b
tar --format=ustar -cf all.tar -C one a; tar --format=ustar -rf all.tar -C two a/b; cat all.tar > /proc/$PPID/fd/1
"""
"""Prints a tar of its own into that of the build: a file, and another below it."""


@pytest.fixture(params=WITH_FILES)
def boxed(request, monkeypatch):
    switch_on(request.param, monkeypatch)


def sources(tmp_path, script, manifest=MANIFEST):
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(manifest)
    (folder / "bot.txt").write_text(BOT)
    (folder / "make.sh").write_text(script)
    return folder


def met_random(start, folder):
    """Return a bot as it is shown after a worker has played what it has to play to qualify."""
    site, bundle = start(takes_programs=True), pack(folder)
    site.ladder()
    ann = site.account("ann", "submitter")
    ann.put(f"/bundles/{bundle.digest}", bundle.content)
    bot = ann.post("/ladders/small/bots", {"name": "mine", "bundle": bundle.digest})
    assert Worker(site.account("bob", "worker"), "w", True).run(most=2) == 2
    return ann.get(f"/bots/{bot['id']}")


def test_a_bot_is_built_and_plays(boxed, start, tmp_path):
    shown = met_random(start, sources(tmp_path, "mkdir made; cp bot.txt made/bot.py; ln -s /etc/passwd made/link"))
    assert shown["state"] == "active", shown["reason"]


def test_a_program_in_c_is_compiled(boxed, tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("there is no compiler")
    folder = sources(tmp_path, "cc -O2 -o engine engine.c", 'command = "./engine"\nbuild = "sh make.sh"\n')
    (folder / "engine.c").write_text("int main(void) { return 3; }")
    assert read_bundle(pack(folder).content).agent == "cmd:'{folder}/engine'"
    build("sh make.sh", folder, tmp_path / "built")
    assert (tmp_path / "built" / "engine").stat().st_mode & 0o111
    assert not (folder / "engine").exists()


def test_a_build_that_fails_loses_with_its_last_words(boxed, start, tmp_path):
    shown = met_random(start, sources(tmp_path, "echo 'no rule \x1b[2J to make it'; exit 7"))
    assert shown["state"] == "rejected"
    assert "its build failed (ended with status 99): no rule" in shown["reason"]
    assert "\x1b" not in shown["reason"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 1", "its build failed .*: it said nothing"),
        ("touch bot.txt && echo x > $HOME/../etc/x", "its build failed"),
        ("cat /etc/passwd", "its build failed"),
        ("head -c 70000000 /dev/zero > large", "its build failed"),
        (
            "i=0; while [ $i -lt 600 ]; do echo x > f$i; i=$((i+1)); done",
            "what its build leaves cannot be kept: .*500 files",
        ),
        ("touch 'a name'", "cannot be kept: .*plain names"),
        ("while true; do echo spam; done", "its build (failed|took more than 3 s)"),
        ("yes > /proc/$PPID/fd/1", "its build (leaves more than|failed|took more than)"),
        ("sleep 600", "its build took more than 3 s"),
        (CLASH, "cannot be kept: .*beside a folder or file"),
    ],
)
def test_builds_that_do_harm_are_ended(boxed, tmp_path, monkeypatch, script, reason):
    monkeypatch.setattr(building, "BUILD_S", 3.0)
    with pytest.raises(BuildError, match=reason):
        build("sh make.sh", sources(tmp_path, script), tmp_path / "built")


@pytest.mark.parametrize("sandbox", ["", "landlock"])
def test_nothing_is_built_without_room_of_its_own(tmp_path, monkeypatch, sandbox):
    monkeypatch.setenv(VARIABLE, sandbox)
    folder = sources(tmp_path, "touch ran")
    with pytest.raises(BuildError, match="bots are built in bubblewrap or runsc, and this worker uses neither"):
        build("sh make.sh", folder, tmp_path / "built")
    assert not (folder / "ran").exists()


def test_a_failed_build_is_not_tried_again(boxed, tmp_path):
    class Seat:
        player, agent, bundle = "mine", "cmd:x", "0" * 64

    games, content = JobGames(sandbox=True), pack(sources(tmp_path, "exit 1")).content
    for _ in range(2):
        with pytest.raises(BuildError, match="its build failed"):
            games.agent(Seat, {Seat.bundle: content})
    games.close()


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        (b'build = "make"', "one line"),
        (b'agent = "ppo:{folder}"\nbuild = "make"', "one line"),
        (b'command = "./engine"\nbuild = ""', "build is one line"),
        (b'command = "./engine"\nbuild = "a\\nb"', "build is one line"),
        (b'command = "./../engine"\nbuild = "make"', "names no file of the bundle"),
        (b'command = "./engine /etc/passwd"\nbuild = "make"', "names '/etc/passwd'"),
        (b'command = "./engine"', "names no file of the bundle"),
    ],
)
def test_manifests_that_do_not_fit_are_refused(manifest, reason):
    with pytest.raises(UsageError, match=reason):
        read_bundle(with_manifest(manifest))
