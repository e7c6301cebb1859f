"""The shared set-up of the shell scripts: once, again after a change, and a clear line where it cannot be done."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

SCRIPTS = Path(__file__).parents[1] / "scripts"
BASH = shutil.which("bash") or "/bin/bash"

FAKE_PYTHON = """#!/bin/sh
echo "$@" >> calls
case "$*" in *install*) exit $(cat pip_status) ;; esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like a checkout with an environment, whose Python only writes down how it is called."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "setup_env.sh", tmp_path / "scripts")
    (tmp_path / "scripts" / "constraints.txt").write_text("torch==1.0\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "pip_status").write_text("0")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    return tmp_path


def bash(folder: Path, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = f"set -euo pipefail; source scripts/setup_env.sh; {command}"
    return subprocess.run([BASH, "-c", program], cwd=folder, env=environment or None, capture_output=True, text=True)


def installs(folder: Path) -> list[str]:
    return [line for line in (folder / "calls").read_text().splitlines() if "install" in line]


def test_the_project_is_installed_once(checkout):
    for _ in range(2):
        assert bash(checkout, "setup_env").returncode == 0
    assert installs(checkout) == ["-m pip install --quiet --constraint scripts/constraints.txt --editable ."]


def test_a_change_of_the_requirements_installs_again(checkout):
    bash(checkout, "setup_env")
    (checkout / "scripts" / "constraints.txt").write_text("torch==2.0\n")
    bash(checkout, "setup_env")
    (checkout / "pyproject.toml").write_text("[project]\nname='x'\n")
    bash(checkout, "setup_env")
    assert len(installs(checkout)) == 3


def test_an_extra_is_installed_besides_and_brings_the_rest(checkout):
    bash(checkout, "setup_env dev")
    bash(checkout, "setup_env dev")
    bash(checkout, "setup_env")
    assert [line.split()[-1] for line in installs(checkout)] == [".[dev]"]


def test_a_failed_installation_is_tried_again(checkout):
    (checkout / "pip_status").write_text("1")
    failed = bash(checkout, "setup_env")
    assert failed.returncode == 1
    assert failed.stderr == "The installation failed; what pip says of it stands above.\n"
    (checkout / "pip_status").write_text("0")
    assert bash(checkout, "setup_env").returncode == 0
    assert len(installs(checkout)) == 2


def test_without_python_one_line_says_what_is_needed(checkout):
    (checkout / "bin").mkdir()
    for tool in ("cat", "dirname"):
        (checkout / "bin" / tool).symlink_to(shutil.which(tool) or "")
    shutil.rmtree(checkout / ".venv")
    done = bash(checkout, "setup_env", PATH=str(checkout / "bin"))
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Python 3.11 to 3.14 is needed")


@pytest.mark.parametrize("script", ["quickstart.sh", "test.sh", "setup_env.sh", "../.ci/run"])
def test_scripts_parse(script):
    subprocess.run([BASH, "-n", SCRIPTS / script], check=True)
