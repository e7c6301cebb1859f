"""How a package that is missing is installed: from the checkout where there is one, else by name."""

import importlib.metadata
import json

import pytest

from arena.base.extras import install_command


class Installed:
    """A distribution that was installed from somewhere."""

    def __init__(self, origin):
        self.origin = origin

    def read_text(self, name):
        assert name == "direct_url.json"
        return self.origin


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'arena-marl[chess]'"),
        ("broken", "pip install 'arena-marl[chess]'"),
        ({"url": "file:///src/a%20b", "dir_info": {"editable": True}}, "pip install -e '/src/a b[chess]'"),
        ({"url": "file:///src/arena", "dir_info": {}}, "pip install 'arena-marl[chess]'"),
        ({"url": "HERE", "dir_info": {"editable": True}}, "pip install -e '.[chess]'"),
    ],
)
def test_the_command_fits_the_installation(origin, command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = origin if isinstance(origin, str | None) else json.dumps(origin).replace("HERE", tmp_path.as_uri())
    monkeypatch.setattr("arena.base.extras.distribution", lambda name: Installed(text))
    assert install_command("chess") == command


def test_the_project_declares_every_extra_that_is_advised():
    declared = importlib.metadata.metadata("arena-marl").get_all("Provides-Extra")
    assert {"chess", "cuda", "minari", "onnx", "openskill", "postgres", "ray", "wandb", "web"} <= set(declared)
